import type { BoundaryStore, MemberAddress } from '../../ports/delivery.ts'
import { noBoundaries, type Ticks } from '../../protocol/ticks.ts'

// user#conversation → boundaries; neither id can hold a '#'
export function createBoundariesMemory(): BoundaryStore {
  const rows = new Map<string, Ticks>()
  const keyOf = ({ userId, conversationId }: MemberAddress) => `${userId}#${conversationId}`

  const get = ({ userId, conversationId }: MemberAddress): Ticks => ({
    userId,
    conversationId,
    ...noBoundaries,
    ...rows.get(keyOf({ userId, conversationId })),
  })
  const set = (ticks: Ticks) => {
    rows.set(keyOf(ticks), { ...ticks })
    return { ticks, changed: true }
  }

  return {
    async deliver(member, seq) {
      const ticks = get(member)
      if (ticks.lastDeliveredSeq >= seq) return { ticks, changed: false }
      return set({ ...ticks, lastDeliveredSeq: seq })
    },

    async read(member, seq) {
      const ticks = get(member)
      if (ticks.lastReadSeq >= seq) return { ticks, changed: false }
      return set({ ...ticks, lastReadSeq: seq, lastDeliveredSeq: Math.max(seq, ticks.lastDeliveredSeq) })
    },

    async getMany(members) {
      return members.map(get)
    },

    async ofUser(userId) {
      return [...rows.values()].filter((ticks) => ticks.userId === userId).map((ticks) => ({ ...ticks }))
    },
  }
}
