import type { ConversationId, Seq, UserId } from './ids.ts'

/** How far a member has got: read ≤ delivered ≤ last seq, and both only rise. */
export type Boundaries = { lastDeliveredSeq: Seq; lastReadSeq: Seq }

/** The boundaries of one member of one conversation. */
export type MemberBoundaries = Boundaries & { conversationId: ConversationId; userId: UserId }

export type Tick = 'SENT' | 'DELIVERED' | 'READ'

export const noBoundaries: Boundaries = { lastDeliveredSeq: 0, lastReadSeq: 0 }

/** Returns the higher of each boundary: events may overtake each other, and boundaries only rise. */
export const risen = (one: MemberBoundaries, other: MemberBoundaries): MemberBoundaries => ({
  ...other,
  lastDeliveredSeq: Math.max(one.lastDeliveredSeq, other.lastDeliveredSeq),
  lastReadSeq: Math.max(one.lastReadSeq, other.lastReadSeq),
})

/** A message is as far as the slowest of the other members. A user alone in a chat waits for no other member. */
export function tickOf(seq: Seq, others: readonly Boundaries[]): Tick {
  if (others.every((other) => seq <= other.lastReadSeq)) return 'READ'
  if (others.every((other) => seq <= other.lastDeliveredSeq)) return 'DELIVERED'
  return 'SENT'
}
