import type { TicksFieldsFragment } from '../generated/graphql.ts'
import { type Tick, tickOf } from '../protocol/tick.ts'
import { createListeners } from '../shared/observable.ts'
import { createWatched } from './watched.ts'

/** Is a new object whenever a boundary rises. */
export type TicksState = { tickOf(seq: number): Tick }

export type Ticks = ReturnType<typeof createTicks>

/** Keeps the boundaries of the others, which only rise. The ticks of messages are computed from them. */
export function createTicks(userId: string) {
  const boundaries = new Map<string, Map<string, TicksFieldsFragment>>()
  const states = new Map<string, TicksState>()
  const changed = createListeners<[conversationId: string]>()
  const watched = createWatched()

  /** Raises all boundaries before it reports a change: with some of them missing, a conversation would look further than it is. */
  function raise(...all: readonly TicksFieldsFragment[]): void {
    for (const conversationId of new Set(all.filter(put).map((each) => each.conversationId))) changedIn(conversationId)
  }

  /** Sets the boundaries of a whole conversation. Members who are not among them have left, and no longer hold ticks back. */
  function know(conversationId: string, all: readonly TicksFieldsFragment[]): void {
    const members = boundaries.get(conversationId)
    const gone = of(conversationId).filter((each) => !all.some(({ userId: member }) => member === each.userId))
    for (const each of gone) members?.delete(each.userId)
    if (gone.length > 0) changedIn(conversationId)
    raise(...all)
  }

  function changedIn(conversationId: string): void {
    states.delete(conversationId)
    changed.emit(conversationId)
  }

  /** Returns whether a boundary rose. */
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
    // Streams bring boundaries one by one; the user's own comes with those of all members. Before that, a slower member may be missing.
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
    /** A watched conversation has a stream of its own, which begins with the current boundaries. */
    watched,
    reset(): void {
      boundaries.clear()
      states.clear()
    },
  }
}
