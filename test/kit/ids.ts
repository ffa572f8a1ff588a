import { randomUUID } from 'node:crypto'
import type { Group } from '../../src/ports/conversations.ts'
import type { Alteration, Change, GroupChange, Message, Void } from '../../src/ports/log.ts'
import type { ClientMessageId, ConversationId, MessageId, Seq, UserId } from '../../src/protocol/ids.ts'

// Makes fresh ids, so that tests share tables without meeting each other.

export const aUser = (): UserId => `user-${randomUUID()}` as UserId
export const aConversation = (): ConversationId => `grp_${randomUUID()}` as ConversationId
export const aClientMessageId = (): ClientMessageId => randomUUID() as ClientMessageId

export const aMessage = (conversationId: ConversationId, seq: Seq, given: Partial<Message> = {}): Message => ({
  kind: 'message',
  conversationId,
  seq,
  messageId: String(1_000_000 + seq) as MessageId,
  clientMessageId: aClientMessageId(),
  senderId: aUser(),
  body: `message ${seq}`,
  sentAtMs: 1_790_000_000_123 + seq,
  ...given,
})

export const aChange = (target: Message, seq: Seq, alteration: Alteration, given: Partial<Change> = {}): Change => ({
  kind: 'change',
  conversationId: target.conversationId,
  seq,
  messageId: String(1_000_000 + seq) as MessageId,
  clientMessageId: aClientMessageId(),
  senderId: target.senderId,
  sentAtMs: 1_790_000_000_123 + seq,
  targetSeq: target.seq,
  alteration,
  ...given,
})

export const aGroupChange = (
  conversationId: ConversationId,
  seq: Seq,
  given: Partial<GroupChange> = {},
): GroupChange => ({
  kind: 'group',
  conversationId,
  seq,
  messageId: String(1_000_000 + seq) as MessageId,
  clientMessageId: aClientMessageId(),
  senderId: aUser(),
  sentAtMs: 1_790_000_000_123 + seq,
  baseVersion: 0,
  added: [],
  removed: [],
  roles: [],
  ...given,
})

/** The first member is its owner. */
export const aGroup = (given: Partial<Group> = {}): Group => {
  const members = given.members ?? [aUser(), aUser()]
  return {
    id: aConversation(),
    kind: 'GROUP',
    title: 'Tea',
    members,
    membersById: new Map(
      members.map((userId, i) => [userId, { role: i === 0 ? 'OWNER' : 'MEMBER', joinedSeq: i + 1 }]),
    ),
    version: members.length,
    pastVersions: [],
    ...given,
  }
}

export const aVoid = (conversationId: ConversationId, seq: Seq): Void => ({ kind: 'void', conversationId, seq })

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
