import type { DevicePositions } from '../../ports/device-positions.ts'
import type { DeviceAddress } from '../../ports/push.ts'
import {
  deviceKey,
  positionKey,
  startKey,
  streamColumns,
  toAcked,
  toStart,
  toText,
} from '../rows/device-position-row.ts'
import type { Dynamo, Key } from '../rows/tables.ts'
import { createDynamoTable } from './table.ts'

// A device has one row of `device_starts`, which is put once as a whole: two streams that begin at the same time cannot mix their starts.
// It has one row of `device_positions` for each conversation in which it has acked something.

/** A device that is forgotten may have a row in each of thousands of conversations. */
const removedAtATime = 100

export function createDevicePositionsDynamo(dynamo: Dynamo): DevicePositions {
  const starts = createDynamoTable(dynamo, 'device_starts')
  const positions = createDynamoTable(dynamo, 'device_positions')
  const rowsOf = (device: DeviceAddress) =>
    positions.query({ where: 'device_key = :device', values: { ':device': deviceKey(device) } })

  const removeRow = ({ device_key, conversation_id }: Key<'device_positions'>) =>
    positions.remove({ device_key, conversation_id }, { where: 'attribute_exists(device_key)' })

  return {
    async raise(device, conversationId, stream, seq) {
      const column = streamColumns[stream]
      await positions.set(
        positionKey(device, conversationId),
        { [column]: seq },
        { where: `attribute_not_exists(${column}) OR ${column} < :seq`, values: { ':seq': seq } },
      )
    },

    acked: async (device) => (await rowsOf(device)).map(toAcked),

    begin: ({ startSeqs, usedAtMs, ...device }) =>
      starts.put(
        { ...startKey(device), start_seqs: Object.fromEntries(startSeqs), used_at: toText(usedAtMs) },
        { where: 'attribute_not_exists(device_id)' },
      ),

    async start(device) {
      const item = await starts.get(startKey(device))
      return item && toStart(item)
    },

    async ofUser(userId) {
      const items = await starts.query({ where: 'user_id = :user', values: { ':user': userId } })
      return items.map(toStart)
    },

    async use(device, usedAtMs) {
      await starts.set(startKey(device), { used_at: toText(usedAtMs) }, { where: 'attribute_exists(device_id)' })
    },

    async forget({ usedAtMs, ...device }) {
      const unused = { where: 'used_at = :used', values: { ':used': toText(usedAtMs) } }
      if (!(await starts.remove(startKey(device), unused))) return
      const rows = await rowsOf(device)
      for (let i = 0; i < rows.length; i += removedAtATime) {
        await Promise.all(rows.slice(i, i + removedAtATime).map(removeRow))
      }
    },
  }
}
