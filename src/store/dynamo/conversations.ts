import type { ConversationStore } from '../../ports/conversations.ts'
import { toConversation, toItem, withMember } from '../rows/conversation-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createConversationsDynamo(dynamo: Dynamo): ConversationStore {
  const table = createDynamoTable(dynamo, 'conversations')

  return {
    async create(conversation) {
      await table.put(toItem(conversation), { where: 'attribute_not_exists(conversation_id)' })
    },

    async getMany(ids) {
      return (await table.getMany(ids.map((id) => ({ conversation_id: id })))).map(toConversation)
    },

    async setMetadata(id, metadata) {
      const isDirect = { where: 'kind = :direct', values: { ':direct': 'DIRECT' } }
      await table.set({ conversation_id: id }, { metadata }, isDirect)
    },

    async replaceMember(id, userId, pseudonym) {
      const key = { conversation_id: id }
      const item = await table.get(key)
      if (item?.kind !== 'DIRECT') return
      // Nothing else ever changes the members of a direct chat.
      const condition = { where: 'kind = :direct', values: { ':direct': 'DIRECT' } }
      await table.set(key, { members: withMember(item.members, userId, pseudonym) }, condition)
    },

    async replace(group, version) {
      const { conversation_id, ...columns } = { metadata: undefined, ...toItem(group) }
      const isAsRead = { where: 'version = :from', values: { ':from': version } }
      return (await table.set({ conversation_id }, columns, isAsRead)) !== undefined
    },

    async setRetention(id, days) {
      await table.set({ conversation_id: id }, { retention_days: days }, { where: 'attribute_exists(conversation_id)' })
    },

    async raiseFloor(id, seq, days) {
      const where = 'retention_days = :days AND (attribute_not_exists(floor_seq) OR floor_seq < :seq)'
      await table.set({ conversation_id: id }, { floor_seq: seq }, { where, values: { ':seq': seq, ':days': days } })
    },

    async noteEmptied(id, seq) {
      const where = 'attribute_exists(conversation_id) AND (attribute_not_exists(emptied_seq) OR emptied_seq < :seq)'
      await table.set({ conversation_id: id }, { emptied_seq: seq }, { where, values: { ':seq': seq } })
    },
  }
}
