import type { MouseEvent } from 'react'
import styles from './quote.module.css'
import type { Quote } from './quotes.ts'

type Props = { quote: Quote; tabbable: boolean; onFollow?: (byKeyboard: boolean) => void }

/** Leads to the quoted message. */
export function QuoteBlock({ quote, tabbable, onFollow }: Props) {
  const words = (
    <>
      <span className="visually-hidden">In reply to </span>
      <b className={styles.author}>{quote.author}</b>
      <span className={styles.line} data-deleted={quote.deleted || undefined} dir="auto">
        {quote.line}
      </span>
    </>
  )
  if (!onFollow) return <p className={styles.quote}>{words}</p>
  return (
    <button
      type="button"
      className={styles.quote}
      tabIndex={tabbable ? 0 : -1}
      onClick={({ detail }: MouseEvent) => onFollow(detail === 0)}
    >
      {words}
    </button>
  )
}
