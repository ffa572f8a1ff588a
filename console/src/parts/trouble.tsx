import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { wordsOf } from '../session/admin-client.ts'
import styles from './trouble.module.css'

type Asked<Data> = { data?: Data | undefined; error?: CombinedError | undefined }

type Props<Data> = { of: Asked<Data>; onRetry: () => void; children: (data: Data) => ReactNode }

/** Shows what was asked for, or why it did not come. */
export function Loaded<Data>({ of: { data, error }, onRetry, children }: Props<Data>) {
  if (error) return <Trouble error={error} onRetry={onRetry} />
  if (data === undefined) {
    return (
      <p role="status" className={styles.empty}>
        Asking the server…
      </p>
    )
  }
  return children(data)
}

export function Trouble({ error, onRetry }: { error: CombinedError; onRetry: () => void }) {
  return (
    <div role="alert" className={styles.trouble}>
      <p>{wordsOf(error)}</p>
      {mayPass(error) && (
        <button type="button" className="quiet-button" onClick={onRetry}>
          Ask again
        </button>
      )}
    </div>
  )
}

/** Says that there is nothing, and what that means. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className={styles.empty}>{children}</p>
}

/** Returns whether the same may succeed later. */
const mayPass = ({ graphQLErrors: [first] }: CombinedError): boolean => !first || first.extensions.retryable === true
