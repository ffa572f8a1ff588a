import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { emoji } from './emoji-list.ts'
import styles from './emoji-picker.module.css'

type Props = { onPick: (emoji: string) => void; onClose: () => void }

const columns = 8
const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }

/** The grid is one tab stop. Arrow keys move through it. */
export function EmojiPicker({ onPick, onClose }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const close = useRef(onClose)
  close.current = onClose

  useEffect(() => {
    panel.current?.querySelector('button')?.focus()
    function closeFromOutside({ target }: PointerEvent): void {
      const form = panel.current?.closest('form')
      if (target instanceof Node && !form?.contains(target)) close.current()
    }
    document.addEventListener('pointerdown', closeFromOutside)
    return () => document.removeEventListener('pointerdown', closeFromOutside)
  }, [])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
      return
    }
    const next = active + (steps[event.key] ?? 0)
    if (next === active || next < 0 || next >= emoji.length) return
    event.preventDefault()
    setActive(next)
    panel.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div ref={panel} className={styles.picker} role="dialog" aria-label="Emoji" onKeyDown={onKeyDown}>
      {emoji.map(([character, name], index) => (
        <button
          key={character}
          type="button"
          aria-label={name}
          title={name}
          tabIndex={index === active ? 0 : -1}
          onFocus={() => setActive(index)}
          onClick={() => onPick(character)}
        >
          {character}
        </button>
      ))}
    </div>
  )
}
