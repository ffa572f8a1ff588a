import { Dialog } from '../parts/dialog.tsx'
import styles from './delete-dialog.module.css'

type Props = { onDelete: () => void; onClose: () => void }

export function DeleteDialog({ onDelete, onClose }: Props) {
  return (
    <Dialog title="Delete this message for everyone?" onClose={onClose} asks>
      <p className={styles.words}>It is gone from every device, and there is no way back.</p>
      <div className={styles.answers}>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className={`button ${styles.delete}`} onClick={onDelete}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}
