import type { LogRow, MessageLog } from '../domain/ports.ts'
import type { MessageAddress } from '../protocol/ids.ts'
import { createDynamoTable } from './dynamo-table.ts'
import type { Dynamo, Item, Key } from './tables.ts'

export function createMessagesDynamo(dynamo: Dynamo): MessageLog {
  const table = createDynamoTable(dynamo, 'messages')

  return {
    async put(row) {
      const written = await table.put(toItem(row), { where: 'attribute_not_exists(conversation_id)' })
      return written ? 'written' : 'taken'
    },

    async get(address) {
      const item = await table.get(toKey(address))
      return item && toRow(item)
    },

    async getMany(addresses) {
      return (await table.getMany(addresses.map(toKey))).map(toRow)
    },

    async above(conversationId, after, limit) {
      const items = await table.query({
        where: 'conversation_id = :conversation AND seq > :after',
        values: { ':conversation': conversationId, ':after': after },
        limit,
      })
      return items.map(toRow)
    },

    async below(conversationId, before, limit) {
      const items = await table.query({
        where: 'conversation_id = :conversation AND seq < :before',
        values: { ':conversation': conversationId, ':before': before },
        descending: true,
        limit,
      })
      return items.map(toRow)
    },

    countOfOthers: (conversationId, after, senderId, most) =>
      table.count(
        {
          where: 'conversation_id = :conversation AND seq > :after',
          filter: 'kind = :message AND sender_id <> :sender',
          values: {
            ':conversation': conversationId,
            ':after': after,
            ':message': 'message' satisfies LogRow['kind'],
            ':sender': senderId,
          },
        },
        most,
      ),
  }
}

const toKey = ({ conversationId, seq }: MessageAddress): Key<'messages'> => ({ conversation_id: conversationId, seq })

function toItem(row: LogRow): Key<'messages'> & Partial<Item<'messages'>> {
  if (row.kind === 'void') return { ...toKey(row), kind: row.kind }
  return {
    ...toKey(row),
    kind: row.kind,
    message_id: row.messageId,
    client_message_id: row.clientMessageId,
    sender_id: row.senderId,
    body: row.body,
    sent_at: new Date(row.sentAtMs).toISOString(),
  }
}

function toRow(item: Item<'messages'>): LogRow {
  const address = { conversationId: item.conversation_id, seq: item.seq }
  if (item.kind === 'void') return { ...address, kind: item.kind }
  return {
    ...address,
    kind: item.kind,
    messageId: item.message_id,
    clientMessageId: item.client_message_id,
    senderId: item.sender_id,
    body: item.body,
    sentAtMs: Date.parse(item.sent_at),
  }
}
