import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './dialog.module.css'
import { CloseIcon } from './icons.tsx'

type Props = {
  title: string
  onClose: () => void
  /** The dialog asks a question, and its answers close it. */
  asks?: boolean
  /** The dialog is as wide as its content. */
  wide?: boolean
  children: ReactNode
}

export function Dialog({ title, onClose, asks, wide, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  // A dialog that is closed before it is removed returns the focus to where it came from.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const closeFromOutside = (event: MouseEvent) => {
    if (event.target === element.current) onClose()
  }
  // Keys, such as Escape, are for the dialog and not for what is behind it.
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
