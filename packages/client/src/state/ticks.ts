import { type Tick, tickOf } from '../../protocol/ticks.ts'
import type { TicksFieldsFragment } from '../generated/graphql.ts'
import { createListeners } from '../shared/observable.ts'
import { createWatched } from './watched.ts'

/** A new object whenever a boundary rises. */
export type TicksState = { tickOf(seq: number): Tick }

export type Ticks = ReturnType<typeof createTicks>

/** How far the others have got, from boundaries that only rise; the ticks of messages follow from them. */
export function createTicks(userId: string) {
  const boundaries = new Map<string, Map<string, TicksFieldsFragment>>()
  const states = new Map<string, TicksState>()
  const changed = createListeners<[conversationId: string]>()
  const watched = createWatched()

  /** Together, where more than one is known: a conversation of which only some are in would look further than it is. */
  function raise(...all: readonly TicksFieldsFragment[]): void {
    for (const conversationId of new Set(all.filter(put).map((each) => each.conversationId))) changedIn(conversationId)
  }

  /** Those of a whole conversation, as the server shows it: whoever is not among them has left, and nobody waits for them. */
  function know(conversationId: string, all: readonly TicksFieldsFragment[]): void {
    const members = boundaries.get(conversationId)
    const gone = of(conversationId).filter((each) => !all.some(({ userId: member }) => member === each.userId))
    for (const each of gone) members?.delete(each.userId)
    if (gone.length > 0) changedIn(conversationId)
    raise(...all)
  }

  function changedIn(conversationId: string): void {
    states.delete(conversationId)
    changed.tell(conversationId)
  }

  /** Whether it rose. */
  function put(ticks: TicksFieldsFragment): boolean {
    const { conversationId, userId: member, lastDeliveredSeq, lastReadSeq } = ticks
    const members = boundaries.get(conversationId) ?? new Map<string, TicksFieldsFragment>()
    const known = members.get(member)
    if (known && known.lastDeliveredSeq >= lastDeliveredSeq && known.lastReadSeq >= lastReadSeq) return false
    members.set(member, {
      ...ticks,
      lastDeliveredSeq: Math.max(lastDeliveredSeq, known?.lastDeliveredSeq ?? 0),
      lastReadSeq: Math.max(lastReadSeq, known?.lastReadSeq ?? 0),
    })
    boundaries.set(conversationId, members)
    return true
  }

  const of = (conversationId: string): TicksFieldsFragment[] => [...(boundaries.get(conversationId)?.values() ?? [])]

  function stateOf(conversationId: string): TicksState {
    const all = of(conversationId)
    const others = all.filter((each) => each.userId !== userId)
    // Streams bring the others one by one; the user's own comes with all of them. Before that, somebody may be slower.
    const isWhole = others.length < all.length
    const state = states.get(conversationId) ?? {
      tickOf: (seq: number): Tick => (isWhole ? tickOf(seq, others) : 'SENT'),
    }
    states.set(conversationId, state)
    return state
  }

  return {
    raise,
    know,
    of,
    stateOf,
    onChange: changed.add,
    /** While somebody looks, the conversation has a stream of its own, which begins with the current boundaries. */
    watched,
    reset(): void {
      boundaries.clear()
      states.clear()
    },
  }
}
