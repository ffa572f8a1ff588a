import { useState } from 'react'
import { useEraseUserMutation } from '../generated/urql.ts'
import { ActionDialog, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { showTask } from '../tasks/show-task.ts'

/** What an erasure takes never comes back, so the id has to be typed. */
export function EraseDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [, erase] = useEraseUserMutation()
  const act = async () => showTask((await answered(erase({ input: { userId } }))).eraseUser.task, userId)
  return (
    <ActionDialog
      title={`Erase ${userId}?`}
      act="Erase for good"
      danger
      ready={typed === userId}
      onAct={act}
      onClose={onClose}
    >
      <p>
        What they wrote loses its words and files and keeps its place; their profile, devices, memberships and
        everything else that is theirs is removed. Nothing of it comes back.
      </p>
      <Field label="Type the id to go on" value={typed} onChange={setTyped} placeholder={userId} />
    </ActionDialog>
  )
}
