import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'
import { hasReacted, quickReactions } from '../conversation/reaction-name.ts'
import { EditIcon, ReplyIcon, TrashIcon } from '../parts/icons.tsx'
import { nextItem } from './menu-keys.ts'
import { menuPlace } from './menu-place.ts'
import styles from './message-menu.module.css'

type Props = {
  message: MessageFieldsFragment
  mine: boolean
  /** The button that opened it. */
  anchor: HTMLElement
  onReact: (emoji: string, on: boolean) => void
  onReply: () => void
  onEdit: () => void
  onDelete: () => void
  onClose: () => void
}

export function MessageMenu({ message, mine, anchor, onReact, onReply, onEdit, onDelete, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null)
  usePlacement(menu, anchor, mine)
  useOutside(menu, anchor, onClose)
  useEffect(() => {
    itemsOf(menu.current)[0]?.focus({ preventScroll: true })
  }, [])

  function close(): void {
    anchor.focus({ preventScroll: true })
    onClose()
  }
  /** The focus goes back first: what comes next may take it from there, and return it. */
  const choose = (act: () => void) => () => {
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
    const to = nextItem(event.key, from, { inRow: quickReactions.length, count: items.length })
    if (to === from) return
    event.preventDefault()
    items[to]?.focus()
  }
  return (
    <div ref={menu} className={styles.menu} role="menu" aria-label="Options for this message" onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of a menu. */}
      <div className={styles.quick} role="group" aria-label="React">
        {quickReactions.map((emoji) => {
          const on = hasReacted(message.reactions, emoji)
          return (
            <button
              key={emoji}
              type="button"
              role="menuitemcheckbox"
              aria-checked={on}
              tabIndex={-1}
              onClick={choose(() => onReact(emoji, !on))}
            >
              {emoji}
            </button>
          )
        })}
      </div>
      <button type="button" role="menuitem" className={styles.item} tabIndex={-1} onClick={choose(onReply)}>
        <ReplyIcon size={19} /> Reply
      </button>
      {mine && (
        <>
          <button type="button" role="menuitem" className={styles.item} tabIndex={-1} onClick={choose(onEdit)}>
            <EditIcon size={19} /> Edit
          </button>
          <button
            type="button"
            role="menuitem"
            className={styles.item}
            data-danger=""
            tabIndex={-1}
            onClick={choose(onDelete)}
          >
            <TrashIcon size={19} /> Delete
          </button>
        </>
      )}
    </div>
  )
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [...(menu?.querySelectorAll('button') ?? [])]

/** At its button, also when that moves because somebody writes. */
function usePlacement(menu: RefObject<HTMLElement | null>, anchor: HTMLElement, mine: boolean): void {
  useLayoutEffect(() => {
    function put(): void {
      const element = menu.current
      if (!element || !anchor.isConnected) return
      const size = { width: element.offsetWidth, height: element.offsetHeight }
      const window = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }
      const { left, top } = menuPlace(anchor.getBoundingClientRect(), size, window, mine ? 'left' : 'right')
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
  }, [menu, anchor, mine])
}

function useOutside(menu: RefObject<HTMLElement | null>, anchor: HTMLElement, onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    function closeFromOutside({ target }: PointerEvent): void {
      // The button closes by itself.
      if (target instanceof Node && !menu.current?.contains(target) && !anchor.contains(target)) close.current()
    }
    document.addEventListener('pointerdown', closeFromOutside)
    return () => document.removeEventListener('pointerdown', closeFromOutside)
  }, [menu, anchor])
}
