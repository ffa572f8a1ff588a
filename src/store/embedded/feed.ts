import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { FeedStore } from '../../ports/feed.ts'
import { isRow, startKey, toItem, toPartition, toRow } from '../rows/feed-row.ts'
import { createEmbeddedTable } from './table.ts'

// A row is answered before it is on the disk, as a claim is: the entry that it announces is written after it, so it is there only if the row is.

export function createFeedEmbedded(engine: KeyValue): FeedStore {
  const table = createEmbeddedTable(engine, 'feed')

  return {
    async put(row) {
      const item = toItem(row)
      const write = row.kind === 'entry' ? table.updateAhead : table.update
      const { changed } = await write(item, (standing) => (standing ? 'keep' : item))
      return changed ? 'written' : 'taken'
    },

    above: async (partition, after, limit) =>
      table.query(toPartition(partition), { above: after, limit }).map(toRow).filter(isRow),

    last: async (partition) =>
      table.query(toPartition(partition), { above: 0, descending: true, limit: 1 })[0]?.feed_position,

    start: async (partition) => table.get(startKey(partition))?.starts_above,

    async setStart(partition, start, from) {
      const key = startKey(partition)
      await table.update(key, (standing) =>
        standing?.starts_above === from ? { ...key, kind: 'start', starts_above: start } : 'keep',
      )
    },
  }
}
