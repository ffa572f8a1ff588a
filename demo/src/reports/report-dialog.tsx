import { useChat } from '@parley/client/react'
import { type ReportReason, reportMessage, reportReasons, reportUser } from '@parley/client/reports'
import { setBlocked } from '@parley/client/settings'
import { type FormEvent, useId, useState } from 'react'
import { useBlocked } from '../chats/blocked.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/problem.tsx'
import { useAction } from '../parts/use-action.ts'
import { nameOf, type Person } from '../people.ts'
import styles from './report-dialog.module.css'

const reasonWords: Record<ReportReason, string> = {
  SPAM: 'Spam or fraud',
  HARASSMENT: 'Insults or threats',
  HATE: 'Hatred of a group of people',
  VIOLENCE: 'Violence',
  SEXUAL: 'Sexual content',
  SELF_HARM: 'Somebody may harm themselves',
  ILLEGAL: 'Something illegal',
  OTHER: 'Something else',
}

/** Without `message`, the person is reported. */
type Props = { person: Person; message?: { conversationId: string; seq: number } | undefined; onClose: () => void }

export function ReportDialog({ person, message, onClose }: Props) {
  const chat = useChat()
  const isBlocked = useBlocked(person.id)
  const [reason, setReason] = useState<ReportReason>('SPAM')
  const [comment, setComment] = useState('')
  const [blocks, setBlocks] = useState(false)
  const [sent, setSent] = useState(false)
  const { busy, problem, run } = useAction()
  const fieldId = useId()
  const name = nameOf(person)
  function report(event: FormEvent): void {
    event.preventDefault()
    run(async () => {
      const words = { reason, ...(comment.trim() && { comment: comment.trim() }) }
      await (message ? reportMessage(chat, message, words) : reportUser(chat, person.id, words))
      if (blocks) await setBlocked(chat, person.id, true)
      setSent(true)
    })
  }
  return (
    <Dialog title={message ? `Report this message by ${name}` : `Report ${name}`} onClose={onClose}>
      {sent ? (
        <p role="status">Thank you. Those who look after this chat will see it. {name} is not told.</p>
      ) : (
        <form className={styles.form} onSubmit={report}>
          <label htmlFor={`${fieldId}-reason`}>Why?</label>
          <select
            id={`${fieldId}-reason`}
            className="field"
            value={reason}
            onChange={(event) => setReason(event.target.value as ReportReason)}
          >
            {reportReasons.map((each) => (
              <option key={each} value={each}>
                {reasonWords[each]}
              </option>
            ))}
          </select>
          <label htmlFor={`${fieldId}-comment`}>Anything to add?</label>
          <textarea
            id={`${fieldId}-comment`}
            className="field"
            rows={3}
            maxLength={1000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          {!isBlocked && (
            <label className={styles.check}>
              <input type="checkbox" checked={blocks} onChange={(event) => setBlocks(event.target.checked)} />
              Block {name}, too
            </label>
          )}
          <Problem words={problem} />
          <div className={styles.answers}>
            <button type="submit" className="button" disabled={busy}>
              Report
            </button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
