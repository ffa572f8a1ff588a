import { useState } from 'react'
import { useUpdateMembersMutation } from '../../generated/urql.ts'
import { ActionDialog, Field } from '../../parts/action-dialog.tsx'
import { answered } from '../../parts/answered.ts'

type AddProps = { conversationId: string; onClose: () => void }

export function AddMembersDialog({ conversationId, onClose }: AddProps) {
  const [typed, setTyped] = useState('')
  const [, update] = useUpdateMembersMutation()
  const add = typed.split(/[\s,;]+/).filter(Boolean)
  return (
    <ActionDialog
      title="Add people"
      act={add.length > 1 ? `Add ${add.length} people` : 'Add'}
      ready={add.length > 0}
      onAct={() => answered(update({ input: { conversationId, add } }))}
      onClose={onClose}
    >
      <Field
        label="User ids"
        long
        value={typed}
        onChange={setTyped}
        hint="With spaces, commas or line breaks between them. They see what is said from now on."
      />
    </ActionDialog>
  )
}

type RemoveProps = AddProps & { userId: string }

export function RemoveMemberDialog({ conversationId, userId, onClose }: RemoveProps) {
  const [, update] = useUpdateMembersMutation()
  return (
    <ActionDialog
      title={`Remove ${userId}?`}
      act="Remove"
      danger
      onAct={() => answered(update({ input: { conversationId, remove: [userId] } }))}
      onClose={onClose}
    >
      <p>
        They see nothing of the group any more, unless somebody adds them again. If they own it, it gets another owner.
      </p>
    </ActionDialog>
  )
}
