import { type FormEvent, useId, useRef, useState } from 'react'
import { Problem } from '../../../../demo/src/parts/problem.tsx'
import { useAction } from '../../../../demo/src/parts/use-action.ts'
import { useSendMessageMutation } from '../../generated/urql.ts'
import { newId } from '../../new-id.ts'
import { answered } from '../../parts/answered.ts'
import { useNotify } from '../../parts/notice.tsx'
import { useSignedIn } from '../../session/session-provider.tsx'
import { navigate } from '../../use-route.ts'
import styles from './messages.module.css'

/** Writes in the service's own name. */
export function SystemMessageForm({ conversationId }: { conversationId: string }) {
  const [body, setBody] = useState('')
  const [silent, setSilent] = useState(false)
  const { token } = useSignedIn()
  const { busy, problem, run } = useAction()
  const [, send] = useSendMessageMutation()
  const notify = useNotify()
  const attempt = useRef<{ body: string; id: string }>(undefined)
  const fieldId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(async () => {
      // To send the same text again after a failure is a retry, which has the same id; another text is another message.
      if (attempt.current?.body !== body) attempt.current = { body, id: newId() }
      const input = { clientMessageId: attempt.current.id, to: { conversationId }, body, silent }
      const { message } = (await answered(send({ input }))).sendMessage
      attempt.current = undefined
      setBody('')
      notify(`Sent as message ${message.seq}.`)
      navigate({ view: 'conversations', id: conversationId })
    })
  }
  return (
    <form className={styles.compose} onSubmit={submit}>
      <label htmlFor={fieldId}>A message from {token.service}</label>
      <textarea
        id={fieldId}
        className="field"
        rows={3}
        value={body}
        onChange={(event) => setBody(event.target.value)}
      />
      <Problem words={problem} />
      <div>
        <label className={styles.silent}>
          <input type="checkbox" checked={silent} onChange={(event) => setSilent(event.target.checked)} /> Wake no phone
        </label>
        <button type="submit" className="button" disabled={busy || body.trim() === ''}>
          {busy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  )
}
