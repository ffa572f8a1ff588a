import type { MemberAddress } from '../ports/delivery.ts'
import type { ChatEvent, SeatNews } from '../ports/events.ts'
import type { Observer } from '../ports/observer.ts'
import type { Ports } from '../ports/ports.ts'
import { notFound } from '../protocol/errors.ts'
import type { UserId } from '../protocol/ids.ts'
import { risen, type Ticks } from '../protocol/ticks.ts'
import { type Access, type Member, othersOf } from './access.ts'
import type { Beat } from './beat.ts'
import type { Listen } from './hearing.ts'
import { createInbox } from './inbox.ts'
import { persist } from './persist.ts'
import { createStream, type LiveStream, type Reader } from './stream.ts'

// The boundaries of other members as they rise. For one conversation the current ones come first, read after the
// subscription stands, so that no change falls in between. A lost event is made up for by reading the boundaries again.

const inboxLimit = 256

type Needs = Pick<Ports, 'boundaries' | 'clock'> & { access: Access; listen: Listen; beat: Beat; observer: Observer }

export function createFollowTicks({ boundaries, clock, access, listen, beat, observer }: Needs) {
  return async function followTicks(userId: UserId, only?: Member): Promise<LiveStream<Ticks>> {
    const concerns = (event: ChatEvent): boolean => {
      if (event.type === 'seat') return true
      if (event.type !== 'ticks' || event.ticks.userId === userId) return false
      return !only || event.ticks.conversationId === only.conversation.id
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
    const watched = (): MemberAddress[] => {
      const member = only && (access.recall(userId, only.conversation.id) ?? only)
      return member ? othersOf(member).map((other) => ({ userId: other, conversationId: member.conversation.id })) : []
    }

    async function* run(): AsyncGenerator<Ticks> {
      await persist(clock, () => hearing.refresh())
      yield* rising(await persist(clock, () => boundaries.getMany(watched())))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'ticks') yield* rising([signal.ticks])
        if (signal.type === 'seat') await takeSeat(signal.seat)
        if (signal.type === 'resync' || signal.type === 'recheck') {
          await persist(clock, () => hearing.refresh())
          yield* rising(await current())
        }
      }
    }

    /** The news may be late, and another have overtaken it. */
    async function takeSeat({ conversationId: id }: SeatNews): Promise<void> {
      const [member] = await persist(clock, () => access.find(userId, [id]))
      if (member) return persist(clock, () => hearing.join(id))
      if (only?.conversation.id === id) throw notFound()
      await hearing.part(id)
    }

    const current = () => persist(clock, () => boundaries.getMany(only ? watched() : [...shown.values()]))

    function* rising(all: readonly Ticks[]): Generator<Ticks> {
      for (const ticks of all) {
        const now = risenBy(ticks)
        if (!now) continue
        shown.set(keyOf(now), now)
        yield now
      }
    }

    /** What they are now, if that is news. */
    function risenBy(ticks: Ticks): Ticks | undefined {
      const before = shown.get(keyOf(ticks))
      if (!before) return ticks
      const rises = ticks.lastDeliveredSeq > before.lastDeliveredSeq || ticks.lastReadSeq > before.lastReadSeq
      return rises ? risen(before, ticks) : undefined
    }

    function takeAtOnce(event: ChatEvent): boolean {
      if (event.type !== 'ticks') return false
      const now = risenBy(event.ticks)
      if (now && !reader.taker?.takeNow(now)) return false
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

const keyOf = ({ conversationId, userId }: Ticks): string => `${conversationId} ${userId}`

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
