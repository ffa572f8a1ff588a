import type { Recipient } from '@parley/client'
import { useTyping } from '@parley/client/react'
import { useState } from 'react'
import { useBlocked } from '../chats/blocked.ts'
import { GroupInfo } from '../groups/group-info.tsx'
import { membersWords } from '../groups/roles.ts'
import { Avatar } from '../parts/avatar.tsx'
import { BackIcon, GroupIcon, WindowIcon } from '../parts/icons.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { navigate } from '../parts/use-route.ts'
import { PresenceDot } from '../presence/presence-dot.tsx'
import { PresenceLine } from '../presence/presence-line.tsx'
import { routeTo, type SignedIn } from '../route.ts'
import styles from './conversation.module.css'
import { Typing } from './timeline/typing.tsx'
import { typingWords } from './timeline/typing-words.ts'
import type { Subject } from './use-subject.ts'

type Props = { to: Recipient; subject: Subject; route: SignedIn }

export function ConversationHeader({ to, subject, route }: Props) {
  const { title, other, conversation } = subject
  const typing = typingWords(useTyping(to), conversation?.members ?? [], other !== undefined)
  const [informing, setInforming] = useState(false)
  const person = other && other.id !== route.as ? other : undefined
  const group = conversation?.kind === 'GROUP' ? conversation : undefined
  return (
    <header className={styles.header}>
      <RouteLink className={`round-button ${styles.back}`} route={routeTo(route)} aria-label="Back to chats">
        <BackIcon />
      </RouteLink>
      <span className={styles.face}>
        <Avatar id={other?.id ?? conversation?.id ?? title} name={title} size={40} group={!other} />
        {person && <PresenceDot userId={person.id} />}
      </span>
      <div className={styles.names}>
        <h2 id="conversation">{title}</h2>
        {!typing && <About subject={subject} route={route} />}
        {/* It is always rendered, so that screen readers notice when its text appears. */}
        <p aria-live="polite">{typing && <Typing words={typing} />}</p>
      </div>
      {person && (
        <SecondWindow className={`quiet-button ${styles.second}`} as={person} with={route.as}>
          <WindowIcon size={18} /> <span>Open a second window as {title}</span>
        </SecondWindow>
      )}
      {group && (
        <button type="button" className={`quiet-button ${styles.second}`} onClick={() => setInforming(true)}>
          <GroupIcon size={18} /> <span>Group info</span>
        </button>
      )}
      {group && informing && (
        <GroupInfo group={group} onClose={() => setInforming(false)} onLeft={() => navigate(routeTo(route))} />
      )}
    </header>
  )
}

function About({ subject: { other, conversation }, route }: Omit<Props, 'to'>) {
  const blocked = useBlocked(other?.id)
  if (other?.id === route.as) return <p>Only you see this</p>
  if (blocked) return <p>You have blocked them</p>
  if (other) return <PresenceLine userId={other.id} />
  return <p>{conversation && membersWords(conversation.members, route.as)}</p>
}
