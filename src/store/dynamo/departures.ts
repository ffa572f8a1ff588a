import type { DepartureStore } from '../../ports/people.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import { toKey } from '../rows/departure-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

// Departures are in the table of blocks: no user id is a group id, so the two never collide.

export function createDeparturesDynamo(dynamo: Dynamo): DepartureStore {
  const table = createDynamoTable(dynamo, 'blocks')

  return {
    async put(departure) {
      await table.put({ ...toKey(departure), left_at_ms: departure.leftAtMs })
    },

    async getMany(groupId, userIds) {
      const rows = await table.getMany(userIds.map((userId) => toKey({ userId, groupId })))
      return rows.map(({ user_id: userId, left_at_ms: leftAtMs = 0 }) => ({ userId, groupId, leftAtMs }))
    },

    async ofUser(userId) {
      const rows = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
      return rows.flatMap(({ user_id, blocked_id, left_at_ms: leftAtMs }) =>
        leftAtMs === undefined ? [] : [{ userId: user_id, groupId: blocked_id as ConversationId, leftAtMs }],
      )
    },

    async remove(departure) {
      await table.remove(toKey(departure), { where: 'left_at_ms = :left', values: { ':left': departure.leftAtMs } })
    },
  }
}
