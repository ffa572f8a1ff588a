import type { BlockStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'
import { isBlock, toKey } from '../rows/block-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createBlocksDynamo(dynamo: Dynamo): BlockStore {
  const table = createDynamoTable(dynamo, 'blocks')

  /** Departures from groups lie between the blocks, all of them next to each other: what is behind them is read in a second query. */
  async function list(userId: UserId, way: 'up' | 'down', edge: string, limit: number): Promise<UserId[]> {
    const rows = await table.query({
      where: `user_id = :user AND blocked_id ${way === 'up' ? '>' : '<'} :edge`,
      values: { ':user': userId, ':edge': edge },
      descending: way === 'down',
      limit,
    })
    const found = rows.filter(isBlock).map((row) => row.blocked_id as UserId)
    const last = rows.at(-1)
    if (!last || rows.length < limit || found.length === limit) return found
    const rest = isBlock(last) ? last.blocked_id : way === 'up' ? afterDepartures : beforeDepartures
    return [...found, ...(await list(userId, way, rest, limit - found.length))]
  }

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

    above: (userId, after, limit) => list(userId, 'up', after ?? beforeAll, limit),

    below: (userId, before, limit) => list(userId, 'down', before ?? afterAll, limit),
  }
}

// No id has these characters. They are below and above those that ids have.
const [beforeAll, afterAll] = [' ', '~']
// Ids of groups begin with `grp_`, and no user's id does.
const [beforeDepartures, afterDepartures] = ['grp_', 'grp`']
