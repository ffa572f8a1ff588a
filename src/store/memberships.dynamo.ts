import type { MembershipStore } from '../domain/ports.ts'
import { createDynamoTable } from './dynamo-table.ts'
import type { Dynamo } from './tables.ts'

export function createMembershipsDynamo(dynamo: Dynamo): MembershipStore {
  const table = createDynamoTable(dynamo, 'memberships')

  return {
    async add(userId, { conversationId, joinedSeq }) {
      await table.put(
        { user_id: userId, conversation_id: conversationId, joined_seq: joinedSeq },
        { where: 'attribute_not_exists(user_id)' },
      )
    },

    async ofUser(userId) {
      const items = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
      return items.map((item) => ({ conversationId: item.conversation_id, joinedSeq: item.joined_seq }))
    },
  }
}
