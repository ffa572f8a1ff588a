import type { Upload } from '../../ports/media.ts'
import { type AttachmentId, partsOfAttachmentId, type UserId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

export const sweptKey: Key<'uploads'> = { due: 'swept', upload_id: 'swept' }

export const partition = (hour: number, digit: string): string => `${hour}#${digit}`

export function toKey(id: AttachmentId): Key<'uploads'> {
  const { expiryHour, unique } = partsOfAttachmentId(id)
  return { due: partition(expiryHour, unique.slice(0, 1)), upload_id: id }
}

export const toItem = (upload: Upload): Key<'uploads'> & Partial<Item<'uploads'>> => ({
  ...toKey(upload.id),
  owner_id: upload.ownerId,
  s3_ref: upload.key,
  content_type: upload.contentType,
  byte_size: upload.byteSize,
  expires_at: new Date(upload.expiresAtMs).toISOString(),
  ...(upload.name !== undefined && { name: upload.name }),
  ...(upload.attachedTo !== undefined && { client_message_id: upload.attachedTo }),
})

export const toUpload = (item: Item<'uploads'>): Upload => ({
  id: item.upload_id as AttachmentId,
  ownerId: item.owner_id as UserId,
  key: item.s3_ref ?? '',
  contentType: item.content_type ?? '',
  byteSize: item.byte_size ?? 0,
  expiresAtMs: Date.parse(item.expires_at ?? ''),
  ...(item.name !== undefined && { name: item.name }),
  ...(item.client_message_id !== undefined && { attachedTo: item.client_message_id }),
})
