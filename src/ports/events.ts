// Events between nodes, by way of Redis.

import type { ConversationId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import type { Ticks } from '../protocol/ticks.ts'
import type { MemberAddress } from './delivery.ts'
import type { Change, GroupChange, LogEntry, Message } from './log.ts'

/** An event only notifies: it may be lost, doubled or late, and the reader then reads the log. */
export type ChatEvent =
  | { type: 'message'; message: Message }
  | { type: 'change'; change: Change }
  | { type: 'group'; change: GroupChange }
  | { type: 'membership'; membership: MembershipEvent }
  | { type: 'ticks'; ticks: Ticks }
  | { type: 'typing'; typing: Typing }
  | { type: 'conversation'; conversationId: ConversationId }
  | { type: 'presence'; userId: UserId }

/** Goes to a user who was added to a group, or removed, by the change at this seq. */
export type MembershipEvent = MessageAddress & { joined: boolean }

/** Somebody is writing, or has stopped. Never stored. */
export type Typing = MemberAddress & { typing: boolean }

export interface EventListener {
  event(event: ChatEvent): void
  /** Events may have been lost: the link to Redis was down. */
  gap(): void
}

export interface EventSubscription {
  /** Resolves when every event published before this call has been handed to the listener. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Users, or a whole group. */
export type Audience = readonly UserId[] | ConversationId

export type EntryPublication = {
  entry: LogEntry
  members: readonly UserId[]
  /** Members whose pending row was written since the entry was last published. */
  pendingWritten?: readonly UserId[]
}

/**
 * `absent`: members without a session. `overtaken`: of those whose pending row was written, the ones whose ack came before it, and how far
 * that ack went: it found no sign of the row, so the row has to be removed by whoever wrote it.
 */
export type PublishedEntry = { absent: UserId[]; overtaken: { userId: UserId; delivered: Seq }[] }

export interface Events {
  /**
   * One round trip: publishes the entry to every member and lifts the conversation's counter to its seq. A sender without a session loses
   * the flag `pendingIndexComplete` of `Sessions`. A message becomes its conversation's `Activity`; where that is gone, only if the counter says that nothing
   * comes after it.
   */
  publishEntry(publication: EntryPublication): Promise<PublishedEntry>
  /** Does the same for a group, in one publish however many are in it, and does not look at who has a session. */
  publishGroupEntry(entry: LogEntry): Promise<void>
  /** One round trip: publishes a member's new boundaries, and lifts the cached ones as `BoundaryCache.lift` does. */
  publishBoundaries(audience: Audience, ticks: Ticks): Promise<{ pendingVersion: number }>
  /** Publishes to these users that a conversation is not as they knew it: their settings, say. */
  publishConversation(userIds: readonly UserId[], conversationId: ConversationId): Promise<void>
  /** Publishes that somebody is typing, or is no longer. */
  publishTyping(audience: Audience, typing: Typing): Promise<void>
  /** Publishes to these users that they were added to a group, or removed. */
  publishMembership(userIds: readonly UserId[], membership: MembershipEvent): Promise<void>
  /** Resolves when Redis has confirmed the subscription: everything published from then on is heard. */
  subscribe(userId: UserId, listener: EventListener): Promise<EventSubscription>
  subscribeGroup(id: ConversationId, listener: EventListener): Promise<EventSubscription>
  /** The same for how these users appear to others. */
  subscribePresence(userIds: readonly UserId[], listener: EventListener): Promise<EventSubscription>
}
