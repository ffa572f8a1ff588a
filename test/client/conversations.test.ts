import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ConversationsOptions, createConversations } from '../../src/client/conversations.ts'
import type { ConversationFieldsFragment } from '../../src/client/generated/graphql.ts'
import { boundary, conversation, insisting, list, message, networkFailure, scriptedAsk } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start(options: Partial<ConversationsOptions> = {}) {
  const asks = scriptedAsk()
  const conversations = createConversations({
    ask: asks.ask,
    insist: insisting().insist,
    userId: 'alice',
    readUpTo: () => 0,
    ...options,
  })
  return {
    ...asks,
    conversations,
    ids: () => conversations.state.get().conversations.map(({ id }) => id),
    async listed(...all: ConversationFieldsFragment[]): Promise<void> {
      void conversations.refresh(() => false)
      await asks.answer(list(all), 'Conversations')
    },
  }
}

const chatAt = (seq: number, shape: Partial<ConversationFieldsFragment> = {}) =>
  conversation({ ...shape, lastMessage: message(seq, { conversationId: shape.id ?? 'dm_1' }) })

describe('the list', () => {
  it('is loading until the head of it is there', async () => {
    const { conversations, listed } = start()
    expect(conversations.state.get()).toEqual({ conversations: [], loading: true, hasMore: false })
    await listed(chatAt(1))
    expect(conversations.state.get()).toMatchObject({ loading: false, hasMore: false, conversations: [{ id: 'dm_1' }] })
  })

  it('shows the latest activity first', async () => {
    const { conversations, listed, ids } = start()
    await listed(chatAt(3, { id: 'a' }), conversation({ id: 'empty' }), chatAt(5, { id: 'b' }))
    expect(ids()).toEqual(['b', 'a', 'empty'])
    conversations.received(message(9, { conversationId: 'a' }))
    expect(ids()).toEqual(['a', 'b', 'empty'])
  })

  it('goes on page by page, where the last one ended', async () => {
    const { conversations, answer, first, ids } = start()
    void conversations.refresh(() => false)
    await answer(list([chatAt(9, { id: 'a' })], true))
    expect(conversations.state.get().hasMore).toBe(true)
    void conversations.loadMore()
    expect(conversations.state.get().loading).toBe(true)
    expect(first().variables).toEqual({ first: 100, after: 'at a' })
    await answer(list([chatAt(8, { id: 'b' })], true))
    void conversations.loadMore()
    expect(first().variables.after).toBe('at b')
    await answer(list([chatAt(7, { id: 'c' })]))
    expect(ids()).toEqual(['a', 'b', 'c'])
    expect(conversations.state.get()).toMatchObject({ loading: false, hasMore: false })
  })

  it('is not read on while it is being read, nor when there is no more', async () => {
    const { conversations, answer, all } = start()
    void conversations.loadMore()
    void conversations.refresh(() => false)
    void conversations.loadMore()
    await answer(list([chatAt(9, { id: 'a' })], true))
    void conversations.loadMore()
    void conversations.loadMore()
    expect(all).toHaveLength(2)
    await answer(list([]))
    void conversations.loadMore()
    expect(all).toHaveLength(2)
  })

  it('says when the next page could not be read, and reads it when asked again', async () => {
    const { conversations, answer, fail, ids, first } = start()
    void conversations.refresh(() => false)
    await answer(list([chatAt(9, { id: 'a' })], true))
    void conversations.loadMore()
    await fail(networkFailure)
    expect(conversations.state.get()).toMatchObject({ loading: false, hasMore: true, error: { code: 'NETWORK' } })
    void conversations.loadMore()
    expect(conversations.state.get()).not.toHaveProperty('error')
    expect(first().variables.after).toBe('at a')
    await answer(list([chatAt(8, { id: 'b' })]))
    expect(ids()).toEqual(['a', 'b'])
  })

  it('that is read again keeps what was loaded further down, and the place to go on from', async () => {
    const { conversations, answer, ids, first, listed } = start()
    void conversations.refresh(() => false)
    await answer(list([chatAt(9, { id: 'a' })], true))
    void conversations.loadMore()
    await answer(list([chatAt(8, { id: 'b' })], true))
    await listed(chatAt(10, { id: 'new' }), chatAt(9, { id: 'a' }))
    expect(ids()).toEqual(['new', 'a', 'b'])
    expect(conversations.state.get().hasMore).toBe(true)
    void conversations.loadMore()
    expect(first().variables.after).toBe('at b')
  })

  it('is read as far as whoever reads it wants, and tells them what it found', async () => {
    const { conversations, answer, open } = start()
    const pages: string[][] = []
    const found = conversations.refresh((page) => {
      pages.push(page.map(({ id }) => id))
      return page.some(({ id }) => id === 'a')
    })
    await answer(list([chatAt(9, { id: 'a' })], true))
    await answer(list([chatAt(8, { id: 'b' })], true))
    expect((await found).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(pages).toEqual([['a'], ['b']])
    expect(open).toHaveLength(0)
  })

  it('that cannot be read tells whoever wanted it', async () => {
    const { conversations, fail } = start()
    const outcome = conversations.refresh(() => true).catch((error) => error)
    await fail(networkFailure)
    expect(await outcome).toMatchObject({ code: 'NETWORK' })
  })

  it('is empty and loading after a reset', async () => {
    const { conversations, listed, first } = start()
    await listed(chatAt(1))
    conversations.reset()
    expect(conversations.state.get()).toMatchObject({ conversations: [], loading: true })
    expect(conversations.idOf({ userId: 'bob' })).toBeUndefined()
    void conversations.refresh(() => false)
    expect(first().variables.after).toBeNull()
  })
})

describe('a message', () => {
  it('of another becomes the last one, and unread', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1, { unreadCount: 1 }))
    conversations.received(message(2))
    conversations.received(message(3))
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 3, unreadCount: 3, lastMessage: { seq: 3 } })
  })

  it('of one’s own, or one that was read elsewhere, is not unread', async () => {
    const { conversations, listed } = start({ readUpTo: () => 3 })
    await listed(chatAt(1, { unreadCount: 0 }))
    conversations.received(message(2, { from: 'alice' }))
    conversations.received(message(3))
    expect(conversations.get('dm_1')?.unreadCount).toBe(0)
    conversations.received(message(4))
    conversations.received(message(5, { from: 'alice' }))
    expect(conversations.get('dm_1')).toMatchObject({ unreadCount: 1, lastSeq: 5 })
  })

  it('that the list has counted already changes nothing', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { unreadCount: 2 }))
    const before = conversations.get('dm_1')
    conversations.received(message(4))
    conversations.received(message(5))
    expect(conversations.get('dm_1')).toEqual(before)
  })

  it('beyond the hundredth unread is not counted', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { unreadCount: 100 }))
    conversations.received(message(6))
    expect(conversations.get('dm_1')?.unreadCount).toBe(100)
  })

  it('of a conversation nobody knew has it looked up, once', async () => {
    const { conversations, answer, all, ids } = start()
    conversations.received(message(1))
    conversations.received(message(2))
    expect(all).toMatchObject([{ name: 'Conversation', variables: { id: 'dm_1' } }])
    await answer({ conversation: chatAt(2, { unreadCount: 2 }) })
    expect(ids()).toEqual(['dm_1'])
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 2, unreadCount: 2 })
    conversations.received(message(3))
    expect(all).toHaveLength(1)
  })

  it('that came while its conversation was looked up is shown although the answer is older', async () => {
    const { conversations, answer } = start()
    conversations.received(message(1))
    conversations.received(message(2))
    conversations.received(message(3))
    await answer({ conversation: chatAt(1, { unreadCount: 1 }) })
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 3, unreadCount: 3, lastMessage: { seq: 3 } })
  })

  it.each([
    ['fails', (asks: ReturnType<typeof start>) => asks.fail(networkFailure)],
    ['finds nothing', (asks: ReturnType<typeof start>) => asks.answer({ conversation: null })],
  ])('whose look-up %s has it looked up by the next one', async (_what, settle) => {
    const world = start()
    world.conversations.received(message(1))
    await settle(world)
    expect(world.ids()).toEqual([])
    world.conversations.received(message(2))
    await world.answer({ conversation: chatAt(2) })
    expect(world.ids()).toEqual(['dm_1'])
  })
})

describe('a page', () => {
  it('that is older than what the inbox has brought does not take it back', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1))
    conversations.received(message(2))
    await listed(chatAt(1))
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 2, unreadCount: 1 })
  })

  it('that is newer, or as new, has the server’s count', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1, { unreadCount: 1 }))
    conversations.received(message(2))
    await listed(chatAt(2, { unreadCount: 7 }))
    expect(conversations.get('dm_1')?.unreadCount).toBe(7)
    await listed(chatAt(4, { unreadCount: 9 }))
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 4, unreadCount: 9 })
  })

  it('does not count what the user has read, though the server may not know it yet', async () => {
    const { conversations, listed } = start({ readUpTo: () => 5 })
    await listed(chatAt(5, { unreadCount: 2 }))
    expect(conversations.get('dm_1')?.unreadCount).toBe(0)
    await listed(chatAt(6, { unreadCount: 3 }))
    expect(conversations.get('dm_1')?.unreadCount).toBe(3)
  })

  it('that is older than a boundary does not take it back', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { ticks: [boundary('alice', 5), boundary('bob', 3, 1)] }))
    conversations.ticksChanged('dm_1', [boundary('alice', 5), boundary('bob', 5, 5)])
    await listed(chatAt(5, { ticks: [boundary('alice', 5, 5), boundary('bob', 4, 1)] }))
    expect(conversations.get('dm_1')?.ticks).toEqual([boundary('alice', 5, 5), boundary('bob', 5, 5)])
    await listed(chatAt(6, { ticks: [boundary('alice', 5), boundary('bob', 4, 1)] }))
    expect(conversations.get('dm_1')?.ticks).toEqual([boundary('alice', 5, 5), boundary('bob', 5, 5)])
  })

  it('tells of each conversation it shows, and whether it is new', async () => {
    const { conversations, listed } = start()
    const seen: string[] = []
    conversations.onSeen(({ id }, isNew) => seen.push(`${id} ${isNew}`))
    await listed(chatAt(1), chatAt(1, { id: 'grp_1' }))
    await listed(chatAt(2))
    expect(seen).toEqual(['dm_1 true', 'grp_1 true', 'dm_1 false'])
  })
})

describe('read', () => {
  it('up to the last message, nothing is unread; below it only the server can count', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { unreadCount: 3 }))
    conversations.read('dm_1', 4)
    expect(conversations.get('dm_1')?.unreadCount).toBe(3)
    conversations.read('dm_1', 5)
    expect(conversations.get('dm_1')?.unreadCount).toBe(0)
    conversations.read('nobody knows it', 5)
  })

  it('below the last message is counted when the conversation is looked up', async () => {
    const { conversations, listed, answer } = start()
    await listed(chatAt(5, { unreadCount: 3 }))
    void conversations.look('dm_1')
    conversations.received(message(6))
    await answer({ conversation: chatAt(5, { unreadCount: 1 }) })
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 6, unreadCount: 2, lastMessage: { seq: 6 } })
  })
})

describe('a person', () => {
  it('is the direct chat with them, as soon as it is known', async () => {
    const { conversations, listed } = start()
    expect(conversations.idOf({ userId: 'bob' })).toBeUndefined()
    expect(conversations.idOf({ conversationId: 'dm_1' })).toBe('dm_1')
    await listed(chatAt(1))
    expect(conversations.idOf({ userId: 'bob' })).toBe('dm_1')
  })

  it('is oneself in a note to self, and nobody in a group', async () => {
    const { conversations, listed } = start()
    const alone = [{ id: 'alice', name: null }]
    await listed(chatAt(1, { id: 'dm_self', members: alone }), chatAt(1, { id: 'grp_1', kind: 'GROUP' }))
    expect(conversations.idOf({ userId: 'alice' })).toBe('dm_self')
    expect(conversations.idOf({ userId: 'bob' })).toBeUndefined()
  })

  it('shares the lane of the chat with them', async () => {
    const { conversations } = start()
    const lanes = () => [conversations.laneOf({ userId: 'bob' }), conversations.laneOf({ conversationId: 'dm_1' })]
    expect(new Set(lanes()).size).toBe(2)
    conversations.isDirectWith('bob', 'dm_1')
    expect(lanes()).toEqual(['dm_1', 'dm_1'])
  })
})

describe('the order messages go out in', () => {
  it('is one of its own for each conversation that is known', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1), chatAt(1, { id: 'grp_1', kind: 'GROUP' }))
    const orders = [{ userId: 'bob' }, { conversationId: 'dm_1' }, { conversationId: 'grp_1' }].map((to) =>
      conversations.orderOf(to),
    )
    expect(orders).toEqual(['dm_1', 'dm_1', 'grp_1'])
  })

  it('is the same for whatever may turn out to be the same', () => {
    const { conversations } = start()
    expect(conversations.orderOf({ userId: 'bob' })).toBe(conversations.orderOf({ conversationId: 'dm_1' }))
  })
})
