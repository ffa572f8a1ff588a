import { useEffect, useRef, useState } from 'react'
import { type MessageFieldsFragment, type MessagesQuery, useMessagesQuery } from '../../generated/urql.ts'
import { Empty, Loaded } from '../../parts/trouble.tsx'
import { hrefOf, type Route } from '../../route.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { JumpForm } from './jump-form.tsx'
import { MessageRow } from './message-row.tsx'
import styles from './messages.module.css'
import { type Place, pageAt, placeOf } from './place.ts'
import { SystemMessageForm } from './system-message-form.tsx'
import { useScrollTo } from './use-scroll-to.ts'

/** The page is read anew whenever `refreshes` grows. */
type Props = { conversationId: string; lastSeq: number; at: Readonly<Record<string, string>>; refreshes: number }

/** Shows one page of a log, oldest first, as its members see it. The address says which. */
export function Messages({ conversationId, lastSeq, at, refreshes }: Props) {
  const place = placeOf(at)
  const [page, ask] = useMessagesQuery({ variables: { conversationId, ...pageAt(place) } })
  useEffect(() => {
    if (refreshes > 0) ask({ requestPolicy: 'network-only' })
  }, [refreshes, ask])
  return (
    <section className={styles.messages} aria-label="Messages">
      <JumpForm conversationId={conversationId} lastSeq={lastSeq} />
      <Loaded of={page} onRetry={() => ask({ requestPolicy: 'network-only' })}>
        {({ messages }) => (
          <Log key={JSON.stringify(place)} conversationId={conversationId} place={place} messages={messages} />
        )}
      </Loaded>
      <SystemMessageForm conversationId={conversationId} />
    </section>
  )
}

type LogProps = { conversationId: string; place: Place; messages: MessagesQuery['messages'] }

function Log({ conversationId, place, messages: { edges, pageInfo } }: LogProps) {
  const list = useRef<HTMLDivElement>(null)
  const [deleted, setDeleted] = useState<MessageFieldsFragment>()
  useScrollTo(list, place)
  const to = (at: Route['at']) => hrefOf({ view: 'conversations', id: conversationId, ...(at && { at }) })
  const { endCursor, startCursor, hasNextPage, hasPreviousPage } = pageInfo
  if (edges.length === 0) return <Empty>There is no message here.</Empty>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard.
    <div ref={list} className={styles.log} role="log" aria-label="Messages" tabIndex={0}>
      {hasNextPage && endCursor && (
        <a className="quiet-button" href={to({ after: endCursor })}>
          Older messages
        </a>
      )}
      <ol>
        {edges.toReversed().map(({ node }) => (
          <MessageRow
            key={node.id}
            message={node}
            href={to({ seq: String(node.seq) })}
            isTarget={place !== 'end' && 'seq' in place && place.seq === node.seq}
            onDelete={() => setDeleted(node)}
          />
        ))}
      </ol>
      {hasPreviousPage && startCursor && (
        <p className={styles.forward}>
          <a className="quiet-button" href={to({ before: startCursor })}>
            Newer messages
          </a>
          <a className="quiet-button" href={to(undefined)}>
            Newest messages
          </a>
        </p>
      )}
      {deleted && (
        <DeleteDialog conversationId={conversationId} message={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </div>
  )
}
