import { useState } from 'react'
import type { Recipient } from '../../../src/client/index.ts'
import { useTyping } from '../../../src/client/react/hooks.tsx'
import { useBlocked } from '../chats/blocked.ts'
import { GroupInfo } from '../groups/group-info.tsx'
import { membersWords } from '../groups/roles.ts'
import { Avatar } from '../parts/avatar.tsx'
import { BackIcon, GroupIcon, WindowIcon } from '../parts/icons.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { navigate } from '../parts/use-place.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import { PresenceDot } from '../presence/presence-dot.tsx'
import { PresenceLine } from '../presence/presence-line.tsx'
import styles from './conversation.module.css'
import { Typing } from './typing.tsx'
import { typingWords } from './typing-words.ts'
import type { Subject } from './use-subject.ts'

type Props = { to: Recipient; subject: Subject; place: SignedIn }

export function ConversationHeader({ to, subject, place }: Props) {
  const { title, other, conversation } = subject
  const typing = typingWords(useTyping(to), conversation?.members ?? [], other !== undefined)
  const [informing, setInforming] = useState(false)
  const person = other && other.id !== place.as ? other : undefined
  const group = conversation?.kind === 'GROUP' ? conversation : undefined
  return (
    <header className={styles.header}>
      <PlaceLink className={`round-button ${styles.back}`} place={elsewhere(place)} aria-label="Back to chats">
        <BackIcon />
      </PlaceLink>
      <span className={styles.face}>
        <Avatar id={other?.id ?? conversation?.id ?? title} name={title} size={40} group={!other} />
        {person && <PresenceDot userId={person.id} />}
      </span>
      <div className={styles.names}>
        <h2 id="conversation">{title}</h2>
        {!typing && <About subject={subject} place={place} />}
        {/* Always there, so that screen readers notice when somebody begins. */}
        <p aria-live="polite">{typing && <Typing words={typing} />}</p>
      </div>
      {person && (
        <SecondWindow className={`quiet-button ${styles.second}`} as={person} with={place.as}>
          <WindowIcon size={18} /> <span>Open a second window as {title}</span>
        </SecondWindow>
      )}
      {group && (
        <button type="button" className={`quiet-button ${styles.second}`} onClick={() => setInforming(true)}>
          <GroupIcon size={18} /> <span>Group info</span>
        </button>
      )}
      {group && informing && (
        <GroupInfo group={group} onClose={() => setInforming(false)} onLeft={() => navigate(elsewhere(place))} />
      )}
    </header>
  )
}

function About({ subject: { other, conversation }, place }: Omit<Props, 'to'>) {
  const blocked = useBlocked(place.as, other?.id)
  if (other?.id === place.as) return <p>Only you see this</p>
  if (blocked) return <p>You have blocked them</p>
  if (other) return <PresenceLine userId={other.id} />
  return <p>{conversation && membersWords(conversation.members, place.as)}</p>
}
