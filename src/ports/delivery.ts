// How far everybody has got. In DynamoDB.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Ticks } from '../protocol/ticks.ts'

export type Pending = { conversationId: ConversationId; firstUndeliveredSeq: Seq }

/** An index of who has something waiting where. The boundaries are the truth; this only saves looking everywhere. */
export interface PendingIndex {
  /** Keeps the minimum of what is there and `seq`. */
  lower(receiverId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  get(receiverId: UserId, conversationId: ConversationId): Promise<Pending | undefined>
  list(receiverId: UserId): Promise<Pending[]>
  /** Raises the row to `toSeq` IF it is there and lower. */
  raise(receiverId: UserId, conversationId: ConversationId, toSeq: Seq): Promise<void>
  /** Deletes the row IF firstUndeliveredSeq <= upTo. */
  remove(receiverId: UserId, conversationId: ConversationId, upTo: Seq): Promise<void>
}

export type MemberAddress = { userId: UserId; conversationId: ConversationId }
export type BoundaryChange = { ticks: Ticks; changed: boolean }

export interface BoundaryStore {
  /** SET delivered = seq IF absent or lower. */
  deliver(member: MemberAddress, seq: Seq): Promise<BoundaryChange>
  /** SET read = seq IF absent or lower, and lifts delivered to at least seq. `delivered`, if known, saves a second try. */
  read(member: MemberAddress, seq: Seq, delivered?: Seq): Promise<BoundaryChange>
  /** Zeroes where there is no row. In the order asked for. */
  getMany(members: readonly MemberAddress[]): Promise<Ticks[]>
  /** Every row the user has. */
  ofUser(userId: UserId): Promise<readonly Ticks[]>
}
