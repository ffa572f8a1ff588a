import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { ProfileStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'
import { erasedColumns, toColumns, toProfile } from '../rows/profile-row.ts'
import type { Item } from '../rows/tables.ts'
import { createEmbeddedTable } from './table.ts'

export function createProfilesEmbedded(engine: KeyValue): ProfileStore {
  const table = createEmbeddedTable(engine, 'users')

  async function set(userId: UserId, columns: Partial<Item<'users'>>) {
    const { row } = await table.update({ user_id: userId }, (standing) =>
      standing?.erased_at === undefined ? { ...(standing ?? { user_id: userId }), ...columns } : 'keep',
    )
    return row ? toProfile(row) : { userId }
  }

  return {
    put: ({ userId, name }) => set(userId, { name }),

    change: (userId, change) => set(userId, toColumns(change)),

    async erase(userId, atMs) {
      await set(userId, erasedColumns(atMs))
    },

    getMany: async (userIds) => table.getMany(userIds.map((userId) => ({ user_id: userId }))).map(toProfile),
  }
}
