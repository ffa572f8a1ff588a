import type { MessageFieldsFragment } from '@parley/client'
import { useState } from 'react'
import type { Changes } from '../conversation/message/use-changes.ts'
import { isNotice } from '../conversation/notices/notice-words.ts'
import type { Row } from '../conversation/timeline/rows.ts'
import type { ComposerTarget } from '../conversation/use-composer-target.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { MessageMenu } from './message-menu.tsx'

export type OpenMenu = { key: string; anchor: HTMLElement }

/** Only messages that the server has, and that are not deleted, can be changed or replied to. */
export const optionable = ({ entry }: Row): MessageFieldsFragment | undefined =>
  entry.type === 'message' && !entry.message.deletedAt && !isNotice(entry) ? entry.message : undefined

type Props = {
  open: OpenMenu | undefined
  rows: readonly Row[]
  changes: Changes
  /** Whether the viewer may delete what others wrote. */
  governs: boolean
  onTarget: (target: ComposerTarget) => void
  onClose: () => void
  onDeleted: () => void
}

export function MessageOptions({ open, rows, changes, governs, onTarget, onClose, onDeleted }: Props) {
  const [deleting, setDeleting] = useState<MessageFieldsFragment>()
  const [reporting, setReporting] = useState<MessageFieldsFragment>()
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
          onReply={() => onTarget({ type: 'reply', message })}
          onEdit={() => onTarget({ type: 'edit', message, text: message.body })}
          onDelete={() => setDeleting(message)}
          onReport={() => setReporting(message)}
          onClose={onClose}
        />
      )}
      {reporting && (
        <ReportDialog person={reporting.sender} message={reporting} onClose={() => setReporting(undefined)} />
      )}
      {deleting && (
        <ConfirmDialog
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
        </ConfirmDialog>
      )}
    </>
  )
}
