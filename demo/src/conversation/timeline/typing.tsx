import styles from './typing.module.css'

/** The dots appear one after the other, unless the user prefers reduced motion. */
export function Typing({ words }: { words: string }) {
  return (
    <span className={styles.typing}>
      {words}
      <span className={styles.dots}>…</span>
    </span>
  )
}
