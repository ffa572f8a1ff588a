import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import styles from './dialog.module.css'
import { CloseIcon } from './icons.tsx'

type Props = {
  title: string
  onClose: () => void
  /** The dialog asks a question, and its answers close it. */
  asks?: boolean
  /** The dialog is as wide as its content. */
  wide?: boolean
  /** Neither Escape nor a click beside it closes it. */
  stays?: boolean | undefined
  children: ReactNode
}

export function Dialog({ title, onClose, asks, wide, stays, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const headingId = useId()
  // A dialog that is closed before it is removed returns the focus to where it came from.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const closeFromOutside = (event: MouseEvent) => {
    if (event.target === element.current && !stays) onClose()
  }
  const cancel = (event: SyntheticEvent) => {
    if (stays) event.preventDefault()
    else onClose()
  }
  // Browsers let nobody prevent a second Escape.
  const openAgain = () => {
    if (stays) element.current?.showModal()
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
      onCancel={cancel}
      onClose={openAgain}
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
