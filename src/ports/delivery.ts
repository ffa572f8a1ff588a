// How far each member has got. DynamoDB holds it.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Boundaries, MemberBoundaries } from '../protocol/ticks.ts'

export type Pending = { conversationId: ConversationId; firstUndeliveredSeq: Seq }

/** An index of the conversations in which a user has something undelivered. The boundaries are the truth; the index only saves reads. */
export interface PendingIndex {
  /** Sets the row to the lower of its value and `seq`. */
  lower(receiverId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  get(receiverId: UserId, conversationId: ConversationId): Promise<Pending | undefined>
  list(receiverId: UserId): Promise<Pending[]>
  /** Raises the row to `toSeq` IF it exists and is lower. */
  raise(receiverId: UserId, conversationId: ConversationId, toSeq: Seq): Promise<void>
  /** Deletes the row IF firstUndeliveredSeq <= upTo. */
  remove(receiverId: UserId, conversationId: ConversationId, upTo: Seq): Promise<void>
}

export type MemberAddress = { userId: UserId; conversationId: ConversationId }
/** `before`: what they were, if they changed. */
export type BoundaryChange = { boundaries: MemberBoundaries; changed: boolean; before?: Boundaries }

export interface BoundaryStore {
  /** SET delivered = seq IF absent or lower. */
  deliver(member: MemberAddress, seq: Seq): Promise<BoundaryChange>
  /** SET read = seq IF absent or lower, and lifts delivered to at least seq. `delivered`, if it is known, saves a second attempt. */
  read(member: MemberAddress, seq: Seq, delivered?: Seq): Promise<BoundaryChange>
  /** Returns the boundaries in the order asked for; they are zero where there is no row. */
  getMany(members: readonly MemberAddress[]): Promise<MemberBoundaries[]>
  /** Returns every row of the user. */
  ofUser(userId: UserId): Promise<readonly MemberBoundaries[]>
  /** Makes a row without boundaries if there is none. So there is one for each conversation that the user has left or was removed from. */
  note(member: MemberAddress): Promise<void>
  remove(member: MemberAddress): Promise<void>
}
