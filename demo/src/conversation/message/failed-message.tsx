import type { Outgoing } from '@parley/client'
import { useChat } from '@parley/client/react'
import styles from './failed-message.module.css'

/** Shows why the server refused a message for good, and lets the writer decide. */
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
