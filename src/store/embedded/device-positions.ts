import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { DevicePositions } from '../../ports/device-positions.ts'
import {
  deviceKey,
  positionKey,
  startKey,
  streamColumns,
  toAcked,
  toStart,
  toText,
} from '../rows/device-position-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createDevicePositionsEmbedded(engine: KeyValue): DevicePositions {
  const starts = createEmbeddedTable(engine, 'device_starts')
  const positions = createEmbeddedTable(engine, 'device_positions')

  return {
    async raise(device, conversationId, stream, seq) {
      const [key, column] = [positionKey(device, conversationId), streamColumns[stream]]
      await positions.update(key, (standing) =>
        seq > (standing?.[column] ?? 0) ? { ...key, ...standing, [column]: seq } : 'keep',
      )
    },

    acked: async (device) => positions.query(deviceKey(device)).map(toAcked),

    async begin({ startSeqs, usedAtMs, ...device }) {
      const { changed } = await starts.update(startKey(device), (standing) =>
        standing
          ? 'keep'
          : { ...startKey(device), start_seqs: Object.fromEntries(startSeqs), used_at: toText(usedAtMs) },
      )
      return changed
    },

    async start(device) {
      const item = starts.get(startKey(device))
      return item && toStart(item)
    },

    ofUser: async (userId) => starts.query(userId).map(toStart),

    async use(device, usedAtMs) {
      await starts.update(startKey(device), (standing) =>
        standing ? { ...standing, used_at: toText(usedAtMs) } : 'keep',
      )
    },

    async forget({ usedAtMs, ...device }) {
      const { changed } = await starts.update(startKey(device), (standing) =>
        standing?.used_at === toText(usedAtMs) ? 'remove' : 'keep',
      )
      if (!changed) return
      await Promise.all(positions.query(deviceKey(device)).map((row) => positions.update(row, () => 'remove')))
    },
  }
}
