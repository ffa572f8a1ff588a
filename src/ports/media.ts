// Files: what was announced, in DynamoDB, and their bytes, in S3 or the like.

import type { AttachmentId, ClientMessageId, UserId } from '../protocol/ids.ts'
import type { Attachment } from './log.ts'

/** A file somebody has announced. `attachedTo`: the send of its owner that has taken it. */
export type Upload = Attachment & { ownerId: UserId; expiresAtMs: number; attachedTo?: ClientMessageId }

export interface Uploads {
  create(upload: Upload): Promise<void>
  /** Those that exist, in any order. */
  getMany(ids: readonly AttachmentId[]): Promise<Upload[]>
  /** Gives it to this send IF no other has it. Returns whether it is this one's now. */
  attach(id: AttachmentId, clientMessageId: ClientMessageId): Promise<boolean>
  /** Some of those that expire in that hour, counted from 1970; none only where there are none. */
  expiringIn(hour: number, limit: number): Promise<Upload[]>
  remove(id: AttachmentId): Promise<void>
  /** The last hour that was swept. */
  sweptHour(): Promise<number | undefined>
  /** SET swept = hour IF absent or lower. */
  setSweptHour(hour: number): Promise<void>
}

export type SignedPut = { url: string; headers: Readonly<Record<string, string>> }

/** URLs are absolute, or begin with a slash where the node itself keeps the bytes. Whoever has one may use it. */
export interface Media {
  /** To be PUT with these headers and exactly `byteSize` bytes; anything else is refused. Good for 15 minutes. */
  presignPut(file: Attachment): Promise<SignedPut>
  /** Good for an hour at least, and the same for a while, so that browsers need not fetch twice. */
  presignGet(file: Attachment): Promise<string>
  /** Whether its bytes are there, of the size and type promised. */
  isUploaded(file: Attachment): Promise<boolean>
  /** Also where there is nothing. */
  remove(key: string): Promise<void>
}
