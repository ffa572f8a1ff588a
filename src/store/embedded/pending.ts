import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { PendingIndex } from '../../ports/delivery.ts'
import { toKey, toPending } from '../rows/pending-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createPendingEmbedded(engine: KeyValue): PendingIndex {
  const table = createEmbeddedTable(engine, 'pending_deliveries')

  return {
    async lower(receiverId, conversationId, seq) {
      const key = toKey(receiverId, conversationId)
      await table.update(key, (standing) =>
        standing && standing.first_undelivered_seq <= seq ? 'keep' : { ...key, first_undelivered_seq: seq },
      )
    },

    async get(receiverId, conversationId) {
      const item = table.get(toKey(receiverId, conversationId))
      return item && toPending(item)
    },

    list: async (receiverId) => table.query(receiverId).map(toPending),

    async raise(receiverId, conversationId, toSeq) {
      await table.update(toKey(receiverId, conversationId), (standing) =>
        standing && standing.first_undelivered_seq < toSeq ? { ...standing, first_undelivered_seq: toSeq } : 'keep',
      )
    },

    async remove(receiverId, conversationId, upTo) {
      await table.update(toKey(receiverId, conversationId), (standing) =>
        standing && standing.first_undelivered_seq <= upTo ? 'remove' : 'keep',
      )
    },
  }
}
