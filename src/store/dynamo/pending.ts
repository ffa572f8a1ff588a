import type { PendingIndex } from '../../ports/delivery.ts'
import { toKey, toPending } from '../rows/pending-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createPendingDynamo(dynamo: Dynamo): PendingIndex {
  const table = createDynamoTable(dynamo, 'pending_deliveries')

  return {
    async lower(receiverId, conversationId, seq) {
      await table.put(
        { ...toKey(receiverId, conversationId), first_undelivered_seq: seq },
        {
          where: 'attribute_not_exists(first_undelivered_seq) OR first_undelivered_seq > :seq',
          values: { ':seq': seq },
        },
      )
    },

    async get(receiverId, conversationId) {
      const item = await table.get(toKey(receiverId, conversationId))
      return item && toPending(item)
    },

    async list(receiverId) {
      const items = await table.query({ where: 'receiver_id = :receiver', values: { ':receiver': receiverId } })
      return items.map(toPending)
    },

    async raise(receiverId, conversationId, toSeq) {
      await table.set(
        toKey(receiverId, conversationId),
        { first_undelivered_seq: toSeq },
        { where: 'first_undelivered_seq < :seq', values: { ':seq': toSeq } },
      )
    },

    async remove(receiverId, conversationId, upTo) {
      await table.remove(toKey(receiverId, conversationId), {
        where: 'first_undelivered_seq <= :upTo',
        values: { ':upTo': upTo },
      })
    },
  }
}
