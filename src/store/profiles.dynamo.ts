import type { Profile, ProfileStore } from '../domain/ports.ts'
import { createDynamoTable } from './dynamo-table.ts'
import type { Dynamo, Item } from './tables.ts'

export function createProfilesDynamo(dynamo: Dynamo): ProfileStore {
  const table = createDynamoTable(dynamo, 'users')

  return {
    async put({ userId, name }) {
      await table.put({ user_id: userId, name })
    },

    async getMany(userIds) {
      return (await table.getMany(userIds.map((userId) => ({ user_id: userId })))).map(toProfile)
    },
  }
}

const toProfile = ({ user_id: userId, name }: Item<'users'>): Profile =>
  name === undefined ? { userId } : { userId, name }
