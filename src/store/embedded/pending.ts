import type { PendingIndex } from '../../ports/delivery.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'

// receiver → conversation → first undelivered seq
export function createPendingMemory(): PendingIndex {
  const index = new Map<UserId, Map<ConversationId, Seq>>()

  const rowsOf = (receiverId: UserId): Map<ConversationId, Seq> => {
    const rows = index.get(receiverId) ?? new Map<ConversationId, Seq>()
    index.set(receiverId, rows)
    return rows
  }

  return {
    async lower(receiverId, conversationId, seq) {
      const rows = rowsOf(receiverId)
      rows.set(conversationId, Math.min(seq, rows.get(conversationId) ?? seq))
    },

    async get(receiverId, conversationId) {
      const firstUndeliveredSeq = rowsOf(receiverId).get(conversationId)
      return firstUndeliveredSeq === undefined ? undefined : { conversationId, firstUndeliveredSeq }
    },

    async list(receiverId) {
      return [...rowsOf(receiverId)].map(([conversationId, firstUndeliveredSeq]) => ({
        conversationId,
        firstUndeliveredSeq,
      }))
    },

    async raise(receiverId, conversationId, toSeq) {
      const rows = rowsOf(receiverId)
      const seq = rows.get(conversationId)
      if (seq !== undefined && seq < toSeq) rows.set(conversationId, toSeq)
    },

    async remove(receiverId, conversationId, upTo) {
      const rows = rowsOf(receiverId)
      const seq = rows.get(conversationId)
      if (seq !== undefined && seq <= upTo) rows.delete(conversationId)
    },
  }
}
