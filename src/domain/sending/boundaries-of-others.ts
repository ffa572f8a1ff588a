import type { Boundaries, MemberBoundaries } from '../../protocol/ticks.ts'
import type { Member } from '../conversations/access.ts'
import { joinedSeqOf } from '../conversations/group.ts'

/**
 * Returns how far all other members have got: a message of the member's own has exactly the tick that these two numbers tell. A message that
 * was written before a member joined does not wait for that member, whose boundaries count as at least their joinedSeq. Returns undefined
 * where there is no other member.
 */
export function boundariesOfOthers(
  { userId, conversation }: Member,
  all: readonly MemberBoundaries[],
): Boundaries | undefined {
  const others = all.filter((each) => each.userId !== userId)
  if (others.length === 0) return undefined
  let [lastDeliveredSeq, lastReadSeq] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const other of others) {
    const joinedSeq = joinedSeqOf(conversation, other.userId)
    lastDeliveredSeq = Math.min(lastDeliveredSeq, Math.max(other.lastDeliveredSeq, joinedSeq))
    lastReadSeq = Math.min(lastReadSeq, Math.max(other.lastReadSeq, joinedSeq))
  }
  return { lastDeliveredSeq, lastReadSeq }
}
