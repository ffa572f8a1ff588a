import type { MemberAddress } from '../../ports/delivery.ts'
import type { ChatEvent, MembershipEvent } from '../../ports/events.ts'
import type { LiveStream } from '../../ports/live-stream.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { GroupTicks } from '../../protocol/group-ticks.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import { type MemberBoundaries, risen } from '../../protocol/ticks.ts'
import { type Access, isIn, type Member, othersOf } from '../conversations/access.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createConcernedBy } from './concerned.ts'
import { createInbox } from './inbox.ts'
import { createMessageAuthors } from './message-authors.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import { createStream, type Reader } from './stream.ts'
import type { SubscribeUser } from './user-subscription.ts'

// The stream of other members' boundaries as they rise. For one conversation the current ones come first; they are read after the
// subscription is confirmed, so that no change falls in between. Lost events are found by reading the boundaries again: of the members of
// the user's conversations, and at a periodic resync only of those who have not read everything.
//
// In a large group, the stream of all conversations shows what concerns messages of its user, and no other rises: everybody who asks for this
// one conversation gets all of them. docs/protocol.md, "Ticks of large groups", says why.

const inboxLimit = 256

type Needs = Pick<Ports, 'boundaries' | 'messages' | 'sequencer' | 'tickStamps' | 'clock'> & {
  access: Access
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  observer: Observer
}

type Compared = {
  under: string | undefined
  counters: ReadonlyMap<ConversationId, Seq | undefined>
  groupTicks: ReadonlyMap<ConversationId, string>
}

export function createFollowTicks({
  boundaries,
  messages,
  sequencer,
  tickStamps,
  clock,
  access,
  subscribeUser,
  resyncScheduler,
  observer,
}: Needs) {
  const authors = createMessageAuthors({ messages })
  const concerning = createConcernedBy({ authors, clock })

  return async function followTicks(userId: UserId, only?: Member): Promise<LiveStream<MemberBoundaries>> {
    const isWatched = (id: ConversationId): boolean => !only || id === only.conversation.id
    function concerns(event: ChatEvent): boolean {
      if (event.type === 'ticks') return event.ticks.userId !== userId && isWatched(event.ticks.conversationId)
      if (event.type === 'groupTicks') return isWatched(event.group.conversationId) && mayConcern(event.group)
      if (event.type === 'membership') return isWatched(event.membership.conversationId)
      if (!only && event.type === 'message' && isGroupId(event.message.conversationId)) authors.heard(event.message)
      if (!only && event.type === 'change' && isGroupId(event.change.conversationId)) authors.heard(event.change)
      if (!only && event.type === 'group') authors.heard(event.change)
      return false
    }
    function mayConcern(group: GroupTicks): boolean {
      if (!only) large.add(group.conversationId)
      const ticks = toShow(group)
      return ticks instanceof Promise || ticks.length > 0
    }
    /** May hold the user's own, which are not shown. */
    const toShow = (group: GroupTicks): readonly MemberBoundaries[] | Promise<readonly MemberBoundaries[]> =>
      only ? group.ticks : concerning(group, userId)
    /** Groups whose ticks were told together. */
    const large = new Set<ConversationId>()
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('ticks'),
      accepts: concerns,
      coalesce,
    })
    const subscription = await subscribeUser(userId, inbox, only)
    /** What the last periodic resync was made by. As long as all of it is so, another one would find nothing. */
    let compared: Compared | undefined
    inbox.comparedStream = {
      userId,
      ofTicks: true,
      compared: (stamp) => (compared?.under === stamp ? [...compared.counters.keys()] : undefined),
      hasReached: (id, counter) => counter === compared?.counters.get(id),
      get groupTicks() {
        return compared?.groupTicks
      },
    }
    resyncScheduler.add(inbox, userId)
    const shown = new Map<ConversationId, Map<UserId, MemberBoundaries>>()
    const shownOf = (id: ConversationId): Map<UserId, MemberBoundaries> => {
      const known = shown.get(id) ?? new Map<UserId, MemberBoundaries>()
      shown.set(id, known)
      return known
    }

    async function* run(): AsyncGenerator<MemberBoundaries> {
      yield* rising(await retryWhileUnavailable(clock, current))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'ticks') yield* rising([signal.ticks])
        if (signal.type === 'groupTicks') yield* rising(await toShow(signal.group))
        if (signal.type === 'membership') await takeMembership(signal.membership)
        if (signal.type === 'resync') yield* rising(await retryWhileUnavailable(clock, current))
        if (signal.type === 'periodicResync')
          yield* rising(await retryWhileUnavailable(clock, () => currentWhereUnread(signal.stamp)))
      }
    }

    /** The event may be late and outdated, so the current membership is read. */
    async function takeMembership({ conversationId: id }: MembershipEvent): Promise<void> {
      if (only) return void (await retryWhileUnavailable(clock, () => subscription.refresh()))
      const [member] = await retryWhileUnavailable(clock, () => access.find(userId, [id]))
      await (member ? retryWhileUnavailable(clock, () => subscription.joinGroup(id)) : subscription.leaveGroup(id))
    }

    const current = async (): Promise<MemberBoundaries[]> => {
      const members = await subscription.refresh()
      return boundariesOf([...watched(members), ...(only ? [] : unshown(members))])
    }

    /**
     * Skips members who have read up to the counter: they cannot have got further. A counter that has fallen back to exactly there hides a
     * lost rise until the next message lifts it. The stream of all conversations also skips those of a large group who have read the latest
     * message of the user: what else they read is not shown.
     */
    async function currentWhereUnread(stamp: string | undefined): Promise<MemberBoundaries[]> {
      const members = await subscription.refresh()
      const groups = members.map(({ conversation }) => conversation.id).filter(isGroupId)
      const asked = watched(members)
      const ids = [...new Set(asked.map(({ conversationId }) => conversationId))]
      const [counters, stamps] = await Promise.all([
        ids.length > 0 ? sequencer.counters(ids) : [],
        stamp !== undefined && groups.length > 0 ? tickStamps.look(groups) : [],
      ])
      const lastSeqs = new Map(ids.map((id, i) => [id, counters[i]]))
      const found = await boundariesOf(
        asked.filter((address) => {
          const before = shown.get(address.conversationId)?.get(address.userId)
          if (!before) return true
          return (
            before.lastReadSeq < (lastToldSeq(address.conversationId) ?? before.lastReadSeq + 1) &&
            before.lastReadSeq !== lastSeqs.get(address.conversationId)
          )
        }),
      )
      compared = { under: stamp, counters: lastSeqs, groupTicks: new Map(groups.map((id, i) => [id, stamps[i] ?? ''])) }
      return found
    }

    /**
     * Returns the members whose boundaries are read again. Members who have left, and conversations that the user has left, are not among
     * them. What was shown of those is kept, as a late event must not show less.
     */
    function watched(members: readonly Member[]): readonly MemberAddress[] {
      if (!only) {
        const conversations = new Map(members.map(({ conversation }) => [conversation.id, conversation]))
        return [...shown].flatMap(([id, ofMembers]) => {
          const conversation = conversations.get(id)
          return conversation ? [...ofMembers.values()].filter((each) => isIn(each.userId, conversation)) : []
        })
      }
      return members.flatMap((member) =>
        othersOf(member).map((other) => ({ userId: other, conversationId: member.conversation.id })),
      )
    }

    /**
     * After a loss, members of large groups who were not shown may have passed a message of the user. Later events of theirs need not concern
     * the user, so they are read once.
     */
    const unshown = (members: readonly Member[]): MemberAddress[] =>
      members.flatMap((member) => {
        const { id } = member.conversation
        if (lastToldSeq(id) === undefined) return []
        return othersOf(member).flatMap((other) =>
          shown.get(id)?.has(other) ? [] : [{ userId: other, conversationId: id }],
        )
      })

    /** Returns where the user's latest message of a large group is, if the stream shows no more than what concerns it. */
    const lastToldSeq = (id: ConversationId): Seq | undefined =>
      !only && large.has(id) ? authors.latestOf(id, userId) : undefined

    const boundariesOf = async (asked: readonly MemberAddress[]): Promise<MemberBoundaries[]> =>
      asked.length > 0 ? boundaries.getMany(asked) : []

    function* rising(all: readonly MemberBoundaries[]): Generator<MemberBoundaries> {
      for (const each of all) {
        const now = risenBy(each)
        if (!now) continue
        shownOf(now.conversationId).set(now.userId, now)
        yield now
      }
    }

    /**
     * Returns the boundaries if they are higher than what was shown: the very object, where that is possible, so that streams share what is made
     * of it. Events that still wait when the user is out of the group are dropped.
     */
    function risenBy(given: MemberBoundaries): MemberBoundaries | undefined {
      if (given.userId === userId || access.isOut(userId, given.conversationId)) return undefined
      return higher(given, shown.get(given.conversationId)?.get(given.userId))
    }

    function tryPush(event: ChatEvent): boolean {
      if (event.type === 'groupTicks') return tryPushAll(event.group)
      return event.type === 'ticks' && tryPushOne(event.ticks)
    }

    function tryPushOne(ticks: MemberBoundaries): boolean {
      const now = risenBy(ticks)
      if (now && !reader.sink?.tryPush(now)) return false
      if (now) shownOf(now.conversationId).set(now.userId, now)
      return true
    }

    /** What is declined on the way waits with the rest, which is then no longer higher than what was shown. */
    function tryPushAll(group: GroupTicks): boolean {
      const all = toShow(group)
      if (all instanceof Promise) return false
      if (access.isOut(userId, group.conversationId)) return true
      return tryPushTogether(all) || all.every(tryPushOne)
    }

    /** Most streams show all of an event, but for what is the user's own. */
    function tryPushTogether(all: readonly MemberBoundaries[]): boolean {
      const [first] = all
      if (!first || !reader.sink?.tryPushAll) return false
      const before = shownOf(first.conversationId)
      let except = -1
      for (let i = 0; i < all.length; i += 1) {
        const each = all[i] as MemberBoundaries
        if (each.userId === userId) except = i
        else if (higher(each, before.get(each.userId)) !== each) return false
      }
      if (!reader.sink.tryPushAll(all, except)) return false
      for (const each of all) if (each.userId !== userId) before.set(each.userId, each)
      return true
    }

    const reader: Reader<MemberBoundaries> = { run, tryPush }
    return createStream(inbox, reader, async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    })
  }
}

/** Returns what is higher than before: `given` itself if it is as high in both. */
function higher(given: MemberBoundaries, before: MemberBoundaries | undefined): MemberBoundaries | undefined {
  if (!before) return given
  const [delivered, read] = [given.lastDeliveredSeq - before.lastDeliveredSeq, given.lastReadSeq - before.lastReadSeq]
  if (delivered <= 0 && read <= 0) return undefined
  return delivered >= 0 && read >= 0 ? given : risen(before, given)
}

const keyOf = ({ conversationId, userId }: MemberAddress): string => `${conversationId} ${userId}`

/**
 * When many members ack at once, only the latest boundaries of each member wait, not every step. Rises of a group wait as the event that all
 * streams of the node share.
 */
export const coalesce = {
  keyOf(event: ChatEvent): unknown {
    if (event.type === 'groupTicks') return event.group
    if (event.type === 'ticks') return `ticks ${keyOf(event.ticks)}`
    return event.type === 'membership' ? `membership ${event.membership.conversationId}` : event.type
  },
  merge: (waiting: ChatEvent, newer: ChatEvent): ChatEvent =>
    waiting.type === 'ticks' && newer.type === 'ticks'
      ? { type: 'ticks', ticks: risen(waiting.ticks, newer.ticks) }
      : newer,
}
