import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Uploads } from '../../ports/media.ts'
import { partition, sweptKey, toItem, toKey, toUpload } from '../rows/upload-row.ts'
import { createEmbeddedTable } from './table.ts'

const digits = [...'0123456789abcdef']

export function createUploadsEmbedded(engine: KeyValue): Uploads {
  const table = createEmbeddedTable(engine, 'uploads')

  return {
    async create(upload) {
      const item = toItem(upload)
      await table.update(item, () => item)
    },

    getMany: async (ids) => table.getMany(ids.map(toKey)).map(toUpload),

    async attach(id, clientMessageId) {
      const { row } = await table.update(toKey(id), (standing) =>
        standing && standing.client_message_id === undefined
          ? { ...standing, client_message_id: clientMessageId }
          : 'keep',
      )
      return row?.client_message_id === clientMessageId
    },

    expiringIn: async (hour, limit) =>
      digits
        .flatMap((digit) => table.query(partition(hour, digit), { limit }))
        .slice(0, limit)
        .map(toUpload),

    async remove(id) {
      await table.update(toKey(id), () => 'remove')
    },

    sweptHour: async () => table.get(sweptKey)?.swept_hour,

    async setSweptHour(hour) {
      await table.update(sweptKey, (standing) =>
        hour > (standing?.swept_hour ?? -1) ? { ...sweptKey, swept_hour: hour } : 'keep',
      )
    },
  }
}
