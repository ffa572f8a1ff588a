import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import styles from './question.module.css'

type Props = { title: string; act: string; onAct: () => void; onClose: () => void; children: ReactNode }

/** Asked before what cannot easily be taken back. */
export function Question({ title, act, onAct, onClose, children }: Props) {
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
