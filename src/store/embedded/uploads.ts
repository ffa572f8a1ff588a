import type { Upload, Uploads } from '../../ports/media.ts'
import { type AttachmentId, partsOfAttachmentId } from '../../protocol/ids.ts'

// id → upload; and how far the sweep has come
export function createUploadsMemory(): Uploads {
  const uploads = new Map<AttachmentId, Upload>()
  let swept: number | undefined

  return {
    async create(upload) {
      uploads.set(upload.id, { ...upload })
    },

    async getMany(ids) {
      const found = [...new Set(ids)].map((id) => uploads.get(id))
      return found.filter((upload) => upload !== undefined).map((upload) => ({ ...upload }))
    },

    async attach(id, clientMessageId) {
      const upload = uploads.get(id)
      if (!upload || (upload.attachedTo ?? clientMessageId) !== clientMessageId) return false
      upload.attachedTo = clientMessageId
      return true
    },

    async expiringIn(hour, limit) {
      const due = [...uploads.values()].filter(({ id }) => partsOfAttachmentId(id).expiryHour === hour)
      return due.slice(0, limit).map((upload) => ({ ...upload }))
    },

    async remove(id) {
      uploads.delete(id)
    },

    async sweptHour() {
      return swept
    },

    async setSweptHour(hour) {
      swept = Math.max(hour, swept ?? hour)
    },
  }
}
