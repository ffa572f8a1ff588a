import type { MembershipStore } from '../domain/ports.ts'
import { createDynamoTable } from './dynamo-table.ts'
import type { Dynamo } from './tables.ts'

export function createMembershipsDynamo(dynamo: Dynamo): MembershipStore {
  const table = createDynamoTable(dynamo, 'memberships')

  return {
    found: (userIds, { conversationId, joinedSeq }) =>
      table.putMany(
        userIds.map((userId) => ({ user_id: userId, conversation_id: conversationId, joined_seq: joinedSeq })),
      ),

    async add(userId, { conversationId, joinedSeq }) {
      await table.set(
        { user_id: userId, conversation_id: conversationId },
        { joined_seq: joinedSeq },
        { where: 'attribute_not_exists(joined_seq) OR joined_seq < :joined', values: { ':joined': joinedSeq } },
      )
    },

    async remove(userId, conversationId, seq) {
      await table.remove(
        { user_id: userId, conversation_id: conversationId },
        { where: 'joined_seq < :seq', values: { ':seq': seq } },
      )
    },

    async ofUser(userId) {
      const items = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
      return items.map((item) => ({ conversationId: item.conversation_id, joinedSeq: item.joined_seq }))
    },
  }
}
