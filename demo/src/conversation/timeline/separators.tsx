import { dayName } from '../../parts/times.ts'
import { shownCount } from '../../window-title.ts'
import type { Row } from './rows.ts'
import styles from './separators.module.css'

type Props = { row: Row; today: number; beginning: string }

/** Shows above a message that the chat, a day or the new messages begin. */
export function Separators({ row, today, beginning: words }: Props) {
  const { beginning, startsDay, unread, atMs } = row
  return (
    <>
      {beginning && <p className={styles.beginning}>{words}</p>}
      {startsDay && (
        <h3 className={styles.day}>
          <time dateTime={new Date(atMs).toISOString().slice(0, 10)}>{dayName(atMs, today)}</time>
        </h3>
      )}
      {unread !== undefined && (
        <p className={styles.unread}>
          <span>{unread === 1 ? '1 new message' : `${shownCount(unread)} new messages`}</span>
        </p>
      )}
    </>
  )
}
