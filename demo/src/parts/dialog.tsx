import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './dialog.module.css'
import { CloseIcon } from './icons.tsx'

type Props = {
  title: string
  onClose: () => void
  /** A question: its answers close it. */
  asks?: boolean
  /** As wide as what is in it. */
  wide?: boolean
  children: ReactNode
}

export function Dialog({ title, onClose, asks, wide, children }: Props) {
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
  // Escape is for the dialog, and for nothing behind it.
  const keep = (event: KeyboardEvent) => event.stopPropagation()
  return (
    <dialog
      ref={element}
      className={styles.dialog}
      data-wide={wide || undefined}
      aria-labelledby={headingId}
      onClick={closeFromOutside}
      onKeyDown={keep}
      onCancel={onClose}
    >
      <div className={styles.sheet} data-asks={asks}>
        <h2 id={headingId}>{title}</h2>
        {children}
        {!asks && (
          <button type="button" className={`round-button ${styles.close}`} aria-label="Close" onClick={onClose}>
            <CloseIcon />
          </button>
        )}
      </div>
    </dialog>
  )
}
