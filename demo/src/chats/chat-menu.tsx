import { useChat } from '@parley/client/react'
import { useState } from 'react'
import { Menu, MenuItem } from '../options/menu.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ArchiveIcon, BellIcon, BlockIcon, FlagIcon, MuteIcon, PinIcon } from '../parts/icons.tsx'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { useBlocked } from './blocked.ts'
import type { ChatItem } from './chat-items.ts'
import type { useSettings } from './use-settings.ts'

type Props = {
  /** Stays while the confirm dialog is open. */
  item: ChatItem
  /** The button that opened the menu. It is undefined while the menu is closed. */
  anchor: HTMLElement | undefined
  settings: ReturnType<typeof useSettings>
  onClose: () => void
}

export function ChatMenu({ item, anchor, settings, onClose }: Props) {
  const { userId: viewer } = useChat()
  const [blocking, setBlocking] = useState(false)
  const [reporting, setReporting] = useState(false)
  const other = item.to.with
  const blocked = useBlocked(other)
  const { title, pinned, archived, muted } = item
  return (
    <>
      {anchor && (
        <Menu label={`Options for ${title}`} anchor={anchor} grows="left" onClose={onClose}>
          {(choose) => (
            <>
              <MenuItem icon={<PinIcon size={19} />} onChoose={choose(() => settings.pin(item))}>
                {pinned ? 'Unpin' : 'Pin'}
              </MenuItem>
              {muted ? (
                <MenuItem icon={<BellIcon size={19} />} onChoose={choose(() => settings.mute(item, 'no longer'))}>
                  Unmute
                </MenuItem>
              ) : (
                <>
                  <MenuItem icon={<MuteIcon size={19} />} onChoose={choose(() => settings.mute(item, 'hours'))}>
                    Mute for 8 hours
                  </MenuItem>
                  <MenuItem icon={<MuteIcon size={19} />} onChoose={choose(() => settings.mute(item, 'always'))}>
                    Mute always
                  </MenuItem>
                </>
              )}
              <MenuItem icon={<ArchiveIcon size={19} />} onChoose={choose(() => settings.archive(item))}>
                {archived ? 'Unarchive' : 'Archive'}
              </MenuItem>
              {other && other !== viewer && (
                <MenuItem icon={<FlagIcon size={19} />} onChoose={choose(() => setReporting(true))}>
                  Report {title}
                </MenuItem>
              )}
              {other && other !== viewer && (
                <MenuItem
                  icon={<BlockIcon size={19} />}
                  danger={!blocked}
                  onChoose={choose(() => (blocked ? settings.block(other, false) : setBlocking(true)))}
                >
                  {blocked ? `Unblock ${title}` : `Block ${title}`}
                </MenuItem>
              )}
            </>
          )}
        </Menu>
      )}
      {reporting && other && <ReportDialog person={{ id: other, name: title }} onClose={() => setReporting(false)} />}
      {blocking && other && (
        <ConfirmDialog
          title={`Block ${title}?`}
          act="Block"
          onClose={() => setBlocking(false)}
          onAct={() => {
            setBlocking(false)
            settings.block(other, true)
          }}
        >
          {title} cannot write to you here any more, and is not told. In groups, what they say is hidden.
        </ConfirmDialog>
      )}
    </>
  )
}
