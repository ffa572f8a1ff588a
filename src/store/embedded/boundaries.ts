import type { BoundaryStore, MemberAddress } from '../../ports/delivery.ts'
import { type MemberBoundaries, noBoundaries } from '../../protocol/ticks.ts'

// user#conversation → boundaries; neither id can hold a '#'
export function createBoundariesMemory(): BoundaryStore {
  const rows = new Map<string, MemberBoundaries>()
  const keyOf = ({ userId, conversationId }: MemberAddress) => `${userId}#${conversationId}`

  const get = ({ userId, conversationId }: MemberAddress): MemberBoundaries => ({
    userId,
    conversationId,
    ...noBoundaries,
    ...rows.get(keyOf({ userId, conversationId })),
  })
  const set = (boundaries: MemberBoundaries) => {
    rows.set(keyOf(boundaries), { ...boundaries })
    return { boundaries, changed: true }
  }

  return {
    async deliver(member, seq) {
      const boundaries = get(member)
      if (boundaries.lastDeliveredSeq >= seq) return { boundaries, changed: false }
      return set({ ...boundaries, lastDeliveredSeq: seq })
    },

    async read(member, seq) {
      const boundaries = get(member)
      if (boundaries.lastReadSeq >= seq) return { boundaries, changed: false }
      return set({ ...boundaries, lastReadSeq: seq, lastDeliveredSeq: Math.max(seq, boundaries.lastDeliveredSeq) })
    },

    async getMany(members) {
      return members.map(get)
    },

    async ofUser(userId) {
      return [...rows.values()]
        .filter((boundaries) => boundaries.userId === userId)
        .map((boundaries) => ({ ...boundaries }))
    },
  }
}
