import type { ClientError } from '@parley/client'
import styles from './timeline.module.css'

type Props = { loading: boolean; error: ClientError | undefined; onRetry: () => Promise<void> }

/** The note lies over the messages, so that it moves nothing. */
export function OlderNote({ loading, error, onRetry }: Props) {
  if (loading) {
    return (
      <p className={styles.older}>
        <span className={styles.spinner} aria-hidden="true" /> Loading messages…
      </p>
    )
  }
  if (!error) return null
  // An error that is not retryable would come again.
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
