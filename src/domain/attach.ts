import { type ConversationId, isGroupId, type Seq, type UserId } from '../protocol/ids.ts'
import type { Member } from './access.ts'
import type { Beat } from './beat.ts'
import type { Hearing, Listen } from './hearing.ts'
import { createInbox, type Inbox, ofTypes } from './inbox.ts'
import type { Observer, Ports, Session } from './ports.ts'
import type { Pushes } from './push.ts'

// Attaching and detaching one stream.
//
// Attach: first the subscription, confirmed by Redis; then the session. Whoever rings after that is heard, and whoever
// rang before has stored the message before, so the catch-up that follows reads it.
//
// Detach: first the session, so that senders stop counting on this stream; then a flush, after which everything rung
// while they still did is in the inbox; then a pending row for whatever was heard and not acked. Only then may the
// mark stand that lets the next attach trust the pending index. A crash anywhere before it leaves no mark, and the next
// attach compares every conversation with the log.
//
// What was heard and not acked may have gone into a dead connection: nobody was pushed to, as the user counted as attached. So that
// is pushed now, unless the user has read it, or is still here by another session.
//
// Groups have no pending rows: every attach compares their counters with the boundaries, and looks into the next cell where a counter
// says there is nothing: it may be that of a replica that had not heard of it.

/** About a megabyte of ordinary messages; beyond that, the log is the better buffer. */
export const inboxLimitDefault = 256

export type Attachment = {
  inbox: Inbox
  hearing: Hearing
  /** Whether the pending index names every conversation with something undelivered. */
  indexComplete: boolean
  online(): Promise<void>
  /** `reached`: how far the stream got. `whole`: it has missed nothing up to there, in any conversation. */
  detach(outcome: { reached: [ConversationId, Seq][]; whole: boolean }): Promise<void>
}

type Needs = Pick<Ports, 'sessions' | 'boundaries' | 'pending' | 'clock'> & {
  listen: Listen
  beat: Beat
  pushes: Pushes
  randomId: () => string
  observer: Observer
  inboxLimit?: number
  /** A detach that fails harms nobody: the next attach looks everywhere. But somebody may want to know. */
  onDetachError: (error: unknown) => void
}

export type Attach = ReturnType<typeof createAttach>

export function createAttach(needs: Needs) {
  const {
    listen,
    sessions,
    boundaries,
    pending,
    clock,
    beat,
    pushes,
    randomId,
    onDetachError,
    observer,
    inboxLimit = inboxLimitDefault,
  } = needs

  return async function attach(userId: UserId, only?: Member): Promise<Attachment> {
    const conversationId = only?.conversation.id
    const session: Session = { userId, connectionId: randomId(), ...(conversationId && { conversationId }) }
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('messages'),
      accepts: ofTypes('message', 'change', 'group', 'seat'),
    })
    const hearing = await listen(userId, inbox.listener, only)
    try {
      const { indexComplete } = await sessions.attach(session)
      beat.keep(session, 'syncing')
      observer.attached()
      const unwatch = beat.watch(inbox)
      return {
        inbox,
        hearing,
        indexComplete,
        async online() {
          beat.keep(session, 'online')
          await sessions.renew([{ session, state: 'online' }])
        },
        async detach(outcome) {
          unwatch()
          beat.forget(session)
          observer.detached()
          try {
            await leave(session, hearing, inbox, outcome)
          } catch (error) {
            onDetachError(error)
          } finally {
            await hearing.close()
          }
        },
      }
    } catch (error) {
      await hearing.close()
      throw error
    }
  }

  async function leave(
    session: Session,
    hearing: Hearing,
    inbox: Inbox,
    { reached, whole }: { reached: [ConversationId, Seq][]; whole: boolean },
  ): Promise<void> {
    const { userId, conversationId } = session
    await sessions.leave(session)
    await hearing.flush()
    const untaken = inbox.untaken()
    const heard = new Map(reached)
    for (const event of untaken ?? []) {
      if (event.type !== 'message') continue
      if (conversationId && event.message.conversationId !== conversationId) continue
      heard.set(event.message.conversationId, Math.max(event.message.seq, heard.get(event.message.conversationId) ?? 0))
    }
    const ticks = conversationId
      ? await boundaries.getMany([{ userId, conversationId }])
      : await boundaries.ofUser(userId)
    const delivered = new Map(ticks.map((each) => [each.conversationId, each.lastDeliveredSeq]))
    await Promise.all(
      [...heard].map(([id, seq]) => {
        if (isGroupId(id)) return undefined
        const done = delivered.get(id) ?? 0
        return seq > done ? pending.lower(userId, id, done + 1) : undefined
      }),
    )
    pushes.missed(
      userId,
      [...heard].filter(([id, seq]) => seq > (delivered.get(id) ?? 0)),
    )
    // A stream of one conversation cannot vouch for the others.
    if (whole && untaken && !conversationId) await sessions.markIndexComplete(userId)
  }
}
