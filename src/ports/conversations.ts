// Conversations, their members, and each member's settings. DynamoDB holds them.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { MemberAddress } from './delivery.ts'

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/**
 * How long messages are kept. Nobody sees what is at or below `floorSeq`, which only rises. The cells up to `emptiedSeq` hold nothing any more. Without
 * `days` messages are kept from the floor on. docs/protocol.md, "Retention".
 */
export type Retention = { days?: number; floorSeq: Seq; emptiedSeq: Seq }

/** What a group knows of one member. `joinedSeq` is the seq of the change that added them; they see what is above it. */
export type GroupMember = { role: Role; joinedSeq: Seq }

/**
 * A chat of two people, or of one with themselves. Its members never change. `metadata`, the text of a JSON object, is as it was when the row was
 * read: nobody is told that it has changed.
 */
type Direct = {
  id: ConversationId
  kind: 'DIRECT'
  members: readonly UserId[]
  metadata?: string
  retention?: Retention
}

/**
 * `members` are in the order in which they joined. `version` is the seq of the last change that took effect. `pastVersions` are the seqs of
 * those that did so before, ascending, without a gap; of a group that has changed often, and of a row of an earlier release, only the latest.
 */
export type Group = {
  id: ConversationId
  kind: 'GROUP'
  title: string
  /** What backends have put beside the group: the text of a JSON object. */
  metadata?: string
  members: readonly UserId[]
  membersById: ReadonlyMap<UserId, GroupMember>
  version: Seq
  pastVersions: readonly Seq[]
  retention?: Retention
}

export type Conversation = Direct | Group

export interface ConversationStore {
  /** Puts the conversation if there is none with that id. */
  create(conversation: Conversation): Promise<void>
  getMany(ids: readonly ConversationId[]): Promise<Conversation[]>
  /** Replaces the stored group IF it has `version`, but for its retention. Returns whether it did. */
  replace(group: Group, version: Seq): Promise<boolean>
  /** Sets the metadata of a direct chat that exists; undefined takes it away. That of a group is part of its changes. */
  setMetadata(id: ConversationId, metadata: string | undefined): Promise<void>
  /** Puts a pseudonym in the place of an erased member of a direct chat. */
  replaceMember(id: ConversationId, userId: UserId, pseudonym: UserId): Promise<void>
  /** Sets after how many days messages go, in a conversation that exists; undefined: they stay from now on. The floor stays where it is. */
  setRetention(id: ConversationId, days: number | undefined): Promise<void>
  /** SET the floor IF it is absent or lower, and messages are still kept for so many days. */
  raiseFloor(id: ConversationId, seq: Seq, days: number): Promise<void>
  /** SET the seq up to which cells are empty IF absent or lower. */
  noteEmptied(id: ConversationId, seq: Seq): Promise<void>
}

/** What one member has decided for themselves about a conversation. */
export type Settings = { mutedUntilMs?: number; pinned: boolean; archived: boolean }

/** Settings that are not named stay. `mutedUntilMs: null` ends a mute. */
export type SettingsChange = { mutedUntilMs?: number | null; pinned?: boolean; archived?: boolean }

/** A conversation without `settings` is neither muted nor pinned nor archived. */
export type Membership = { conversationId: ConversationId; joinedSeq: Seq; settings?: Settings }

/**
 * An index of who may be in which conversation. The conversations are the truth: a row may exist for a user who is no longer in the
 * conversation, or not yet; but a member always has a row.
 */
export interface MembershipStore {
  /** Puts the first memberships of a conversation that is being created. They have no settings that could be overwritten. */
  addFirst(userIds: readonly UserId[], membership: Membership): Promise<void>
  /** Puts the membership, or raises its joinedSeq. */
  add(userId: UserId, membership: Membership): Promise<void>
  /** Deletes the membership IF its joinedSeq is below `seq`. */
  remove(userId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  ofUser(userId: UserId): Promise<readonly Membership[]>
  /** Returns one result per member, in the order asked for; undefined where there is none. */
  getMany(members: readonly MemberAddress[]): Promise<(Membership | undefined)[]>
  /** Changes at least one setting of an existing membership. Returns the membership as it is now, or undefined if there is none. */
  configure(member: MemberAddress, change: SettingsChange): Promise<Membership | undefined>
}
