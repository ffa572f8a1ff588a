import type { Membership } from '../../ports/conversations.ts'
import type { ChatEvent } from '../../ports/events.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, MessageAddress, Seq, UserId } from '../../protocol/ids.ts'
import { type MemberBoundaries, risen } from '../../protocol/ticks.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Recount } from '../log/counters.ts'
import type { Log } from '../log/log.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createInbox, type Signal } from './inbox.ts'
import { noneWhileUnavailable } from './reading.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import { createStream } from './stream.ts'
import type { SubscribeUser } from './user-subscription.ts'

// The stream of a user's conversations as they change: a message or a change came, the user has read it on another device, or has changed
// a setting. The stream only says which conversation changed; its reader then reads the current state. So events that wait for the same
// reason are merged, and the last state always comes. Lost events are found by comparing counters, boundaries and settings.

const inboxLimit = 256

/** The state of a conversation when it was last shown. `counted`: it had a counter then. */
type Known = { seq: Seq; readSeq: Seq; settings: string; counted: boolean }

type Needs = Pick<Ports, 'memberships' | 'boundaries' | 'sequencer' | 'clock'> & {
  access: Access
  log: Log
  recount: Recount
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  observer: Observer
}

/** `member` is undefined where the conversation is gone for the user: they have left the group, or were removed from it. */
export type ConversationUpdate = { id: ConversationId; member: Member | undefined }

export function createFollowConversations(needs: Needs) {
  const { memberships, boundaries, sequencer, clock, access, log, recount, subscribeUser, resyncScheduler, observer } =
    needs

  return {
    /** Shows the conversations of the user that have changed. */
    followConversations: (userId: UserId) => follow(userId, ({ member }) => member),
    /** Shows the same, and those that are gone. */
    followConversationUpdates: (userId: UserId) => follow(userId, (update) => update),
  }

  /** `show` returns what the stream shows of an update, if anything. */
  async function follow<Shown>(
    userId: UserId,
    show: (update: ConversationUpdate) => Shown | undefined,
  ): Promise<AsyncIterableIterator<Shown>> {
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('conversations'),
      accepts: (event) => event.type !== 'typing' && (!isTicks(event) || ownTicks(event, userId) !== undefined),
      coalesce: coalesceFor(userId),
    })
    const subscription = await subscribeUser(userId, inbox)
    const shown = new Map<ConversationId, Known>()
    /** The conversations that this stream has seen the user in. */
    const own = new Set<ConversationId>()
    /** As long as there is this stamp, the memberships, settings and own boundaries are as they were at the last periodic resync. */
    let comparedUnder: string | undefined
    const knownOf = (id: ConversationId): Known => shown.get(id) ?? { seq: 0, readSeq: 0, settings: '', counted: false }

    try {
      const { rows, members } = await survey()
      for (const id of members) own.add(id)
      for (const { id, counter, ...rest } of rows) {
        shown.set(id, { ...rest, seq: counter ?? 0, counted: counter !== undefined })
      }
      // These rose after the subscription was confirmed and before the survey: the reader may not have seen them.
      for (const event of inbox.untaken() ?? []) {
        const own = ownTicks(event, userId)
        if (own) shown.set(own.conversationId, { ...knownOf(own.conversationId), readSeq: 0 })
      }
    } catch (error) {
      await subscription.close()
      throw error
    }
    inbox.comparedStream = {
      userId,
      ofTicks: true,
      compared: (stamp) => (stamp === comparedUnder ? [...shown.keys()] : undefined),
      hasReached: (id, counter) => isKnown(knownOf(id), counter),
    }
    resyncScheduler.add(inbox, userId)
    return createStream(inbox, { run }, async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    })

    async function* run(): AsyncGenerator<Shown> {
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        const ids = await changedBy(signal)
        const members = await retryWhileUnavailable(clock, () => access.find(userId, ids))
        for (const [i, id] of ids.entries()) {
          const update = updateOf(id, members[i])
          if (update !== undefined) yield update
        }
      }
    }

    function updateOf(id: ConversationId, member: Member | undefined): Shown | undefined {
      const wasTheirs = own.has(id)
      if (member) own.add(id)
      else {
        own.delete(id)
        // It was not shown. If the user gets access later, it must be.
        shown.delete(id)
      }
      return member || wasTheirs ? show({ id, member }) : undefined
    }

    async function changedBy(signal: Signal): Promise<ConversationId[]> {
      if (signal.type === 'resync') return retryWhileUnavailable(clock, moved)
      if (signal.type === 'periodicResync') return movedUnder(signal.stamp).catch(noneWhileUnavailable)
      return hear(signal)
    }

    function hear(event: Signal): ConversationId[] {
      if (event.type === 'conversation') return [event.conversationId]
      const ticks = ownTicks(event, userId)
      if (ticks) {
        const { conversationId, lastReadSeq } = ticks
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

    /** Reads the index, then subscribes to the groups in it, then reads the current state, so that no change goes unnoticed. */
    async function survey() {
      let index: readonly Membership[] = []
      const members = await subscription.refresh(async () => {
        index = await memberships.ofUser(userId)
        return access.among(userId, index)
      })
      const ids = index.map(({ conversationId }) => conversationId)
      const [counters, ownBoundaries] = await Promise.all([
        ids.length > 0 ? sequencer.counters(ids) : [],
        boundaries.ofUser(userId),
      ])
      const reads = new Map(ownBoundaries.map(({ conversationId, lastReadSeq }) => [conversationId, lastReadSeq]))
      const rows = index.map(({ conversationId: id, settings }, i) => ({
        id,
        counter: counters[i],
        readSeq: reads.get(id) ?? 0,
        settings: JSON.stringify(settings ?? null),
      }))
      return { rows, members: new Set(members.map(({ conversation }) => conversation.id)) }
    }

    async function movedUnder(stamp: string | undefined): Promise<ConversationId[]> {
      const ids = await moved()
      comparedUnder = stamp
      return ids
    }

    /** Returns the conversations that are no longer as they were last shown, and those that are gone. */
    async function moved(): Promise<ConversationId[]> {
      const { rows: now, members } = await survey()
      const seqs = await Promise.all(now.map(({ id, counter }) => lastSeq(id, counter)))
      // Redis has forgotten these counters since. They are seeded from the log, so that they show what comes from now on.
      const forgotten = now
        .filter(({ id, counter }) => counter === undefined && knownOf(id).counted)
        .map(({ id }) => id)
      if (forgotten.length > 0) await recount(forgotten)
      const changed = now.flatMap(({ id, counter, readSeq, settings }, i) => {
        const known = knownOf(id)
        const seq = Math.max(seqs[i] ?? 0, known.seq)
        const isSame = known.seq === seq && known.readSeq >= readSeq && known.settings === settings
        shown.set(id, { seq, readSeq: Math.max(readSeq, known.readSeq), settings, counted: counter !== undefined })
        return isSame || seq === 0 ? [] : [id]
      })
      return [...new Set([...[...own].filter((id) => !members.has(id)), ...changed])]
    }

    /**
     * Asks the log only where the counter is ahead of what was shown, as it may also be ahead of the log, and where the counter is gone. A
     * conversation that had no counter from the beginning gets one from the next sender.
     */
    async function lastSeq(id: ConversationId, counter: Seq | undefined): Promise<Seq> {
      const known = shown.get(id)
      return known && isKnown(known, counter) ? known.seq : log.lastSeq(id)
    }
  }
}

const isKnown = (known: Known, counter: Seq | undefined): boolean =>
  counter === undefined ? !known.counted : counter <= known.seq

function entryOf(event: Signal): MessageAddress | undefined {
  if (event.type === 'message') return event.message
  if (event.type === 'change' || event.type === 'group') return event.change
  return event.type === 'membership' ? event.membership : undefined
}

const isTicks = ({ type }: Signal): boolean => type === 'ticks' || type === 'groupTicks'

/** Returns the user's own boundaries, if the event tells of them. */
function ownTicks(event: Signal, userId: UserId): MemberBoundaries | undefined {
  if (event.type === 'groupTicks') return event.group.of(userId)
  return event.type === 'ticks' && event.ticks.userId === userId ? event.ticks : undefined
}

const coalesceFor = (userId: UserId) => ({
  keyOf(event: ChatEvent): string {
    if (event.type === 'conversation') return `settings ${event.conversationId}`
    const ticks = ownTicks(event, userId)
    return ticks ? `ticks ${ticks.conversationId}` : `entry ${entryOf(event)?.conversationId}`
  },
  merge(waiting: ChatEvent, newer: ChatEvent): ChatEvent {
    const [one, other] = [ownTicks(waiting, userId), ownTicks(newer, userId)]
    if (one && other) return { type: 'ticks', ticks: risen(one, other) }
    return (entryOf(waiting)?.seq ?? 0) > (entryOf(newer)?.seq ?? 0) ? waiting : newer
  },
})
