import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { DepartureStore } from '../../ports/people.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import { toKey } from '../rows/departure-row.ts'
import { createEmbeddedTable } from './table.ts'

// Departures are in the table of blocks: no user id is a group id, so the two never collide.

export function createDeparturesEmbedded(engine: KeyValue): DepartureStore {
  const table = createEmbeddedTable(engine, 'blocks')

  return {
    async put(departure) {
      await table.update(toKey(departure), () => ({ ...toKey(departure), left_at_ms: departure.leftAtMs }))
    },

    async getMany(groupId, userIds) {
      const rows = table.getMany(userIds.map((userId) => toKey({ userId, groupId })))
      return rows.map(({ user_id: userId, left_at_ms: leftAtMs = 0 }) => ({ userId, groupId, leftAtMs }))
    },

    ofUser: async (userId) =>
      table
        .query(userId)
        .flatMap(({ user_id, blocked_id, left_at_ms: leftAtMs }) =>
          leftAtMs === undefined ? [] : [{ userId: user_id, groupId: blocked_id as ConversationId, leftAtMs }],
        ),

    async remove(departure) {
      await table.update(toKey(departure), (standing) =>
        standing?.left_at_ms === departure.leftAtMs ? 'remove' : 'keep',
      )
    },
  }
}
