import { TrashIcon } from '../../../../demo/src/parts/icons.tsx'
import type { MessageFieldsFragment } from '../../generated/urql.ts'
import { Badge, Id, Json, Moment } from '../../parts/facts.tsx'
import { hrefOf } from '../../route.ts'
import styles from './message-row.module.css'

type Props = {
  message: MessageFieldsFragment
  /** The address of the message itself, to hand on. */
  href: string
  isTarget: boolean
  onDelete: () => void
}

export function MessageRow({ message, href, isTarget, onDelete }: Props) {
  const { seq, kind, senderId, body, metadata, sentAt, editedAt, deletedAt } = message
  return (
    <li className={styles.row} aria-current={isTarget ? 'true' : undefined}>
      <div className={styles.head}>
        <a href={href} aria-label={`Seq ${seq}`}>
          {seq}
        </a>
        <a href={hrefOf({ view: 'users', id: senderId })}>
          <Id>{senderId}</Id>
        </a>
        {kind === 'SYSTEM' && <Badge>System</Badge>}
        <span className={styles.soft}>
          <Moment at={sentAt} />
          {editedAt && !deletedAt && ', edited'}
        </span>
        {!deletedAt && (
          <button
            type="button"
            className="round-button"
            aria-label={`Delete message ${seq}`}
            title="Delete"
            onClick={onDelete}
          >
            <TrashIcon size={18} />
          </button>
        )}
      </div>
      {deletedAt ? (
        <p className={styles.soft}>
          Deleted <Moment at={deletedAt} />
        </p>
      ) : (
        <p className={styles.body} dir="auto">
          {body || <span className={styles.soft}>No text</span>}
        </p>
      )}
      {metadata && (
        <details>
          <summary>Metadata</summary>
          <Json value={metadata} />
        </details>
      )}
    </li>
  )
}
