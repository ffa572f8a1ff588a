import type { Membership } from '../../ports/conversations.ts'
import type { ChatEvent } from '../../ports/events.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, MessageAddress, Seq, UserId } from '../../protocol/ids.ts'
import { risen } from '../../protocol/ticks.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Recount } from '../log/counters.ts'
import type { Log } from '../log/log.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createInbox, type Signal } from './inbox.ts'
import { noneWhileUnavailable } from './reading.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import { createStream } from './stream.ts'
import type { SubscribeUser } from './user-subscription.ts'

// A user's conversations as they change: something was said or changed in one, the user has read it on another device, or has
// set something. What is shown is only which; whoever shows it reads how it is now. So events that wait for the same reason are one,
// and the last state always comes. A lost event is made up for by comparing counters, boundaries and settings.

const inboxLimit = 256

/** What a conversation was like when it was last shown. `counted`: it had a counter then. */
type Known = { seq: Seq; readSeq: Seq; settings: string; counted: boolean }

type Needs = Pick<Ports, 'memberships' | 'boundaries' | 'sequencer' | 'clock'> & {
  access: Access
  log: Log
  recount: Recount
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  observer: Observer
}

export function createFollowConversations(needs: Needs) {
  const { memberships, boundaries, sequencer, clock, access, log, recount, subscribeUser, resyncScheduler, observer } =
    needs

  return async function followConversations(userId: UserId): Promise<AsyncIterableIterator<Member>> {
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('conversations'),
      accepts: (event) => event.type !== 'typing' && (event.type !== 'ticks' || event.ticks.userId === userId),
      coalesce,
    })
    const subscription = await subscribeUser(userId, inbox)
    const shown = new Map<ConversationId, Known>()
    const knownOf = (id: ConversationId): Known => shown.get(id) ?? { seq: 0, readSeq: 0, settings: '', counted: false }

    try {
      for (const { id, head, ...rest } of await survey()) {
        shown.set(id, { ...rest, seq: head ?? 0, counted: head !== undefined })
      }
      // Read after the subscription stood and before it was looked up: the reader need not have seen that.
      for (const event of inbox.untaken() ?? []) {
        if (event.type === 'ticks')
          shown.set(event.ticks.conversationId, { ...knownOf(event.ticks.conversationId), readSeq: 0 })
      }
    } catch (error) {
      await subscription.close()
      throw error
    }
    resyncScheduler.add(inbox, userId)
    return createStream(inbox, { run }, async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    })

    async function* run(): AsyncGenerator<Member> {
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        const ids = await changedBy(signal)
        const members = await retryWhileUnavailable(clock, () => access.find(userId, ids))
        for (const [i, id] of ids.entries()) {
          const member = members[i]
          if (member) yield member
          // It was not shown: should it be theirs later, that is news.
          else shown.delete(id)
        }
      }
    }

    async function changedBy(signal: Signal): Promise<ConversationId[]> {
      if (signal.type === 'resync') return retryWhileUnavailable(clock, moved)
      if (signal.type === 'periodicResync') return moved().catch(noneWhileUnavailable)
      return hear(signal)
    }

    function hear(event: Signal): ConversationId[] {
      if (event.type === 'conversation') return [event.conversationId]
      if (event.type === 'ticks') {
        const { conversationId, lastReadSeq } = event.ticks
        const known = knownOf(conversationId)
        if (lastReadSeq <= known.readSeq) return []
        shown.set(conversationId, { ...known, readSeq: lastReadSeq })
        return [conversationId]
      }
      const entry = entryOf(event)
      if (!entry) return []
      const known = knownOf(entry.conversationId)
      shown.set(entry.conversationId, { ...known, seq: Math.max(known.seq, entry.seq) })
      return [entry.conversationId]
    }

    /** Reads the index first, then subscribes to the groups in it, then reads how all stands: nothing can change unnoticed in between. */
    async function survey() {
      let own: readonly Membership[] = []
      await subscription.refresh(async () => {
        own = await memberships.ofUser(userId)
        return access.among(userId, own)
      })
      const ids = own.map(({ conversationId }) => conversationId)
      const [heads, ticks] = await Promise.all([ids.length > 0 ? sequencer.heads(ids) : [], boundaries.ofUser(userId)])
      const reads = new Map(ticks.map(({ conversationId, lastReadSeq }) => [conversationId, lastReadSeq]))
      return own.map(({ conversationId: id, settings }, i) => ({
        id,
        head: heads[i],
        readSeq: reads.get(id) ?? 0,
        settings: JSON.stringify(settings ?? null),
      }))
    }

    /** What is no longer as it was last shown. */
    async function moved(): Promise<ConversationId[]> {
      const now = await survey()
      const seqs = await Promise.all(now.map(({ id, head }) => lastSeq(id, head)))
      // Redis has forgotten it since: seeded from the log, it tells of whatever comes from now on.
      const forgotten = now.filter(({ id, head }) => head === undefined && knownOf(id).counted).map(({ id }) => id)
      if (forgotten.length > 0) await recount(forgotten)
      return now.flatMap(({ id, head, readSeq, settings }, i) => {
        const known = knownOf(id)
        const seq = Math.max(seqs[i] ?? 0, known.seq)
        const isSame = known.seq === seq && known.readSeq >= readSeq && known.settings === settings
        shown.set(id, { seq, readSeq: Math.max(readSeq, known.readSeq), settings, counted: head !== undefined })
        return isSame || seq === 0 ? [] : [id]
      })
    }

    /**
     * The log is asked only where the counter is ahead of what was shown, for it may also be ahead of the log; and where there
     * is none any more. One that had none from the beginning gets it from whoever sends.
     */
    async function lastSeq(id: ConversationId, head: Seq | undefined): Promise<Seq> {
      const known = shown.get(id)
      const isKnown = known && (head === undefined ? !known.counted : head <= known.seq)
      return isKnown ? known.seq : log.lastSeq(id)
    }
  }
}

function entryOf(event: Signal): MessageAddress | undefined {
  if (event.type === 'message') return event.message
  if (event.type === 'change' || event.type === 'group') return event.change
  return event.type === 'membership' ? event.membership : undefined
}

const coalesce = {
  keyOf(event: ChatEvent): string {
    if (event.type === 'conversation') return `settings ${event.conversationId}`
    if (event.type === 'ticks') return `ticks ${event.ticks.conversationId}`
    return `entry ${entryOf(event)?.conversationId}`
  },
  merge(waiting: ChatEvent, newer: ChatEvent): ChatEvent {
    if (waiting.type === 'ticks' && newer.type === 'ticks') {
      return { type: 'ticks', ticks: risen(waiting.ticks, newer.ticks) }
    }
    return (entryOf(waiting)?.seq ?? 0) > (entryOf(newer)?.seq ?? 0) ? waiting : newer
  },
}
