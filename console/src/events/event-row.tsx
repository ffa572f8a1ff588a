import type { ReactNode } from 'react'
import type { EventFieldsFragment } from '../generated/urql.ts'
import { Id, Json, Moment } from '../parts/facts.tsx'
import { hrefOf } from '../route.ts'
import styles from './events.module.css'

type Props = {
  event: EventFieldsFragment
  /** What is said about the event beside it. */
  children?: ReactNode
}

export function EventRow({ event, children }: Props) {
  const { id, type, occurredAt, conversationId, seq, data, position } = event
  return (
    <li className={styles.event}>
      <p className={styles.head}>
        <b>{type}</b>
        {conversationId && (
          <a
            href={hrefOf({
              view: 'conversations',
              id: conversationId,
              ...(seq != null && { at: { seq: String(seq) } }),
            })}
          >
            <Id>{conversationId}</Id>
            {seq != null && ` ${seq}`}
          </a>
        )}
        <span className={styles.soft}>
          <Moment at={occurredAt} />
        </span>
      </p>
      {children && <p>{children}</p>}
      <details>
        <summary>Data</summary>
        <Json value={data} />
        <p className={styles.soft}>
          Id <Id>{id}</Id>, position <Id>{position}</Id>
        </p>
      </details>
    </li>
  )
}
