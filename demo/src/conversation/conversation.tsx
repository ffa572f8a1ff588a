import type { KeyboardEvent } from 'react'
import type { Recipient } from '../../../src/client/index.ts'
import { Composer } from '../composer/composer.tsx'
import { navigate } from '../parts/use-place.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './conversation.module.css'
import { ConversationHeader } from './conversation-header.tsx'
import { Timeline } from './timeline.tsx'
import { useSubject } from './use-subject.ts'

type Props = { to: Recipient; place: SignedIn }

export function Conversation({ to, place }: Props) {
  const subject = useSubject(to)
  const closeOnPhone = (event: KeyboardEvent) => {
    const phone = window.matchMedia('(max-width: 720px)').matches
    if (event.key === 'Escape' && !event.defaultPrevented && phone) navigate(elsewhere(place))
  }
  return (
    <section className={styles.conversation} aria-labelledby="conversation" onKeyDown={closeOnPhone}>
      <ConversationHeader subject={subject} place={place} />
      <Timeline to={to} subject={subject} />
      <Composer to={to} viewer={place.as} />
    </section>
  )
}
