import { useState } from 'react'
import { type MessageFieldsFragment, useDeleteMessageMutation } from '../../generated/urql.ts'
import { newId } from '../../new-id.ts'
import { ActionDialog } from '../../parts/action-dialog.tsx'
import { answered } from '../../parts/answered.ts'
import { Quote } from '../../parts/facts.tsx'

type Props = { conversationId: string; message: MessageFieldsFragment; onClose: () => void }

export function DeleteDialog({ conversationId, message: { seq, senderId, body }, onClose }: Props) {
  // The id stays for another attempt, so that it is the same deletion.
  const [clientMessageId] = useState(newId)
  const [, remove] = useDeleteMessageMutation()
  return (
    <ActionDialog
      title={`Delete message ${seq} of ${senderId}?`}
      act="Delete"
      danger
      onAct={() => answered(remove({ input: { conversationId, seq, clientMessageId } }))}
      onClose={onClose}
    >
      <Quote>{body}</Quote>
      <p>It is gone for everybody and does not come back. Its place in the conversation stays.</p>
    </ActionDialog>
  )
}
