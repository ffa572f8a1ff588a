import { useState } from 'react'
import {
  type UserFieldsFragment,
  useExportUserMutation,
  useRevokeTokensMutation,
  useUnbanUserMutation,
} from '../generated/urql.ts'
import { ActionDialog, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { momentWords } from '../parts/facts.tsx'
import { useNotify } from '../parts/notice.tsx'
import { showTask } from '../tasks/show-task.ts'
import { BanDialog } from './ban-dialog.tsx'
import { EraseDialog } from './erase-dialog.tsx'
import { localInput } from './local-input.ts'

type Asked = 'ban' | 'unban' | 'revoke' | 'export' | 'erase'
type DialogProps = { userId: string; onClose: () => void }

/** Shows what can be done with a user. One who was erased has only the task of that, which asking for the erasure again leads to. */
export function UserActions({ user: { id, banned, erasedAt } }: { user: UserFieldsFragment }) {
  const [asked, setAsked] = useState<Asked>()
  const shared = { userId: id, onClose: () => setAsked(undefined) }
  const button = (what: Asked, words: string) => (
    <button type="button" className="quiet-button" onClick={() => setAsked(what)}>
      {words}
    </button>
  )
  return (
    <>
      {!erasedAt && (
        <>
          {button('ban', banned ? 'Change ban…' : 'Ban…')}
          {banned && button('unban', 'Unban…')}
          {button('revoke', 'Revoke tokens…')}
          {button('export', 'Export…')}
        </>
      )}
      {button('erase', 'Erase…')}
      {asked === 'ban' && <BanDialog {...shared} />}
      {asked === 'unban' && <UnbanDialog {...shared} />}
      {asked === 'revoke' && <RevokeDialog {...shared} />}
      {asked === 'export' && <ExportDialog {...shared} />}
      {asked === 'erase' && <EraseDialog {...shared} />}
    </>
  )
}

function UnbanDialog({ userId, onClose }: DialogProps) {
  const [, unban] = useUnbanUserMutation()
  return (
    <ActionDialog
      title={`Unban ${userId}?`}
      act="Unban"
      onAct={() => answered(unban({ input: { userId } }))}
      onClose={onClose}
    >
      <p>They can sign in and write again at once.</p>
    </ActionDialog>
  )
}

function RevokeDialog({ userId, onClose }: DialogProps) {
  // Tokens say in which second they were issued, so the end of this second is proposed: it refuses those of this second too.
  const [before, setBefore] = useState(() => localInput(new Date(Date.now() + 1000)))
  const [, revoke] = useRevokeTokensMutation()
  const notify = useNotify()
  const moment = new Date(before)
  const act = async () => {
    await answered(revoke({ input: { userId, issuedBefore: moment.toISOString() } }))
    notify(`Tokens of ${userId} that were issued before ${momentWords(moment)} are refused.`)
  }
  return (
    <ActionDialog
      title={`Revoke tokens of ${userId}?`}
      act="Revoke"
      danger
      ready={!Number.isNaN(moment.getTime())}
      onAct={act}
      onClose={onClose}
    >
      <Field
        label="Issued before"
        type="datetime-local"
        value={before}
        onChange={setBefore}
        hint="Older tokens are refused everywhere, and their open sockets are closed. A newer one still works."
      />
    </ActionDialog>
  )
}

function ExportDialog({ userId, onClose }: DialogProps) {
  const [, exportUser] = useExportUserMutation()
  const act = async () => showTask((await answered(exportUser({ input: { userId } }))).exportUser.task, userId)
  return (
    <ActionDialog title={`Export what is known of ${userId}?`} act="Export" onAct={act} onClose={onClose}>
      <p>It is gathered in the background. The file can be fetched from the task for a day.</p>
    </ActionDialog>
  )
}
