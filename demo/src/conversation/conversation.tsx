import { type DragEvent, type KeyboardEvent, useState } from 'react'
import type { Recipient } from '../../../src/client/index.ts'
import { useMessages } from '../../../src/client/react/hooks.tsx'
import { Composer } from '../composer/composer.tsx'
import { filesIn, useAttaching } from '../files/use-attaching.ts'
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
  const { entries, left } = useMessages(to)
  const [aim, setAim] = useAim(entries)
  const attachings = useAttaching()
  const [dropping, setDropping] = useState(false)
  const closeOnPhone = (event: KeyboardEvent) => {
    const phone = window.matchMedia('(max-width: 720px)').matches
    if (event.key === 'Escape' && !event.defaultPrevented && phone) navigate(elsewhere(place))
  }
  const carriesFiles = ({ dataTransfer }: DragEvent) => !left && dataTransfer.types.includes('Files')
  function over(event: DragEvent): void {
    if (!carriesFiles(event)) return
    event.preventDefault()
    setDropping(true)
  }
  function leave({ currentTarget, relatedTarget }: DragEvent): void {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropping(false)
  }
  function drop(event: DragEvent): void {
    if (!carriesFiles(event)) return
    event.preventDefault()
    setDropping(false)
    attachings.add(filesIn(event.dataTransfer))
  }
  return (
    <section
      className={styles.conversation}
      aria-labelledby="conversation"
      data-dropping={dropping || undefined}
      onKeyDown={closeOnPhone}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
    >
      <ConversationHeader to={to} subject={subject} place={place} />
      <Timeline to={to} subject={subject} changes={changes} onAim={setAim} />
      <ProblemNote problem={changes.problem} onDismiss={changes.dismiss} />
      <ProblemNote problem={attachings.problem} onDismiss={attachings.dismiss} />
      {left ? (
        <p aria-live="polite" className={styles.ended}>
          You are not in this group any more.
        </p>
      ) : (
        <Composer to={to} viewer={place.as} aim={aim} attachings={attachings} onAim={setAim} onEdit={changes.edit} />
      )}
    </section>
  )
}
