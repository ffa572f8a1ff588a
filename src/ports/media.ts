// Files. DynamoDB holds what was announced; S3 or a directory holds the bytes.

import type { AttachmentId, ClientMessageId, UserId } from '../protocol/ids.ts'
import type { Attachment } from './log.ts'
import type { ResultFile } from './tasks.ts'

/** A file that a user has announced. `attachedTo` is the send of its owner that it belongs to. */
export type Upload = Attachment & { ownerId: UserId; expiresAtMs: number; attachedTo?: ClientMessageId }

export interface Uploads {
  create(upload: Upload): Promise<void>
  /** Returns those that exist, in any order. */
  getMany(ids: readonly AttachmentId[]): Promise<Upload[]>
  /** Gives the upload to this send IF no other send has it. Returns whether it belongs to this send now. */
  attach(id: AttachmentId, clientMessageId: ClientMessageId): Promise<boolean>
  /** Returns some of those that expire in that hour, counted from 1970; none only if there are none. */
  expiringIn(hour: number, limit: number): Promise<Upload[]>
  remove(id: AttachmentId): Promise<void>
  /** Returns the last hour that was swept. */
  sweptHour(): Promise<number | undefined>
  /** SET swept = hour IF absent or lower. */
  setSweptHour(hour: number): Promise<void>
}

export type SignedPut = { url: string; headers: Readonly<Record<string, string>> }

/** URLs are absolute, or begin with a slash where the node itself keeps the bytes. A URL is all that is needed to use it. */
export interface Media {
  /** Signs a PUT with these headers and exactly `byteSize` bytes; anything else is refused. It is valid for 15 minutes. */
  presignPut(file: Attachment): Promise<SignedPut>
  /** Signs a URL that is valid for at least an hour. It stays the same for a while, so that browsers need not fetch twice. */
  presignGet(file: Attachment): Promise<string>
  /** Returns whether the bytes are stored, with the announced size and type. */
  isUploaded(file: Attachment): Promise<boolean>
  /** Removes the bytes. It succeeds also where there are none. */
  remove(key: string): Promise<void>
}

/** A file under way. `upload` is what the store calls it; `tags` are what the store has said of its parts so far, in their order. */
export type PartialFile = { key: string; upload: string; tags: readonly string[] }

/** Files that tasks make. They are written part by part, so that another node can go on after the last part. */
export interface Results {
  begin(file: { key: string; contentType: string }): Promise<PartialFile>
  /** Writes the next part, which may have been written before by somebody who died. Every part but the last has at least 5 MiB. */
  write(file: PartialFile, bytes: Uint8Array): Promise<PartialFile>
  /** Puts the parts together. Calling it again after that does no harm. */
  complete(file: PartialFile): Promise<void>
  /** Removes the file, and what was written of it. It succeeds also where there is nothing. */
  remove(file: Pick<PartialFile, 'key'> & Partial<PartialFile>): Promise<void>
  /** Signs a URL for reading that is valid until then. */
  presign(file: ResultFile, untilMs: number): Promise<string>
}
