import { CloseIcon } from '../../parts/icons.tsx'
import styles from './problem-note.module.css'

type Props = { problem: string | undefined; onDismiss: () => void }

export function ProblemNote({ problem, onDismiss }: Props) {
  if (!problem) return null
  return (
    <div className={styles.note} role="alert">
      <p>{problem}</p>
      <button type="button" className="round-button" aria-label="Dismiss" onClick={onDismiss}>
        <CloseIcon size={18} />
      </button>
    </div>
  )
}
