import { clock } from '../../parts/times.ts'
import styles from './notice.module.css'

/** Shows a change of the group between the messages. */
export function Notice({ words, atMs }: { words: string; atMs: number }) {
  return (
    <p className={styles.notice}>
      <span dir="auto">{words}</span>
      <time className="visually-hidden" dateTime={new Date(atMs).toISOString()}>
        {clock(atMs)}
      </time>
    </p>
  )
}
