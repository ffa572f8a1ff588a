import type { MemberAddress } from '../../ports/delivery.ts'
import type { ChatEvent, SeatNews } from '../../ports/events.ts'
import type { LiveStream } from '../../ports/live-stream.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import { risen, type Ticks } from '../../protocol/ticks.ts'
import { type Access, isIn, type Member, othersOf } from '../conversations/access.ts'
import { persist } from '../persist.ts'
import type { Beat } from './beat.ts'
import type { Listen } from './hearing.ts'
import { createInbox } from './inbox.ts'
import { createStream, type Reader } from './stream.ts'

// The boundaries of other members as they rise. For one conversation the current ones come first, read after the
// subscription stands, so that no change falls in between. A lost event is made up for by reading the boundaries again: of those who
// are in a conversation that the user is in, and at a beat only of those who have not read all there is.

const inboxLimit = 256

type Needs = Pick<Ports, 'boundaries' | 'sequencer' | 'clock'> & {
  access: Access
  listen: Listen
  beat: Beat
  observer: Observer
}

export function createFollowTicks({ boundaries, sequencer, clock, access, listen, beat, observer }: Needs) {
  return async function followTicks(userId: UserId, only?: Member): Promise<LiveStream<Ticks>> {
    const isWatched = (id: ConversationId): boolean => !only || id === only.conversation.id
    const concerns = (event: ChatEvent): boolean => {
      if (event.type === 'seat') return isWatched(event.seat.conversationId)
      return event.type === 'ticks' && event.ticks.userId !== userId && isWatched(event.ticks.conversationId)
    }
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('ticks'),
      accepts: concerns,
      coalesce,
    })
    const hearing = await listen(userId, inbox, only)
    beat.watch(inbox, userId)
    const shown = new Map<string, Ticks>()

    async function* run(): AsyncGenerator<Ticks> {
      yield* rising(await persist(clock, current))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'ticks') yield* rising([signal.ticks])
        if (signal.type === 'seat') await takeSeat(signal.seat)
        if (signal.type === 'resync') yield* rising(await persist(clock, current))
        if (signal.type === 'recheck') yield* rising(await persist(clock, currentWhereUnread))
      }
    }

    /** The news may be late, and another have overtaken it. */
    async function takeSeat({ conversationId: id }: SeatNews): Promise<void> {
      if (only) return void (await persist(clock, () => hearing.refresh()))
      const [member] = await persist(clock, () => access.find(userId, [id]))
      await (member ? persist(clock, () => hearing.join(id)) : hearing.part(id))
    }

    const current = async (): Promise<Ticks[]> => boundariesOf(watched(await hearing.refresh()))

    /**
     * Whoever has read up to the counter can have got no further. A counter that has fallen back to just there hides a lost rise until
     * the next message lifts it.
     */
    async function currentWhereUnread(): Promise<Ticks[]> {
      const asked = watched(await hearing.refresh())
      const ids = [...new Set(asked.map(({ conversationId }) => conversationId))]
      const counters = ids.length > 0 ? await sequencer.heads(ids) : []
      const lastSeqs = new Map(ids.map((id, i) => [id, counters[i]]))
      return boundariesOf(
        asked.filter((address) => {
          const before = shown.get(keyOf(address))
          return !before || before.lastReadSeq !== lastSeqs.get(address.conversationId)
        }),
      )
    }

    /**
     * Whose boundaries are made sure of: not those of people who have left, nor of what the user has left. What was shown of them stays
     * known, for an event that comes late must not show less.
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

    const boundariesOf = async (asked: readonly MemberAddress[]): Promise<Ticks[]> =>
      asked.length > 0 ? boundaries.getMany(asked) : []

    function* rising(all: readonly Ticks[]): Generator<Ticks> {
      for (const ticks of all) {
        const now = risenBy(ticks)
        if (!now) continue
        shown.set(keyOf(now), now)
        yield now
      }
    }

    /** What they are now, if that is news. What still waits when the user is out of the group is none. */
    function risenBy(ticks: Ticks): Ticks | undefined {
      if (access.isOut(userId, ticks.conversationId)) return undefined
      const before = shown.get(keyOf(ticks))
      if (!before) return ticks
      const rises = ticks.lastDeliveredSeq > before.lastDeliveredSeq || ticks.lastReadSeq > before.lastReadSeq
      return rises ? risen(before, ticks) : undefined
    }

    function takeAtOnce(event: ChatEvent): boolean {
      if (event.type !== 'ticks') return false
      const now = risenBy(event.ticks)
      if (now && !reader.sink?.tryPush(now)) return false
      if (now) shown.set(keyOf(now), now)
      return true
    }

    const reader: Reader<Ticks> = { run, takeAtOnce }
    return createStream(inbox, reader, async () => {
      beat.unwatch(inbox)
      await hearing.close()
    })
  }
}

const keyOf = ({ conversationId, userId }: MemberAddress): string => `${conversationId} ${userId}`

/** When a crowd acks at once, what waits for a member is where they are, not how they got there. */
export const coalesce = {
  keyOf(event: ChatEvent): string {
    if (event.type === 'ticks') return `ticks ${keyOf(event.ticks)}`
    return event.type === 'seat' ? `seat ${event.seat.conversationId}` : event.type
  },
  merge: (waiting: ChatEvent, newer: ChatEvent): ChatEvent =>
    waiting.type === 'ticks' && newer.type === 'ticks'
      ? { type: 'ticks', ticks: risen(waiting.ticks, newer.ticks) }
      : newer,
}
