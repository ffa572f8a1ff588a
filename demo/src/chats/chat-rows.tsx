import { useRef, useState } from 'react'
import { MoreIcon } from '../parts/icons.tsx'
import type { SignedIn } from '../route.ts'
import { moveByArrows } from './arrow-keys.ts'
import type { ChatItem } from './chat-items.ts'
import styles from './chat-link.module.css'
import { ChatLink } from './chat-link.tsx'

type Props = {
  items: readonly ChatItem[]
  labelledBy: string
  route: SignedIn
  today: number
  /** The chat whose messages are shown, and the chat whose menu is open. */
  openKey: string | undefined
  menuKey: string | undefined
  onMenu: (key: string, anchor: HTMLElement) => void
}

export function ChatRows({ items, labelledBy, route, today, openKey, menuKey, onMenu }: Props) {
  const list = useRef<HTMLUListElement>(null)
  // Of all option buttons, that of the last focused chat is a tab stop.
  const [reached, setReached] = useState<string>()
  const tabStop = items.some(({ key }) => key === reached) ? reached : items[0]?.key
  return (
    <ul ref={list} aria-labelledby={labelledBy} onKeyDown={(event) => moveByArrows(event, list.current)}>
      {items.map((item) => (
        <li key={item.key} className={styles.row} onFocus={() => setReached(item.key)}>
          <ChatLink item={item} route={route} current={item.key === openKey} today={today} />
          {item.conversationId && (
            <button
              type="button"
              className={styles.options}
              aria-label={`Options for ${item.title}`}
              aria-haspopup="menu"
              aria-expanded={item.key === menuKey}
              tabIndex={item.key === tabStop ? 0 : -1}
              onClick={({ currentTarget }) => onMenu(item.key, currentTarget)}
            >
              <MoreIcon size={20} />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
