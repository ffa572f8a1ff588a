import type { Profile, ProfileStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'
import { erasedColumns, toColumns, toProfile } from '../rows/profile-row.ts'
import type { Dynamo, Item } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createProfilesDynamo(dynamo: Dynamo): ProfileStore {
  const table = createDynamoTable(dynamo, 'users')

  async function set(userId: UserId, columns: Partial<Item<'users'>>): Promise<Profile> {
    const key = { user_id: userId }
    const item = await table.set(key, columns, { where: 'attribute_not_exists(erased_at)' })
    const standing = item ?? (await table.get(key))
    return standing ? toProfile(standing) : { userId }
  }

  return {
    put: ({ userId, name }) => set(userId, { name }),

    change: (userId, change) => set(userId, toColumns(change)),

    async erase(userId, atMs) {
      await set(userId, erasedColumns(atMs))
    },

    async getMany(userIds) {
      return (await table.getMany(userIds.map((userId) => ({ user_id: userId })))).map(toProfile)
    },
  }
}
