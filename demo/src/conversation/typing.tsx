import styles from './typing.module.css'

/** The dots come one after the other, for those who like things to move. */
export function Typing({ words }: { words: string }) {
  return (
    <span className={styles.typing}>
      {words}
      <span className={styles.dots}>…</span>
    </span>
  )
}
