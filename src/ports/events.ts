// Events between nodes. They go through Redis.

import type { GroupTicks } from '../protocol/group-ticks.ts'
import type { ConversationId, MessageAddress, Seq, UserId } from '../protocol/ids.ts'
import type { MemberBoundaries } from '../protocol/ticks.ts'
import type { MemberAddress } from './delivery.ts'
import type { Change, GroupChange, LogEntry, Message } from './log.ts'

/** An event only notifies: it may be lost, doubled or late, and the reader then reads the log. */
export type ChatEvent =
  | { type: 'message'; message: Message }
  | { type: 'change'; change: Change }
  | { type: 'group'; change: GroupChange }
  | { type: 'membership'; membership: MembershipEvent }
  | { type: 'ticks'; ticks: MemberBoundaries }
  | { type: 'groupTicks'; group: GroupTicks }
  | { type: 'typing'; typing: Typing }
  | { type: 'conversation'; conversationId: ConversationId }
  | { type: 'presence'; userId: UserId }
  | { type: 'restriction'; userId: UserId; version: number }

/** Tells a user that the change at this seq added them to a group or removed them. */
export type MembershipEvent = MessageAddress & { joined: boolean }

/** A member is writing, or has stopped. It is never stored. */
export type Typing = MemberAddress & { typing: boolean }

export interface EventListener {
  event(event: ChatEvent): void
  /** Called when events may have been lost because the link to Redis was down. */
  gap(): void
}

export interface EventSubscription {
  /** Resolves when every event published before this call has been handed to the listener. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Who gets an event: users, or a whole group. */
export type Audience = readonly UserId[] | ConversationId

export type EntryPublication = {
  entry: LogEntry
  members: readonly UserId[]
  /** Members whose pending row was written since the entry was last published. */
  pendingWritten?: readonly UserId[]
}

/**
 * `absent` are the members without a session. `overtaken` are those whose ack came before their pending row was written, with how far that
 * ack went. The ack could not see the row, so the sender that wrote the row has to remove it.
 */
export type PublishedEntry = { absent: UserId[]; overtaken: { userId: UserId; delivered: Seq }[] }

export interface Events {
  /**
   * One round trip: publishes the entry to every member and lifts the conversation's counter to its seq. A sender without a session loses
   * the mark `pendingIndexComplete` of `Sessions`. A message becomes its conversation's `Activity`; where Redis has forgotten that, only if
   * the counter says that nothing comes after the message.
   */
  publishEntry(publication: EntryPublication): Promise<PublishedEntry>
  /** Does the same for a group. It is one publish however large the group is, and it does not look at sessions. */
  publishGroupEntry(entry: LogEntry): Promise<void>
  /**
   * One round trip: publishes a member's new boundaries, lifts the cached ones as `BoundaryCache.lift` does, and replaces the `TickStamps` of the
   * audience. `ofRead`: the member has read something, which replaces that of the member, too.
   */
  publishBoundaries(
    audience: Audience,
    boundaries: MemberBoundaries,
    ofRead?: boolean,
  ): Promise<{ pendingVersion: number }>
  /** Publishes the rises of several members of a group at once, and replaces the stamp of the group. It lifts nothing. */
  publishGroupTicks(group: GroupTicks): Promise<void>
  /** Tells these users that something about a conversation has changed, such as their settings. */
  publishConversation(userIds: readonly UserId[], conversationId: ConversationId): Promise<void>
  /** Publishes that a member is typing, or has stopped. */
  publishTyping(audience: Audience, typing: Typing): Promise<void>
  /** Publishes to these users that they were added to a group, or removed. Replaces their `IndexStamps`. */
  publishMembership(userIds: readonly UserId[], membership: MembershipEvent): Promise<void>
  /** Publishes to all nodes that what is refused of this user has changed, under that version. */
  publishRestriction(userId: UserId, version: number): Promise<void>
  /** Resolves when Redis has confirmed the subscription: everything published from then on is heard. */
  subscribe(userId: UserId, listener: EventListener): Promise<EventSubscription>
  subscribeGroup(id: ConversationId, listener: EventListener): Promise<EventSubscription>
  /** Does the same for the presence of these users. */
  subscribePresence(userIds: readonly UserId[], listener: EventListener): Promise<EventSubscription>
  /** Does the same for what `publishRestriction` publishes of anybody. */
  subscribeRestrictions(listener: EventListener): Promise<EventSubscription>
}
