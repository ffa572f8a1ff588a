import { useConversations, useTyping } from '../../../src/client/react/hooks.tsx'
import { Typing } from '../conversation/typing.tsx'
import { typingWords } from '../conversation/typing-words.ts'
import { Avatar } from '../parts/avatar.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { Tick } from '../parts/tick.tsx'
import { shortTime } from '../parts/times.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import { shownCount } from '../window-title.ts'
import type { ChatItem } from './chat-items.ts'
import styles from './chat-link.module.css'

type Props = { item: ChatItem; place: SignedIn; current: boolean; today: number }

export const chatLinkId = (key: string): string => `chat-${key}`

export function ChatLink({ item, place, current, today }: Props) {
  const { key, to, title, avatarId, unread, last } = item
  return (
    <PlaceLink
      id={chatLinkId(key)}
      className={styles.link}
      place={elsewhere(place, to)}
      {...(current && { 'aria-current': 'page' as const })}
      data-unread={unread > 0 || undefined}
    >
      <Avatar id={avatarId} name={title} />
      <span className={styles.words}>
        <span className={styles.line}>
          <span className={styles.title}>{title}</span>
          {last && <time dateTime={new Date(last.atMs).toISOString()}>{shortTime(last.atMs, today)}</time>}
        </span>
        <span className={styles.line}>
          <span className={styles.preview}>{current ? <OpenPreview item={item} /> : <Preview item={item} />}</span>
          {unread > 0 && (
            <span className={styles.badge}>
              {shownCount(unread)} <span className="visually-hidden">unread</span>
            </span>
          )}
        </span>
      </span>
    </PlaceLink>
  )
}

function Preview({ item: { last } }: { item: ChatItem }) {
  return (
    <>
      {last?.tick && <Tick state={last.tick} />}
      <span dir="auto" data-deleted={last?.deleted}>
        {last ? (last.sender ? `${last.sender}: ${last.body}` : last.body) : 'No messages yet'}
      </span>
    </>
  )
}

/** Who is writing is known of the chat that is open. The header says it aloud. */
function OpenPreview({ item }: { item: ChatItem }) {
  const { conversations } = useConversations()
  const { with: other, chat } = item.to
  const writing = useTyping(other ? { userId: other } : { conversationId: chat ?? '' })
  const words = typingWords(writing, conversations.find(({ id }) => id === chat)?.members ?? [], other !== undefined)
  return words ? <Typing words={words} /> : <Preview item={item} />
}
