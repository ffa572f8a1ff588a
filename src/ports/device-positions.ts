// How far each device has got, for clients that let the server keep it. DynamoDB holds it.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { DeviceAddress } from './push.ts'

/** The two streams of a device. Each goes past what the other shows, so each has a position of its own. */
export type StreamKind = 'messages' | 'changes'

/** What a device has acked in a conversation, by the stream that showed it; undefined where it has acked nothing. */
export type AckedSeqs = { conversationId: ConversationId } & Partial<Record<StreamKind, Seq>>

/** Where a device began, in every conversation that had a boundary then. In all others it begins before the first seq. */
export type DeviceStart = DeviceAddress & { startSeqs: ReadonlyMap<ConversationId, Seq>; usedAtMs: number }

export interface DevicePositions {
  /** SET the acked seq of this stream IF absent or lower. */
  raise(device: DeviceAddress, conversationId: ConversationId, stream: StreamKind, seq: Seq): Promise<void>
  /** Returns every conversation in which the device has acked something. */
  acked(device: DeviceAddress): Promise<AckedSeqs[]>
  /** Puts the start IF the device has none. Returns whether it did. */
  begin(start: DeviceStart): Promise<boolean>
  start(device: DeviceAddress): Promise<DeviceStart | undefined>
  /** Returns the starts of all devices of the user. */
  ofUser(userId: UserId): Promise<DeviceStart[]>
  /** SET usedAtMs IF the device has a start. */
  use(device: DeviceAddress, usedAtMs: number): Promise<void>
  /** Deletes the start IF it was not used since it was read, and then all that the device has acked. */
  forget(start: DeviceStart): Promise<void>
}
