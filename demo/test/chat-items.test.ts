import { expect, test } from 'vitest'
import type { ConversationFieldsFragment } from '../../src/client/generated/graphql.ts'
import type { Outgoing } from '../../src/client/index.ts'
import { chatItems } from '../src/chats/chat-items.ts'

const withOne = (other: string, sender: string, change: Partial<ConversationFieldsFragment> = {}) => {
  const id = `dm_${other}`
  const unchanged = { editedAt: null, deletedAt: null, attachments: [], reactions: [], replyTo: null }
  const message = { id: 'm', conversationId: id, seq: 5, messageId: '1', clientMessageId: null, ...unchanged }
  const conversation: ConversationFieldsFragment = {
    id,
    kind: 'DIRECT',
    title: null,
    members: [...new Set(['alice', other])].map((member) => ({ id: member, name: null })),
    memberships: [],
    mutedUntil: null,
    pinned: false,
    archived: false,
    lastSeq: 5,
    unreadCount: 0,
    lastMessage: { ...message, body: 'hello', sentAt: '2026-03-10T12:00:00.000Z', sender: { id: sender, name: null } },
    ticks: [{ conversationId: id, userId: other, lastDeliveredSeq: 5, lastReadSeq: 4 }],
    ...change,
  }
  return conversation
}

const outgoing = (userId: string, state: Outgoing['state']): Outgoing => ({
  clientMessageId: `to-${userId}`,
  to: { userId },
  body: 'hi',
  createdAtMs: 1,
  state,
})

test('ticks for what the viewer wrote, none for what others did', () => {
  const [mine, theirs] = chatItems([withOne('bob', 'alice'), withOne('carol', 'carol')], [], 'alice')
  expect([mine?.title, mine?.last?.tick]).toEqual(['Bob', 'DELIVERED'])
  expect([theirs?.title, theirs?.last?.tick]).toEqual(['Carol', undefined])
})

test('a chat with something under way comes first', () => {
  const items = chatItems([withOne('bob', 'bob'), withOne('carol', 'carol')], [outgoing('carol', 'waiting')], 'alice')
  expect(items.map(({ title, last }) => [title, last?.tick])).toEqual([
    ['Carol', 'WAITING'],
    ['Bob', undefined],
  ])
})

test('so does one the server has not heard of', () => {
  const items = chatItems([withOne('bob', 'bob')], [outgoing('dave', 'waiting'), outgoing('dave', 'failed')], 'alice')
  expect(items.map(({ key, last }) => [key, last?.tick])).toEqual([
    ['with:dave', 'FAILED'],
    ['with:bob', undefined],
  ])
})

test('alone in a chat, one keeps notes', () => {
  const [item] = chatItems([withOne('alice', 'alice')], [], 'alice')
  expect([item?.title, item?.to]).toEqual(['Notes to self', { with: 'alice' }])
})

test('a group says who spoke', () => {
  const group = withOne('bob', 'bob', { id: 'grp_1', kind: 'GROUP', title: 'Trip' })
  const [item] = chatItems([group], [], 'alice')
  expect([item?.title, item?.to, item?.last?.sender]).toEqual(['Trip', { chat: 'grp_1' }, 'Bob'])
})

test('what was deleted is said to be, and has no tick', () => {
  const { lastMessage } = withOne('bob', 'alice')
  const deleted = lastMessage && { ...lastMessage, body: '', deletedAt: '2026-03-10T12:01:00.000Z' }
  const [item] = chatItems([withOne('bob', 'alice', { lastMessage: deleted })], [], 'alice')
  expect(item?.last).toMatchObject({ body: 'This message was deleted', deleted: true })
  expect(item?.last?.tick).toBeUndefined()
})
