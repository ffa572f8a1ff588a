import type { ProfileStore } from '../../ports/people.ts'
import { toProfile } from '../rows/profile-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createProfilesDynamo(dynamo: Dynamo): ProfileStore {
  const table = createDynamoTable(dynamo, 'users')

  return {
    async put({ userId, name }) {
      const item = await table.set({ user_id: userId }, { name })
      return item ? toProfile(item) : { userId }
    },

    async change(userId, { ownName, avatarUrl }) {
      const item = await table.set(
        { user_id: userId },
        {
          ...(ownName !== undefined && { own_name: ownName ?? undefined }),
          ...(avatarUrl !== undefined && { avatar_url: avatarUrl ?? undefined }),
        },
      )
      return item ? toProfile(item) : { userId }
    },

    async getMany(userIds) {
      return (await table.getMany(userIds.map((userId) => ({ user_id: userId })))).map(toProfile)
    },
  }
}
