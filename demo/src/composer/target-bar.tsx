import { quoteFrom } from '../conversation/quotes.ts'
import type { Aim } from '../conversation/use-aim.ts'
import { CloseIcon, EditIcon, ReplyIcon } from '../parts/icons.tsx'
import styles from './aim-bar.module.css'

type Props = { aim: Aim; viewer: string; onCancel: () => void }

/** What the composer is about, above it. */
export function AimBar({ aim, viewer, onCancel }: Props) {
  const { author, line } = quoteFrom(aim.message, viewer)
  const replies = aim.type === 'reply'
  return (
    <div className={styles.bar}>
      {replies ? <ReplyIcon size={20} /> : <EditIcon size={20} />}
      <p>
        <b>{replies ? `Reply to ${author === 'You' ? 'yourself' : author}` : 'Edit message'}</b>
        <span dir="auto">{line}</span>
      </p>
      <button
        type="button"
        className="round-button"
        aria-label={replies ? 'Cancel reply' : 'Cancel edit'}
        onClick={onCancel}
      >
        <CloseIcon size={20} />
      </button>
    </div>
  )
}
