import { Avatar } from '../parts/avatar.tsx'
import { BackIcon, WindowIcon } from '../parts/icons.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { nameOf } from '../people.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './conversation.module.css'
import type { Subject } from './use-subject.ts'

type Props = { subject: Subject; place: SignedIn }

export function ConversationHeader({ subject, place }: Props) {
  const { title, other, conversation } = subject
  const isOwn = other?.id === place.as
  return (
    <header className={styles.header}>
      <PlaceLink className={`round-button ${styles.back}`} place={elsewhere(place)} aria-label="Back to chats">
        <BackIcon />
      </PlaceLink>
      <Avatar id={other?.id ?? conversation?.id ?? ''} name={title} size={40} />
      <div className={styles.names}>
        <h2 id="conversation">{title}</h2>
        <p>{isOwn ? 'Only you see this' : other ? `@${other.id}` : conversation?.members.map(nameOf).join(', ')}</p>
      </div>
      {other && !isOwn && (
        <SecondWindow className={`quiet-button ${styles.second}`} as={other} with={place.as}>
          <WindowIcon size={18} /> <span>Open a second window as {title}</span>
        </SecondWindow>
      )}
    </header>
  )
}
