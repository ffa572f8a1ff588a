import { quoteFrom } from '../conversation/message/quotes.ts'
import type { ComposerTarget } from '../conversation/use-composer-target.ts'
import { CloseIcon, EditIcon, ReplyIcon } from '../parts/icons.tsx'
import styles from './target-bar.module.css'

type Props = { target: ComposerTarget; viewer: string; onCancel: () => void }

/** Shows above the composer which message is replied to or edited. */
export function TargetBar({ target, viewer, onCancel }: Props) {
  const { author, line } = quoteFrom(target.message, viewer)
  const replies = target.type === 'reply'
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
