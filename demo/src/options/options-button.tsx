import type { KeyboardEvent } from 'react'
import { MoreIcon } from '../parts/icons.tsx'
import styles from './options-button.module.css'

type Props = {
  open: boolean
  /** One button of the list is a tab stop. Arrow keys move between messages. */
  tabbable: boolean
  onToggle: (button: HTMLButtonElement) => void
}

const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

export function OptionsButton({ open, tabbable, onToggle }: Props) {
  return (
    <button
      type="button"
      className={styles.options}
      aria-label="Options for this message"
      aria-haspopup="menu"
      aria-expanded={open}
      data-options=""
      tabIndex={tabbable ? 0 : -1}
      onKeyDown={moveToNeighbour}
      onClick={({ currentTarget }) => onToggle(currentTarget)}
    >
      <MoreIcon size={20} />
    </button>
  )
}

export const optionsIn = (element: Element | null | undefined): HTMLElement[] => [
  ...(element?.querySelectorAll<HTMLElement>('[data-options]') ?? []),
]

function moveToNeighbour(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = steps[event.key]
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const buttons = optionsIn(event.currentTarget.closest('[role="log"]'))
  const next = buttons[buttons.indexOf(event.currentTarget) + step]
  next?.focus({ preventScroll: true })
  next?.closest('article')?.scrollIntoView({ block: 'nearest' })
}
