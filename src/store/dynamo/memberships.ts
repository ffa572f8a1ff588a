import type { Membership, MembershipStore } from '../../ports/conversations.ts'
import { toColumns, toKey, toMembership } from '../rows/membership-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createSharedReads } from './shared-reads.ts'
import { createDynamoTable } from './table.ts'

export function createMembershipsDynamo(dynamo: Dynamo): MembershipStore {
  const table = createDynamoTable(dynamo, 'memberships')
  /** All streams of a user read this at the same time. */
  const sharedReads = createSharedReads<readonly Membership[]>({ patient: true })

  return {
    addFirst: (userIds, { conversationId, joinedSeq }) =>
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

    ofUser: (userId) =>
      sharedReads(userId, async () => {
        const items = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
        return items.map(toMembership)
      }),

    async getMany(members) {
      const items = await table.getMany(members.map(toKey))
      const found = new Map(items.map((item) => [`${item.user_id} ${item.conversation_id}`, toMembership(item)]))
      return members.map(({ userId, conversationId }) => found.get(`${userId} ${conversationId}`))
    },

    async configure(member, change) {
      // The condition compares the key with a value, as conditions here need at least one value.
      const isThere = { where: 'user_id = :user', values: { ':user': member.userId } }
      const item = await table.set(toKey(member), toColumns(change), isThere)
      return item && toMembership(item)
    },
  }
}
