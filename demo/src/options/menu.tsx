import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import styles from './menu.module.css'
import { nextItem } from './menu-keys.ts'
import { menuPosition } from './menu-position.ts'

/** Closes the menu, then acts. */
type Choose = (act: () => void) => () => void

type Props = {
  label: string
  /** The button that opened it. */
  anchor: HTMLElement
  grows: 'left' | 'right'
  /** The number of first items that stand in a row. */
  inRow?: number
  onClose: () => void
  children: (choose: Choose) => ReactNode
}

export function Menu({ label, anchor, grows, inRow = 0, onClose, children }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  usePlacement(menu, anchor, grows)
  useOutside(menu, anchor, onClose)
  useEffect(() => {
    itemsOf(menu.current)[0]?.focus({ preventScroll: true })
  }, [])

  function close(): void {
    anchor.focus({ preventScroll: true })
    onClose()
  }
  /** Returns the focus before it acts: a dialog that opens next takes the focus and later returns it. */
  const choose: Choose = (act) => () => {
    close()
    act()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault()
      close()
      return
    }
    const items = itemsOf(menu.current)
    const from = items.findIndex((item) => item.matches(':focus'))
    const to = nextItem(event.key, from, { inRow, count: items.length })
    if (to === from) return
    event.preventDefault()
    items[to]?.focus()
  }
  return (
    <div ref={menu} className={styles.menu} role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {children(choose)}
    </div>
  )
}

type ItemProps = { icon: ReactNode; danger?: boolean; onChoose: () => void; children: ReactNode }

export function MenuItem({ icon, danger, onChoose, children }: ItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      className={styles.item}
      data-danger={danger || undefined}
      tabIndex={-1}
      onClick={onChoose}
    >
      {icon} <span>{children}</span>
    </button>
  )
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [...(menu?.querySelectorAll('button') ?? [])]

/** Keeps the menu at its button, also when a new message moves it. */
function usePlacement(menu: RefObject<HTMLElement | null>, anchor: HTMLElement, grows: 'left' | 'right'): void {
  useLayoutEffect(() => {
    function put(): void {
      const element = menu.current
      if (!element || !anchor.isConnected) return
      const size = { width: element.offsetWidth, height: element.offsetHeight }
      const window = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }
      const { left, top } = menuPosition(anchor.getBoundingClientRect(), size, window, grows)
      element.style.left = `${left}px`
      element.style.top = `${top}px`
    }
    put()
    document.addEventListener('scroll', put, true)
    window.addEventListener('resize', put)
    return () => {
      document.removeEventListener('scroll', put, true)
      window.removeEventListener('resize', put)
    }
  }, [menu, anchor, grows])
}

function useOutside(menu: RefObject<HTMLElement | null>, anchor: HTMLElement, onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    function closeFromOutside({ target }: PointerEvent): void {
      // The button closes the menu itself.
      if (target instanceof Node && !menu.current?.contains(target) && !anchor.contains(target)) close.current()
    }
    document.addEventListener('pointerdown', closeFromOutside)
    return () => document.removeEventListener('pointerdown', closeFromOutside)
  }, [menu, anchor])
}
