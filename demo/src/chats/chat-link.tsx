import { useConversations, useTyping } from '@parley/client/react'
import { type ReactNode, useRef } from 'react'
import { Typing } from '../conversation/timeline/typing.tsx'
import { typingWords } from '../conversation/timeline/typing-words.ts'
import { Avatar } from '../parts/avatar.tsx'
import { MuteIcon, PinIcon } from '../parts/icons.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { Tick } from '../parts/tick.tsx'
import { shortTime } from '../parts/times.ts'
import { useSeen } from '../parts/use-seen.ts'
import { PresenceDot } from '../presence/presence-dot.tsx'
import { routeTo, type SignedIn } from '../route.ts'
import { shownCount } from '../window-title.ts'
import type { ChatItem } from './chat-items.ts'
import styles from './chat-link.module.css'

type Props = { item: ChatItem; route: SignedIn; current: boolean; today: number }

export const chatLinkId = (key: string): string => `chat-${key}`

export function ChatLink({ item, route, current, today }: Props) {
  const { key, to, title, avatarId, group, unread, pinned, muted, last } = item
  const words = useRef<HTMLSpanElement>(null)
  const seen = useSeen(words)
  return (
    <RouteLink
      id={chatLinkId(key)}
      className={styles.link}
      route={routeTo(route, to)}
      {...(current && { 'aria-current': 'page' as const })}
      data-unread={(unread > 0 && !muted) || undefined}
    >
      <span className={styles.face}>
        <Avatar id={avatarId} name={title} group={group} />
        {seen && to.with && to.with !== route.as && <PresenceDot userId={to.with} />}
      </span>
      <span ref={words} className={styles.words}>
        <span className={styles.line}>
          <span className={styles.title}>{title}</span>
          {last && <time dateTime={new Date(last.atMs).toISOString()}>{shortTime(last.atMs, today)}</time>}
        </span>
        <span className={`${styles.line} ${styles.second}`}>
          <span className={styles.preview}>{current ? <OpenPreview item={item} /> : <Preview item={item} />}</span>
          <span className={styles.signs}>
            {muted && <Sign icon={<MuteIcon size={16} />} words="Muted" />}
            {pinned && <Sign icon={<PinIcon size={16} />} words="Pinned" />}
            {unread > 0 && (
              <span className={styles.badge} data-muted={muted || undefined}>
                {shownCount(unread)} <span className="visually-hidden">unread</span>
              </span>
            )}
          </span>
        </span>
      </span>
    </RouteLink>
  )
}

function Sign({ icon, words }: { icon: ReactNode; words: string }) {
  return (
    <>
      {icon}
      <span className="visually-hidden"> {words} </span>
    </>
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

/** Typing is known for the open chat alone. Screen readers hear it from the header. */
function OpenPreview({ item }: { item: ChatItem }) {
  const { conversations } = useConversations()
  const { with: other, chat } = item.to
  const writing = useTyping(other ? { userId: other } : { conversationId: chat ?? '' })
  const words = typingWords(writing, conversations.find(({ id }) => id === chat)?.members ?? [], other !== undefined)
  return words ? <Typing words={words} /> : <Preview item={item} />
}
