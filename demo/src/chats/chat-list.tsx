import { useMemo, useRef } from 'react'
import { useChat, useConversations } from '../../../src/client/react/hooks.tsx'
import { useToday } from '../parts/use-today.ts'
import { keyOf, recipientOf, type SignedIn } from '../place.ts'
import { moveByArrows } from './arrow-keys.ts'
import { chatItems } from './chat-items.ts'
import { ChatLink } from './chat-link.tsx'
import { MoreChats } from './more-chats.tsx'
import styles from './sidebar.module.css'
import { useOutbox } from './use-outbox.ts'

type Props = { place: SignedIn; onNewChat: () => void }

export function ChatList({ place, onNewChat }: Props) {
  const { userId } = useChat()
  const chats = useConversations()
  const outbox = useOutbox()
  const today = useToday()
  const list = useRef<HTMLUListElement>(null)
  const items = useMemo(() => chatItems(chats.conversations, outbox, userId), [chats.conversations, outbox, userId])
  const open = recipientOf(place)
  const openKey = open && keyOf(open)
  return (
    <div className={styles.list}>
      <ul ref={list} aria-labelledby="chats" onKeyDown={(event) => moveByArrows(event, list.current)}>
        {items.map((item) => (
          <li key={item.key}>
            <ChatLink item={item} place={place} current={item.key === openKey} today={today} />
          </li>
        ))}
      </ul>
      {items.length === 0 && !chats.loading && !chats.error && (
        <div className={styles.hello}>
          <b>No chats yet</b>
          <p>Write to somebody: they need not be there.</p>
          <button type="button" className="button" onClick={onNewChat}>
            Start a chat
          </button>
        </div>
      )}
      <MoreChats chats={chats} />
    </div>
  )
}
