import type { Block, BlockStore } from '../../ports/people.ts'
import { createDynamoTable } from './table.ts'
import type { Dynamo, Key } from './tables.ts'

export function createBlocksDynamo(dynamo: Dynamo): BlockStore {
  const table = createDynamoTable(dynamo, 'blocks')

  return {
    async set(block, blocked) {
      if (blocked) await table.put(toKey(block))
      else await table.remove(toKey(block), { where: 'attribute_exists(user_id)' })
    },

    async getMany(blocks) {
      const found = await table.getMany(blocks.map(toKey))
      const standing = new Set(found.map((key) => JSON.stringify([key.user_id, key.blocked_id])))
      return blocks.map(({ userId, blockedId }) => standing.has(JSON.stringify([userId, blockedId])))
    },
  }
}

const toKey = ({ userId, blockedId }: Block): Key<'blocks'> => ({ user_id: userId, blocked_id: blockedId })
