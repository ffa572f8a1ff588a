import { bodyMaxCodePoints } from '../../../src/protocol/limits.ts'
import styles from './composer.module.css'

const nearTheEnd = 200

/** Shows how many characters are left, when the text gets long. */
export function Counter({ text }: { text: string }) {
  if (text.length < bodyMaxCodePoints - nearTheEnd) return null
  const left = bodyMaxCodePoints - Array.from(text).length
  if (left > nearTheEnd) return null
  return (
    <span className={styles.counter} data-over={left < 0 || undefined}>
      {left}
      <span className="visually-hidden"> characters left</span>
    </span>
  )
}
