import type { ConversationId, UserId } from './ids.ts'
import { type Boundaries, type MemberBoundaries, risen } from './ticks.ts'

/** How far a member is now, and how far they were before. Without `before`, the rise is told again, and may have been told already. */
export type Rise = { readonly ticks: MemberBoundaries; readonly before?: Boundaries }

/** Rises of several members of one group, told together. Each member is among them once. */
export class GroupTicks {
  readonly conversationId: ConversationId
  readonly rises: readonly Rise[]
  /** The boundaries alone, in the same order. All streams of a node get these very objects, so that they share what is made of them. */
  readonly ticks: readonly MemberBoundaries[]
  #indexes: ReadonlyMap<UserId, number> | undefined

  constructor(conversationId: ConversationId, rises: readonly Rise[]) {
    this.conversationId = conversationId
    this.rises = rises
    this.ticks = rises.map(({ ticks }) => ticks)
  }

  /** Returns -1 if the member is not among them. */
  indexOf(userId: UserId): number {
    this.#indexes ??= new Map(this.ticks.map((each, i) => [each.userId, i]))
    return this.#indexes.get(userId) ?? -1
  }

  of(userId: UserId): MemberBoundaries | undefined {
    return this.ticks[this.indexOf(userId)]
  }
}

/** Joins two rises of one member into one. */
export function joinedRise(one: Rise, other: Rise): Rise {
  const ticks = risen(one.ticks, other.ticks)
  if (!one.before || !other.before) return { ticks }
  const before = {
    lastDeliveredSeq: Math.min(one.before.lastDeliveredSeq, other.before.lastDeliveredSeq),
    lastReadSeq: Math.min(one.before.lastReadSeq, other.before.lastReadSeq),
  }
  return { ticks, before }
}
