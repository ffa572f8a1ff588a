import { Tick, type TickState } from '../parts/tick.tsx'
import { clock } from '../parts/times.ts'
import { isEmojiOnly } from './emoji-only.ts'
import { FailedMessage } from './failed-message.tsx'
import styles from './message.module.css'
import { MessageText } from './message-text.tsx'
import type { Row } from './rows.ts'

type Props = { row: Row; tick?: TickState | undefined; showsSender: boolean }

export function Message({ row, tick, showsSender }: Props) {
  const { entry, mine, first, last, sender, atMs } = row
  const body = entry.type === 'message' ? entry.message.body : entry.outgoing.body
  const large = isEmojiOnly(body)
  return (
    <div
      className={styles.line}
      data-mine={mine || undefined}
      data-first={first || undefined}
      data-last={last || undefined}
      data-tick={tick}
    >
      <article className={styles.bubble}>
        {showsSender && first && !mine ? (
          <p className={styles.sender}>{sender}</p>
        ) : (
          <span className="visually-hidden">{mine ? 'You' : sender}: </span>
        )}
        <div className={styles.content} dir="auto" data-large={large || undefined}>
          <span className={styles.text}>
            <MessageText text={body} />
          </span>
          <span className={styles.meta}>
            <time dir="ltr" dateTime={new Date(atMs).toISOString()}>
              {clock(atMs)}
            </time>
            {tick && <Tick state={tick} />}
          </span>
        </div>
        {entry.type === 'outgoing' && entry.outgoing.state === 'failed' && <FailedMessage outgoing={entry.outgoing} />}
      </article>
    </div>
  )
}
