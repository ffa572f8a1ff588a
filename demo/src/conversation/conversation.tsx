import type { KeyboardEvent } from 'react'
import type { Recipient } from '../../../src/client/index.ts'
import { useMessages } from '../../../src/client/react/hooks.tsx'
import { Composer } from '../composer/composer.tsx'
import { navigate } from '../parts/use-place.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './conversation.module.css'
import { ConversationHeader } from './conversation-header.tsx'
import { ProblemNote } from './problem-note.tsx'
import { Timeline } from './timeline.tsx'
import { useAim } from './use-aim.ts'
import { useChanges } from './use-changes.ts'
import { useSubject } from './use-subject.ts'

type Props = { to: Recipient; place: SignedIn }

export function Conversation({ to, place }: Props) {
  const subject = useSubject(to)
  const changes = useChanges()
  const [aim, setAim] = useAim(useMessages(to).entries)
  const closeOnPhone = (event: KeyboardEvent) => {
    const phone = window.matchMedia('(max-width: 720px)').matches
    if (event.key === 'Escape' && !event.defaultPrevented && phone) navigate(elsewhere(place))
  }
  return (
    <section className={styles.conversation} aria-labelledby="conversation" onKeyDown={closeOnPhone}>
      <ConversationHeader to={to} subject={subject} place={place} />
      <Timeline to={to} subject={subject} changes={changes} onAim={setAim} />
      <ProblemNote problem={changes.problem} onDismiss={changes.dismiss} />
      <Composer to={to} viewer={place.as} aim={aim} onAim={setAim} onEdit={changes.edit} />
    </section>
  )
}
