import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './dialog.module.css'
import { CloseIcon } from './icons.tsx'

type Props = { title: string; onClose: () => void; children: ReactNode }

export function Dialog({ title, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  // Closed while it is still there, it gives the focus back to where it came from.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const closeFromOutside = (event: MouseEvent) => {
    if (event.target === element.current) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by itself.
    <dialog
      ref={element}
      className={styles.dialog}
      aria-labelledby={headingId}
      onClick={closeFromOutside}
      onCancel={onClose}
    >
      <div className={styles.sheet}>
        <h2 id={headingId}>{title}</h2>
        {children}
        <button type="button" className={`round-button ${styles.close}`} aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
    </dialog>
  )
}
