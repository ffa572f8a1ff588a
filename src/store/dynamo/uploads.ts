import type { Upload, Uploads } from '../../ports/media.ts'
import { type AttachmentId, partsOfAttachmentId, type UserId } from '../../protocol/ids.ts'
import { createDynamoTable } from './table.ts'
import type { Dynamo, Item, Key } from './tables.ts'

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

const sweptKey: Key<'uploads'> = { due: 'swept', upload_id: 'swept' }

const partition = (hour: number, digit: string): string => `${hour}#${digit}`

function toKey(id: AttachmentId): Key<'uploads'> {
  const { expiryHour, unique } = partsOfAttachmentId(id)
  return { due: partition(expiryHour, unique.slice(0, 1)), upload_id: id }
}

const toItem = (upload: Upload): Key<'uploads'> & Partial<Item<'uploads'>> => ({
  ...toKey(upload.id),
  owner_id: upload.ownerId,
  s3_ref: upload.key,
  content_type: upload.contentType,
  byte_size: upload.byteSize,
  expires_at: new Date(upload.expiresAtMs).toISOString(),
  ...(upload.name !== undefined && { name: upload.name }),
  ...(upload.attachedTo !== undefined && { client_message_id: upload.attachedTo }),
})

const toUpload = (item: Item<'uploads'>): Upload => ({
  id: item.upload_id as AttachmentId,
  ownerId: item.owner_id as UserId,
  key: item.s3_ref ?? '',
  contentType: item.content_type ?? '',
  byteSize: item.byte_size ?? 0,
  expiresAtMs: Date.parse(item.expires_at ?? ''),
  ...(item.name !== undefined && { name: item.name }),
  ...(item.client_message_id !== undefined && { attachedTo: item.client_message_id }),
})
