import type { ConversationFieldsFragment, Outgoing } from '@parley/client'
import { expect, test } from 'vitest'
import { chatItems } from '../src/chats/chat-items.ts'

const withOne = (other: string, sender: string, change: Partial<ConversationFieldsFragment> = {}) => {
  const id = `dm_${other}`
  const unchanged = { editedAt: null, deletedAt: null, attachments: [], reactions: [], replyTo: null, metadata: null }
  const message = {
    id: 'm',
    kind: 'USER' as const,
    conversationId: id,
    seq: 5,
    messageId: '1',
    clientMessageId: null,
    ...unchanged,
  }
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
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    unreadCount: 0,
    lastMessage: { ...message, body: 'hello', sentAt: '2026-03-10T12:00:00.000Z', sender: { id: sender, name: null } },
    ticks: [{ conversationId: id, userId: other, lastDeliveredSeq: 5, lastReadSeq: 4 }],
    ...change,
  }
  return conversation
}

const viewer = { viewer: 'alice', nowMs: Date.parse('2026-03-10T13:00:00.000Z') }

const outgoing = (userId: string, state: Outgoing['state']): Outgoing => ({
  clientMessageId: `to-${userId}`,
  to: { userId },
  body: 'hi',
  createdAtMs: 1,
  state,
})

test('ticks for what the viewer wrote, none for what others did', () => {
  const [mine, theirs] = chatItems([withOne('bob', 'alice'), withOne('carol', 'carol')], [], viewer)
  expect([mine?.title, mine?.last?.tick]).toEqual(['Bob', 'DELIVERED'])
  expect([theirs?.title, theirs?.last?.tick]).toEqual(['Carol', undefined])
})

test('a chat with something under way comes first', () => {
  const items = chatItems([withOne('bob', 'bob'), withOne('carol', 'carol')], [outgoing('carol', 'waiting')], viewer)
  expect(items.map(({ title, last }) => [title, last?.tick])).toEqual([
    ['Carol', 'WAITING'],
    ['Bob', undefined],
  ])
})

test('so does one the server has not heard of', () => {
  const items = chatItems([withOne('bob', 'bob')], [outgoing('dave', 'waiting'), outgoing('dave', 'failed')], viewer)
  expect(items.map(({ key, last }) => [key, last?.tick])).toEqual([
    ['with:dave', 'FAILED'],
    ['with:bob', undefined],
  ])
})

test('and so does a group in which nothing was said yet', () => {
  const group = withOne('bob', 'bob', { id: 'grp_1', kind: 'GROUP', title: 'Trip', lastMessage: null })
  const items = chatItems([withOne('carol', 'carol'), group], [], viewer)
  expect(items.map(({ title }) => title)).toEqual(['Trip', 'Carol'])
})

test('alone in a chat, one keeps notes', () => {
  const [item] = chatItems([withOne('alice', 'alice')], [], viewer)
  expect([item?.title, item?.to]).toEqual(['Notes to self', { with: 'alice' }])
})

test('a group says who spoke', () => {
  const group = withOne('bob', 'bob', { id: 'grp_1', kind: 'GROUP', title: 'Trip' })
  const [item] = chatItems([group], [], viewer)
  expect([item?.title, item?.to, item?.last?.sender]).toEqual(['Trip', { chat: 'grp_1' }, 'Bob'])
})

test('what was deleted is said to be, and has no tick', () => {
  const { lastMessage } = withOne('bob', 'alice')
  const deleted = lastMessage && { ...lastMessage, body: '', deletedAt: '2026-03-10T12:01:00.000Z' }
  const [item] = chatItems([withOne('bob', 'alice', { lastMessage: deleted })], [], viewer)
  expect(item?.last).toMatchObject({ body: 'This message was deleted', deleted: true })
  expect(item?.last?.tick).toBeUndefined()
})

test('what was decided about a chat is told, and a mute that is over is none', () => {
  const settings = { pinned: true, archived: true, mutedUntil: '2026-03-10T13:00:01.000Z' }
  const [chosen] = chatItems([withOne('bob', 'bob', settings)], [], viewer)
  expect(chosen).toMatchObject({ pinned: true, archived: true, muted: true, conversationId: 'dm_bob' })
  const [later] = chatItems([withOne('bob', 'bob', settings)], [], { ...viewer, nowMs: viewer.nowMs + 1000 })
  expect(later?.muted).toBe(false)
})

test('files are named where there are no words', () => {
  const { lastMessage } = withOne('bob', 'bob')
  const file = { id: 'f', url: '/f', byteSize: 3, contentType: 'image/png', name: 'cat.png' }
  const pictured = lastMessage && { ...lastMessage, body: '', attachments: [file] }
  const [item] = chatItems([withOne('bob', 'bob', { lastMessage: pictured })], [], viewer)
  expect(item?.last?.body).toBe('Picture')
})
