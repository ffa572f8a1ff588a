import { Tick } from '../parts/tick.tsx'
import styles from './sample-chat.module.css'

/** Shows a chat of three bubbles as a preview. */
export function SampleChat() {
  return (
    <div className={styles.glimpse} aria-hidden="true">
      <p className={styles.theirs}>
        Train’s in the tunnel again. Did you get my last one? <small>9:41</small>
      </p>
      <p className={styles.mine}>
        All three, in order{' '}
        <small>
          9:41 <Tick state="READ" />
        </small>
      </p>
      <p className={styles.mine}>
        See you at eight{' '}
        <small>
          9:42
          <span className={styles.turning}>
            <Tick state="SENT" />
            <Tick state="DELIVERED" />
            <Tick state="READ" />
          </span>
        </small>
      </p>
    </div>
  )
}
