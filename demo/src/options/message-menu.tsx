import type { MessageFieldsFragment } from '@parley/client'
import { hasReacted, quickReactions } from '../conversation/message/reaction-name.ts'
import { EditIcon, FlagIcon, ReplyIcon, TrashIcon } from '../parts/icons.tsx'
import { Menu, MenuItem } from './menu.tsx'
import styles from './message-menu.module.css'

type Props = {
  message: MessageFieldsFragment
  mine: boolean
  canDelete: boolean
  /** The button that opened it. */
  anchor: HTMLElement
  onReact: (emoji: string, on: boolean) => void
  onReply: () => void
  onEdit: () => void
  onDelete: () => void
  onReport: () => void
  onClose: () => void
}

export function MessageMenu({ message, mine, canDelete, anchor, onReact, onClose, ...acts }: Props) {
  return (
    <Menu
      label="Options for this message"
      anchor={anchor}
      grows={mine ? 'left' : 'right'}
      inRow={quickReactions.length}
      onClose={onClose}
    >
      {(choose) => (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a group of a menu. */}
          <div className={styles.quick} role="group" aria-label="React">
            {quickReactions.map((emoji) => {
              const on = hasReacted(message.reactions, emoji)
              return (
                <button
                  key={emoji}
                  type="button"
                  role="menuitemcheckbox"
                  aria-checked={on}
                  tabIndex={-1}
                  onClick={choose(() => onReact(emoji, !on))}
                >
                  {emoji}
                </button>
              )
            })}
          </div>
          <MenuItem icon={<ReplyIcon size={19} />} onChoose={choose(acts.onReply)}>
            Reply
          </MenuItem>
          {mine && (
            <MenuItem icon={<EditIcon size={19} />} onChoose={choose(acts.onEdit)}>
              Edit
            </MenuItem>
          )}
          {!mine && (
            <MenuItem icon={<FlagIcon size={19} />} onChoose={choose(acts.onReport)}>
              Report
            </MenuItem>
          )}
          {canDelete && (
            <MenuItem icon={<TrashIcon size={19} />} danger onChoose={choose(acts.onDelete)}>
              Delete
            </MenuItem>
          )}
        </>
      )}
    </Menu>
  )
}
