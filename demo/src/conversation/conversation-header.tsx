import type { Recipient } from '../../../src/client/index.ts'
import { useTyping } from '../../../src/client/react/hooks.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { BackIcon, WindowIcon } from '../parts/icons.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { nameOf } from '../people.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './conversation.module.css'
import { Typing } from './typing.tsx'
import { typingWords } from './typing-words.ts'
import type { Subject } from './use-subject.ts'

type Props = { to: Recipient; subject: Subject; place: SignedIn }

export function ConversationHeader({ to, subject, place }: Props) {
  const { title, other, conversation } = subject
  const isOwn = other?.id === place.as
  const typing = typingWords(useTyping(to), conversation?.members ?? [], other !== undefined)
  const about = isOwn ? 'Only you see this' : other ? `@${other.id}` : conversation?.members.map(nameOf).join(', ')
  return (
    <header className={styles.header}>
      <PlaceLink className={`round-button ${styles.back}`} place={elsewhere(place)} aria-label="Back to chats">
        <BackIcon />
      </PlaceLink>
      <Avatar id={other?.id ?? conversation?.id ?? ''} name={title} size={40} />
      <div className={styles.names}>
        <h2 id="conversation">{title}</h2>
        {!typing && <p>{about}</p>}
        {/* Always there, so that screen readers notice when somebody begins. */}
        <p aria-live="polite">{typing && <Typing words={typing} />}</p>
      </div>
      {other && !isOwn && (
        <SecondWindow className={`quiet-button ${styles.second}`} as={other} with={place.as}>
          <WindowIcon size={18} /> <span>Open a second window as {title}</span>
        </SecondWindow>
      )}
    </header>
  )
}
