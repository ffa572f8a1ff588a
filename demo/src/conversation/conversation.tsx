import type { Recipient } from '@parley/client'
import { useMessages } from '@parley/client/react'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { Composer } from '../composer/composer.tsx'
import { filesIn, useAttaching } from '../files/use-attaching.ts'
import { navigate } from '../parts/use-route.ts'
import { routeTo, type SignedIn } from '../route.ts'
import styles from './conversation.module.css'
import { ConversationHeader } from './conversation-header.tsx'
import { useChanges } from './message/use-changes.ts'
import { ProblemNote } from './timeline/problem-note.tsx'
import { Timeline } from './timeline/timeline.tsx'
import { useComposerTarget } from './use-composer-target.ts'
import { useSubject } from './use-subject.ts'

type Props = { to: Recipient; route: SignedIn }

export function Conversation({ to, route }: Props) {
  const subject = useSubject(to)
  const changes = useChanges()
  const { entries, left } = useMessages(to)
  const [target, setTarget] = useComposerTarget(entries)
  const attachings = useAttaching()
  const [dropping, setDropping] = useState(false)
  const closeOnPhone = (event: KeyboardEvent) => {
    const phone = window.matchMedia('(max-width: 720px)').matches
    if (event.key === 'Escape' && !event.defaultPrevented && phone) navigate(routeTo(route))
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
      <ConversationHeader to={to} subject={subject} route={route} />
      <Timeline to={to} subject={subject} changes={changes} onTarget={setTarget} />
      <ProblemNote problem={changes.problem} onDismiss={changes.dismiss} />
      <ProblemNote problem={attachings.problem} onDismiss={attachings.dismiss} />
      {left ? (
        <p aria-live="polite" className={styles.ended}>
          You are not in this group any more.
        </p>
      ) : (
        <Composer
          to={to}
          viewer={route.as}
          target={target}
          attachings={attachings}
          onTarget={setTarget}
          onEdit={changes.edit}
        />
      )}
    </section>
  )
}
