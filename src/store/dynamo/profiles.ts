import type { ProfileStore } from '../../ports/people.ts'
import { toColumns, toProfile } from '../rows/profile-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createProfilesDynamo(dynamo: Dynamo): ProfileStore {
  const table = createDynamoTable(dynamo, 'users')

  return {
    async put({ userId, name }) {
      const item = await table.set({ user_id: userId }, { name })
      return item ? toProfile(item) : { userId }
    },

    async change(userId, change) {
      const item = await table.set({ user_id: userId }, toColumns(change))
      return item ? toProfile(item) : { userId }
    },

    async getMany(userIds) {
      return (await table.getMany(userIds.map((userId) => ({ user_id: userId })))).map(toProfile)
    },
  }
}
