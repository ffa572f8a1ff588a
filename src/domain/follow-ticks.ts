import type { UserId } from '../protocol/ids.ts'
import { risen, type Ticks } from '../protocol/ticks.ts'
import { type Member, othersOf } from './access.ts'
import type { Beat } from './beat.ts'
import { createInbox } from './inbox.ts'
import { persist } from './persist.ts'
import type { ChatEvent, MemberAddress, Ports } from './ports.ts'
import { createStream } from './stream.ts'

// The boundaries of other members as they rise. For one conversation the current ones come first, read after the
// subscription stands, so that no change falls in between. A lost event is made up for by reading the boundaries again.

const inboxLimit = 256

type Needs = Pick<Ports, 'events' | 'boundaries' | 'clock'> & { beat: Beat }

export function createFollowTicks({ events, boundaries, clock, beat }: Needs) {
  return async function followTicks(userId: UserId, only?: Member): Promise<AsyncIterableIterator<Ticks>> {
    const concerns = (ticks: Ticks) =>
      ticks.userId !== userId && (!only || ticks.conversationId === only.conversation.id)
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      accepts: (event) => event.type === 'ticks' && concerns(event.ticks),
      coalesce,
    })
    const subscription = await events.subscribe(userId, inbox.listener)
    const unwatch = beat.watch(inbox)
    const shown = new Map<string, Ticks>()
    const watched: MemberAddress[] = only
      ? othersOf(only).map((other) => ({ userId: other, conversationId: only.conversation.id }))
      : []

    async function* run(): AsyncGenerator<Ticks> {
      yield* rising(await persist(clock, () => boundaries.getMany(watched)))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'ticks') yield* rising([signal.ticks])
        if (signal.type === 'resync' || signal.type === 'recheck') yield* rising(await current())
      }
    }

    const current = () => persist(clock, () => boundaries.getMany(only ? watched : [...shown.values()]))

    function* rising(all: readonly Ticks[]): Generator<Ticks> {
      for (const ticks of all) {
        const key = keyOf(ticks)
        const before = shown.get(key)
        const rises =
          !before || ticks.lastDeliveredSeq > before.lastDeliveredSeq || ticks.lastReadSeq > before.lastReadSeq
        if (!rises) continue
        const now = before ? risen(before, ticks) : ticks
        shown.set(key, now)
        yield now
      }
    }

    return createStream(inbox, run(), async () => {
      unwatch()
      await subscription.close()
    })
  }
}

const keyOf = ({ conversationId, userId }: Ticks): string => `${conversationId} ${userId}`

/** When a crowd acks at once, what waits for a member is where they are, not how they got there. */
export const coalesce = {
  keyOf: (event: ChatEvent): string => `${event.type} ${event.type === 'ticks' ? keyOf(event.ticks) : ''}`,
  merge: (waiting: ChatEvent, newer: ChatEvent): ChatEvent =>
    waiting.type === 'ticks' && newer.type === 'ticks'
      ? { type: 'ticks', ticks: risen(waiting.ticks, newer.ticks) }
      : newer,
}
