import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { BlockStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'
import { isBlock, toKey } from '../rows/block-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createBlocksEmbedded(engine: KeyValue): BlockStore {
  const table = createEmbeddedTable(engine, 'blocks')

  /** Departures from groups lie between the blocks. */
  const blockedBy = (userId: UserId, range: Parameters<typeof table.query>[1], limit: number): UserId[] =>
    table
      .query(userId, range)
      .filter(isBlock)
      .slice(0, limit)
      .map(({ blocked_id }) => blocked_id as UserId)

  return {
    async set(block, blocked) {
      await table.update(toKey(block), () => (blocked ? toKey(block) : 'remove'))
    },

    getMany: async (blocks) => blocks.map((block) => table.get(toKey(block)) !== undefined),

    above: async (userId, after, limit) => blockedBy(userId, after === undefined ? {} : { above: after }, limit),

    below: async (userId, before, limit) =>
      blockedBy(userId, { descending: true, ...(before !== undefined && { below: before }) }, limit),
  }
}
