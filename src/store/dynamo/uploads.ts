import type { Upload, Uploads } from '../../ports/media.ts'
import type { Dynamo } from '../rows/tables.ts'
import { partition, sweptKey, toItem, toKey, toUpload } from '../rows/upload-row.ts'
import { createDynamoTable } from './table.ts'

// The uploads of an hour are in sixteen partitions, by the first hex digit of the unique part of their ids: one partition alone takes no more
// than a thousand writes a second.

const digits = [...'0123456789abcdef']

export function createUploadsDynamo(dynamo: Dynamo): Uploads {
  const table = createDynamoTable(dynamo, 'uploads')

  return {
    async create(upload) {
      await table.put(toItem(upload))
    },

    async getMany(ids) {
      return (await table.getMany(ids.map(toKey))).map(toUpload)
    },

    async attach(id, clientMessageId) {
      const attached = await table.set(
        toKey(id),
        { client_message_id: clientMessageId },
        {
          where:
            'attribute_exists(owner_id) AND (attribute_not_exists(client_message_id) OR client_message_id = :wanted)',
          values: { ':wanted': clientMessageId },
        },
      )
      return attached !== undefined
    },

    async expiringIn(hour, limit) {
      const found: Upload[] = []
      for (const digit of digits) {
        if (found.length >= limit) break
        const items = await table.query({
          where: 'due = :due',
          values: { ':due': partition(hour, digit) },
          limit: limit - found.length,
        })
        found.push(...items.map(toUpload))
      }
      return found
    },

    async remove(id) {
      await table.remove(toKey(id), { where: 'attribute_exists(owner_id)' })
    },

    async sweptHour() {
      return (await table.get(sweptKey))?.swept_hour
    },

    async setSweptHour(hour) {
      await table.set(
        sweptKey,
        { swept_hour: hour },
        { where: 'attribute_not_exists(swept_hour) OR swept_hour < :hour', values: { ':hour': hour } },
      )
    },
  }
}
