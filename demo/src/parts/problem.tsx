import styles from './problem.module.css'

/** Says why an action was refused, below what would be done again. */
export function Problem({ words }: { words: string | undefined }) {
  if (!words) return null
  return (
    <p role="alert" className={styles.problem}>
      {words}
    </p>
  )
}
