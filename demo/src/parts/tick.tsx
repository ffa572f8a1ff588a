import styles from './tick.module.css'

export type TickState = 'WAITING' | 'SENT' | 'DELIVERED' | 'READ' | 'FAILED'

const words: Record<TickState, string> = {
  WAITING: 'Waiting to be sent',
  SENT: 'Sent',
  DELIVERED: 'Delivered',
  READ: 'Read',
  FAILED: 'Not sent',
}

export function Tick({ state }: { state: TickState }) {
  return (
    <svg className={styles.tick} data-state={state} viewBox="0 0 18 12" width="18" height="12" role="img">
      <title>{words[state]}</title>
      {state === 'WAITING' && (
        <>
          <circle cx="12" cy="6" r="4.7" />
          <path d="M12 3.6V6l1.6 1.2" />
        </>
      )}
      {state === 'FAILED' && (
        <>
          <circle cx="12" cy="6" r="5" className={styles.alarm} />
          <path d="M12 3.4v3M12 8.6v.01" className={styles.mark} />
        </>
      )}
      {state !== 'WAITING' && state !== 'FAILED' && (
        // Both marks are always drawn, so that the second one can move to the first.
        <>
          <path d="M1.5 6.6l3.2 3.2 6-7.4" className={styles.first} />
          <path d="M7.4 9l.8.8 6-7.4" className={styles.second} />
        </>
      )}
    </svg>
  )
}
