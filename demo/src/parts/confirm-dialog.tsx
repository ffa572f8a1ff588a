import type { ReactNode } from 'react'
import styles from './confirm-dialog.module.css'
import { Dialog } from './dialog.tsx'

type Props = { title: string; act: string; onAct: () => void; onClose: () => void; children: ReactNode }

/** Asks before an action that cannot easily be undone. */
export function ConfirmDialog({ title, act, onAct, onClose, children }: Props) {
  return (
    <Dialog title={title} onClose={onClose} asks>
      <p className={styles.words}>{children}</p>
      <div className={styles.answers}>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className={`button ${styles.act}`} onClick={onAct}>
          {act}
        </button>
      </div>
    </Dialog>
  )
}
