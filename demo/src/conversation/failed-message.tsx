import type { Outgoing } from '../../../src/client/index.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import styles from './failed-message.module.css'

/** Refused for good: in the server's words, and the writer decides. */
export function FailedMessage({ outgoing }: { outgoing: Outgoing }) {
  const chat = useChat()
  const { clientMessageId, error } = outgoing
  return (
    <div className={styles.failed}>
      <p>Not sent. {error?.message}</p>
      <button type="button" onClick={() => chat.retry(clientMessageId)}>
        Try again
      </button>
      <button type="button" onClick={() => chat.discard(clientMessageId)}>
        Delete
      </button>
    </div>
  )
}
