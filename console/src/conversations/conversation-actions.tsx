import { useState } from 'react'
import {
  type ConversationFieldsFragment,
  useExportConversationMutation,
  useSetRetentionMutation,
  useUpdateConversationMutation,
} from '../generated/urql.ts'
import { ActionDialog, Choice, Field } from '../parts/action-dialog.tsx'
import { answered } from '../parts/answered.ts'
import { showTask } from '../tasks/show-task.ts'

type Asked = 'title' | 'retention' | 'export'
type DialogProps = { conversation: ConversationFieldsFragment; onClose: () => void }

export function ConversationActions({ conversation }: { conversation: ConversationFieldsFragment }) {
  const [asked, setAsked] = useState<Asked>()
  const shared = { conversation, onClose: () => setAsked(undefined) }
  const button = (what: Asked, words: string) => (
    <button type="button" className="quiet-button" onClick={() => setAsked(what)}>
      {words}
    </button>
  )
  return (
    <>
      {conversation.kind === 'GROUP' && button('title', 'Rename…')}
      {button('retention', 'Retention…')}
      {button('export', 'Export…')}
      {asked === 'title' && <TitleDialog {...shared} />}
      {asked === 'retention' && <RetentionDialog {...shared} />}
      {asked === 'export' && <ExportDialog {...shared} />}
    </>
  )
}

function TitleDialog({ conversation, onClose }: DialogProps) {
  const [title, setTitle] = useState(conversation.title ?? '')
  const [, update] = useUpdateConversationMutation()
  const act = () => answered(update({ input: { conversationId: conversation.id, title } }))
  return (
    <ActionDialog title="Rename the group" act="Rename" ready={title.trim() !== ''} onAct={act} onClose={onClose}>
      <Field label="Title" value={title} onChange={setTitle} hint="Its members see the change at once." />
    </ActionDialog>
  )
}

const keepings = { ever: 'For ever', days: 'For some days' }

function RetentionDialog({ conversation, onClose }: DialogProps) {
  const { id, retentionDays } = conversation
  const [keeping, setKeeping] = useState<keyof typeof keepings>(retentionDays == null ? 'ever' : 'days')
  const [typed, setTyped] = useState(String(retentionDays ?? 90))
  const [, setRetention] = useSetRetentionMutation()
  const days = Number(typed)
  const act = () => answered(setRetention({ input: { conversationId: id, days: keeping === 'ever' ? null : days } }))
  return (
    <ActionDialog
      title="How long are messages kept?"
      act="Set"
      danger={keeping === 'days'}
      ready={keeping === 'ever' || (Number.isInteger(days) && days > 0)}
      onAct={act}
      onClose={onClose}
    >
      <Choice label="Messages are kept" options={keepings} value={keeping} onChange={setKeeping} />
      {keeping === 'days' && (
        <Field
          label="Days"
          type="number"
          value={typed}
          onChange={setTyped}
          hint="Older messages go within moments, for everybody, and do not come back."
        />
      )}
    </ActionDialog>
  )
}

function ExportDialog({ conversation, onClose }: DialogProps) {
  const [, exportConversation] = useExportConversationMutation()
  const act = async () => {
    const { task } = (await answered(exportConversation({ input: { conversationId: conversation.id } })))
      .exportConversation
    showTask(task, conversation.title ?? conversation.id)
  }
  return (
    <ActionDialog title="Export the conversation?" act="Export" onAct={act} onClose={onClose}>
      <p>It is gathered in the background. The file can be fetched from the task for a day.</p>
    </ActionDialog>
  )
}
