import { useState } from 'react'
import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'
import type { Row } from '../conversation/rows.ts'
import type { Aim } from '../conversation/use-aim.ts'
import type { Changes } from '../conversation/use-changes.ts'
import { Question } from '../parts/question.tsx'
import { MessageMenu } from './message-menu.tsx'

export type OpenMenu = { key: string; anchor: HTMLElement }

/** Only what the server has can be changed or answered, and only as long as it is there. */
export const optionable = ({ entry }: Row): MessageFieldsFragment | undefined =>
  entry.type === 'message' && !entry.message.deletedAt ? entry.message : undefined

type Props = {
  open: OpenMenu | undefined
  rows: readonly Row[]
  changes: Changes
  /** Whether the viewer may delete what others wrote. */
  governs: boolean
  onAim: (aim: Aim) => void
  onClose: () => void
  onDeleted: () => void
}

export function MessageOptions({ open, rows, changes, governs, onAim, onClose, onDeleted }: Props) {
  const [deleting, setDeleting] = useState<MessageFieldsFragment>()
  const row = open && rows.find(({ key }) => key === open.key)
  const message = row && optionable(row)
  return (
    <>
      {open && message && (
        <MessageMenu
          key={open.key}
          message={message}
          mine={row.mine}
          canDelete={row.mine || governs}
          anchor={open.anchor}
          onReact={(emoji, on) => changes.react(message, emoji, on)}
          onReply={() => onAim({ type: 'reply', message })}
          onEdit={() => onAim({ type: 'edit', message, text: message.body })}
          onDelete={() => setDeleting(message)}
          onClose={onClose}
        />
      )}
      {deleting && (
        <Question
          title="Delete this message for everyone?"
          act="Delete"
          onClose={() => setDeleting(undefined)}
          onAct={() => {
            setDeleting(undefined)
            changes.remove(deleting)
            onDeleted()
          }}
        >
          It is gone from every device, and there is no way back.
        </Question>
      )}
    </>
  )
}
