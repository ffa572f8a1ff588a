import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { MembershipStore } from '../../ports/conversations.ts'
import { toColumns, toKey, toMembership } from '../rows/membership-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createMembershipsEmbedded(engine: KeyValue): MembershipStore {
  const table = createEmbeddedTable(engine, 'memberships')

  return {
    async addFirst(userIds, { conversationId, joinedSeq }) {
      const items = userIds.map((userId) => ({ ...toKey({ userId, conversationId }), joined_seq: joinedSeq }))
      await Promise.all(items.map((item) => table.update(item, () => item)))
    },

    async add(userId, { conversationId, joinedSeq }) {
      const key = toKey({ userId, conversationId })
      await table.update(key, (standing) =>
        standing && standing.joined_seq >= joinedSeq ? 'keep' : { ...standing, ...key, joined_seq: joinedSeq },
      )
    },

    async remove(userId, conversationId, seq) {
      await table.update(toKey({ userId, conversationId }), (standing) =>
        standing && standing.joined_seq < seq ? 'remove' : 'keep',
      )
    },

    ofUser: async (userId) => table.query(userId).map(toMembership),

    getMany: async (members) =>
      members.map((member) => {
        const item = table.get(toKey(member))
        return item && toMembership(item)
      }),

    async configure(member, change) {
      const { row } = await table.update(toKey(member), (standing) =>
        standing ? { ...standing, ...toColumns(change) } : 'keep',
      )
      return row && toMembership(row)
    },
  }
}
