import type { FeedStore } from '../../ports/feed.ts'
import { isRow, startKey, toItem, toPartition, toRow } from '../rows/feed-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

export function createFeedDynamo(dynamo: Dynamo): FeedStore {
  const table = createDynamoTable(dynamo, 'feed')

  return {
    async put(row) {
      const written = await table.put(toItem(row), { where: 'attribute_not_exists(kind)' })
      return written ? 'written' : 'taken'
    },

    async above(partition, after, limit) {
      const items = await table.query({
        where: 'partition_id = :partition AND feed_position > :after',
        values: { ':partition': toPartition(partition), ':after': after },
        limit,
      })
      return items.map(toRow).filter(isRow)
    },

    async last(partition) {
      const [item] = await table.query({
        where: 'partition_id = :partition AND feed_position > :start',
        values: { ':partition': toPartition(partition), ':start': 0 },
        descending: true,
        limit: 1,
      })
      return item?.feed_position
    },

    async start(partition) {
      return (await table.get(startKey(partition)))?.starts_above
    },

    async setStart(partition, start, from) {
      const condition =
        from === undefined
          ? { where: 'attribute_not_exists(kind)' }
          : { where: 'starts_above = :from', values: { ':from': from } }
      await table.set(startKey(partition), { kind: 'start', starts_above: start }, condition)
    },
  }
}
