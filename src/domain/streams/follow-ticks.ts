import type { MemberAddress } from '../../ports/delivery.ts'
import type { ChatEvent, MembershipEvent } from '../../ports/events.ts'
import type { LiveStream } from '../../ports/live-stream.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import { type MemberBoundaries, risen } from '../../protocol/ticks.ts'
import { type Access, isIn, type Member, othersOf } from '../conversations/access.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createInbox } from './inbox.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import { createStream, type Reader } from './stream.ts'
import type { SubscribeUser } from './user-subscription.ts'

// The stream of other members' boundaries as they rise. For one conversation the current ones come first; they are read after the
// subscription is confirmed, so that no change falls in between. Lost events are found by reading the boundaries again: of the members of
// the user's conversations, and at a periodic resync only of those who have not read everything.

const inboxLimit = 256

type Needs = Pick<Ports, 'boundaries' | 'sequencer' | 'clock'> & {
  access: Access
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  observer: Observer
}

export function createFollowTicks({
  boundaries,
  sequencer,
  clock,
  access,
  subscribeUser,
  resyncScheduler,
  observer,
}: Needs) {
  return async function followTicks(userId: UserId, only?: Member): Promise<LiveStream<MemberBoundaries>> {
    const isWatched = (id: ConversationId): boolean => !only || id === only.conversation.id
    const concerns = (event: ChatEvent): boolean => {
      if (event.type === 'membership') return isWatched(event.membership.conversationId)
      return event.type === 'ticks' && event.ticks.userId !== userId && isWatched(event.ticks.conversationId)
    }
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('ticks'),
      accepts: concerns,
      coalesce,
    })
    const subscription = await subscribeUser(userId, inbox, only)
    resyncScheduler.add(inbox, userId)
    const shown = new Map<string, MemberBoundaries>()

    async function* run(): AsyncGenerator<MemberBoundaries> {
      yield* rising(await retryWhileUnavailable(clock, current))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'ticks') yield* rising([signal.ticks])
        if (signal.type === 'membership') await takeMembership(signal.membership)
        if (signal.type === 'resync') yield* rising(await retryWhileUnavailable(clock, current))
        if (signal.type === 'periodicResync') yield* rising(await retryWhileUnavailable(clock, currentWhereUnread))
      }
    }

    /** The event may be late and outdated, so the current membership is read. */
    async function takeMembership({ conversationId: id }: MembershipEvent): Promise<void> {
      if (only) return void (await retryWhileUnavailable(clock, () => subscription.refresh()))
      const [member] = await retryWhileUnavailable(clock, () => access.find(userId, [id]))
      await (member ? retryWhileUnavailable(clock, () => subscription.joinGroup(id)) : subscription.leaveGroup(id))
    }

    const current = async (): Promise<MemberBoundaries[]> => boundariesOf(watched(await subscription.refresh()))

    /**
     * Skips members who have read up to the counter: they cannot have got further. A counter that has fallen back to exactly there hides a
     * lost rise until the next message lifts it.
     */
    async function currentWhereUnread(): Promise<MemberBoundaries[]> {
      const asked = watched(await subscription.refresh())
      const ids = [...new Set(asked.map(({ conversationId }) => conversationId))]
      const counters = ids.length > 0 ? await sequencer.counters(ids) : []
      const lastSeqs = new Map(ids.map((id, i) => [id, counters[i]]))
      return boundariesOf(
        asked.filter((address) => {
          const before = shown.get(keyOf(address))
          return !before || before.lastReadSeq !== lastSeqs.get(address.conversationId)
        }),
      )
    }

    /**
     * Returns the members whose boundaries are read again. Members who have left, and conversations that the user has left, are not among
     * them. What was shown of those is kept, as a late event must not show less.
     */
    function watched(members: readonly Member[]): readonly MemberAddress[] {
      if (!only) {
        const conversations = new Map(members.map(({ conversation }) => [conversation.id, conversation]))
        return [...shown.values()].filter(({ conversationId, userId: other }) => {
          const conversation = conversations.get(conversationId)
          return conversation !== undefined && isIn(other, conversation)
        })
      }
      return members.flatMap((member) =>
        othersOf(member).map((other) => ({ userId: other, conversationId: member.conversation.id })),
      )
    }

    const boundariesOf = async (asked: readonly MemberAddress[]): Promise<MemberBoundaries[]> =>
      asked.length > 0 ? boundaries.getMany(asked) : []

    function* rising(all: readonly MemberBoundaries[]): Generator<MemberBoundaries> {
      for (const each of all) {
        const now = risenBy(each)
        if (!now) continue
        shown.set(keyOf(now), now)
        yield now
      }
    }

    /** Returns the boundaries if they are higher than what was shown. Events that still wait when the user is out of the group are dropped. */
    function risenBy(given: MemberBoundaries): MemberBoundaries | undefined {
      if (access.isOut(userId, given.conversationId)) return undefined
      const before = shown.get(keyOf(given))
      if (!before) return given
      const rises = given.lastDeliveredSeq > before.lastDeliveredSeq || given.lastReadSeq > before.lastReadSeq
      return rises ? risen(before, given) : undefined
    }

    function tryPush(event: ChatEvent): boolean {
      if (event.type !== 'ticks') return false
      const now = risenBy(event.ticks)
      if (now && !reader.sink?.tryPush(now)) return false
      if (now) shown.set(keyOf(now), now)
      return true
    }

    const reader: Reader<MemberBoundaries> = { run, tryPush }
    return createStream(inbox, reader, async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    })
  }
}

const keyOf = ({ conversationId, userId }: MemberAddress): string => `${conversationId} ${userId}`

/** When many members ack at once, only the latest boundaries of each member wait, not every step. */
export const coalesce = {
  keyOf(event: ChatEvent): string {
    if (event.type === 'ticks') return `ticks ${keyOf(event.ticks)}`
    return event.type === 'membership' ? `membership ${event.membership.conversationId}` : event.type
  },
  merge: (waiting: ChatEvent, newer: ChatEvent): ChatEvent =>
    waiting.type === 'ticks' && newer.type === 'ticks'
      ? { type: 'ticks', ticks: risen(waiting.ticks, newer.ticks) }
      : newer,
}
