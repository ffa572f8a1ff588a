import type { ClientError } from '../../../src/client/index.ts'
import styles from './timeline.module.css'

type Props = { loading: boolean; error: ClientError | undefined; onRetry: () => Promise<void> }

/** Lies over the messages, so that it moves nothing. */
export function OlderNote({ loading, error, onRetry }: Props) {
  if (loading) {
    return (
      <p className={styles.older}>
        <span className={styles.spinner} aria-hidden="true" /> Loading messages…
      </p>
    )
  }
  if (!error) return null
  // What is refused now is refused the next time.
  if (!error.retryable) return <p className={styles.older}>{error.message}</p>
  return (
    <p className={styles.older}>
      Messages could not be loaded.{' '}
      <button type="button" onClick={() => onRetry().catch(console.error)}>
        Try again
      </button>
    </p>
  )
}
