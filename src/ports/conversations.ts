// Conversations, who is in them, and what each has decided about them. In DynamoDB.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { MemberAddress } from './delivery.ts'

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/** What a group knows of one member. `joinedSeq`: of the change by which they came; they see what is above it. */
export type GroupMember = { role: Role; joinedSeq: Seq }

/** Two people, or one with themselves. Never changes. */
type Direct = { id: ConversationId; kind: 'DIRECT'; members: readonly UserId[] }

/** `members`: in the order they came. `version`: the seq of the last change that took effect. */
export type Group = {
  id: ConversationId
  kind: 'GROUP'
  title: string
  members: readonly UserId[]
  membersById: ReadonlyMap<UserId, GroupMember>
  version: Seq
}

export type Conversation = Direct | Group

export interface ConversationStore {
  /** Puts it if there is none of that id. */
  create(conversation: Conversation): Promise<void>
  getMany(ids: readonly ConversationId[]): Promise<Conversation[]>
  /** Puts the group in the place of the one that is there IF that has `version`. */
  replace(group: Group, version: Seq): Promise<boolean>
}

/** What one member has decided for themselves about a conversation. */
export type Settings = { mutedUntilMs?: number; pinned: boolean; archived: boolean }

/** What is not named stays. `mutedUntilMs: null` ends it. */
export type SettingsChange = { mutedUntilMs?: number | null; pinned?: boolean; archived?: boolean }

/** Without `settings` it is neither muted nor pinned nor archived. */
export type Membership = { conversationId: ConversationId; joinedSeq: Seq; settings?: Settings }

/**
 * An index of who may be in which conversation. The conversations are the truth: a row may be there for somebody who is not in one
 * (any more, or yet), never the other way round.
 */
export interface MembershipStore {
  /** Puts the first ones of a conversation that is being made: nobody has set anything in them yet. */
  found(userIds: readonly UserId[], membership: Membership): Promise<void>
  /** Puts it, or raises its joinedSeq. */
  add(userId: UserId, membership: Membership): Promise<void>
  /** Deletes it IF its joinedSeq is below `seq`. */
  remove(userId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  ofUser(userId: UserId): Promise<readonly Membership[]>
  /** In the order asked for; undefined where there is none. */
  getMany(members: readonly MemberAddress[]): Promise<(Membership | undefined)[]>
  /** Changes the settings of a membership that is there, at least one of them. Returns it as it is now, or undefined. */
  configure(member: MemberAddress, change: SettingsChange): Promise<Membership | undefined>
}
