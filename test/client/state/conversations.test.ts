import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ConversationFieldsFragment, TypedDocumentString } from '../../../packages/client/src/generated/graphql.ts'
import { ClientError } from '../../../packages/client/src/shared/client-error.ts'
import { type ConversationsOptions, createConversations } from '../../../packages/client/src/state/conversations.ts'
import { boundary, conversation, list, message, networkFailure, retrying, scriptedAsk } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start(options: Partial<ConversationsOptions> = {}) {
  const asks = scriptedAsk()
  const conversations = createConversations({
    ask: asks.ask,
    retryUntilAnswered: retrying().retryUntilAnswered,
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
    conversations.received(message(9, { conversationId: 'a' }), 8)
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

  it('is asked for in smaller pages where large groups make a page too much, and says so only where one chat is', async () => {
    const { conversations, answer, fail, first, ids } = start()
    const tooMuch = new ClientError('too much', { code: 'QUERY_TOO_COMPLEX', retryable: false })
    const refreshed = conversations.refresh(() => false)
    await fail(tooMuch)
    expect(first().variables).toEqual({ first: 50, after: null })
    await fail(tooMuch)
    expect(first().variables).toEqual({ first: 25, after: null })
    await answer(list([chatAt(9, { id: 'a' })], true))
    expect((await refreshed).map(({ id }) => id)).toEqual(['a'])
    expect(ids()).toEqual(['a'])
    const failed = conversations.refresh(() => false).catch((error: ClientError) => error.code)
    for (const size of [100, 50, 25, 12, 6, 3, 1]) {
      expect(first().variables.first).toBe(size)
      await fail(tooMuch)
    }
    expect(await failed).toBe('QUERY_TOO_COMPLEX')
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
    conversations.received(message(2), 1)
    conversations.received(message(3), 2)
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 3, unreadCount: 3, lastMessage: { seq: 3 } })
  })

  it('of one’s own, or one that was read elsewhere, is not unread', async () => {
    const { conversations, listed } = start({ readUpTo: () => 3 })
    await listed(chatAt(1, { unreadCount: 0 }))
    conversations.received(message(2, { from: 'alice' }), 1)
    conversations.received(message(3), 2)
    expect(conversations.get('dm_1')?.unreadCount).toBe(0)
    conversations.received(message(4), 3)
    conversations.received(message(5, { from: 'alice' }), 4)
    expect(conversations.get('dm_1')).toMatchObject({ unreadCount: 1, lastSeq: 5 })
  })

  it('that the list has counted already changes nothing', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { unreadCount: 2 }))
    const before = conversations.get('dm_1')
    conversations.received(message(4), 3)
    conversations.received(message(5), 4)
    expect(conversations.get('dm_1')).toEqual(before)
  })

  it('beyond the hundredth unread is not counted', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(5, { unreadCount: 100 }))
    conversations.received(message(6), 5)
    expect(conversations.get('dm_1')?.unreadCount).toBe(100)
  })

  it('of a conversation nobody knew has it looked up, once', async () => {
    const { conversations, answer, all, ids } = start()
    conversations.received(message(1), 0)
    conversations.received(message(2), 1)
    expect(all).toMatchObject([{ name: 'Conversation', variables: { id: 'dm_1' } }])
    await answer({ conversation: chatAt(2, { unreadCount: 2 }) })
    expect(ids()).toEqual(['dm_1'])
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 2, unreadCount: 2 })
    conversations.received(message(3), 2)
    expect(all).toHaveLength(1)
  })

  it('that came while its conversation was looked up is shown although the answer is older', async () => {
    const { conversations, answer } = start()
    conversations.received(message(1), 0)
    conversations.received(message(2), 1)
    conversations.received(message(3), 2)
    await answer({ conversation: chatAt(1, { unreadCount: 1 }) })
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 3, unreadCount: 3, lastMessage: { seq: 3 } })
  })

  it.each([
    ['fails', (asks: ReturnType<typeof start>) => asks.fail(networkFailure)],
    ['finds nothing', (asks: ReturnType<typeof start>) => asks.answer({ conversation: null })],
  ])('whose look-up %s has it looked up by the next one', async (_what, settle) => {
    const world = start()
    world.conversations.received(message(1), 0)
    await settle(world)
    expect(world.ids()).toEqual([])
    world.conversations.received(message(2), 1)
    await world.answer({ conversation: chatAt(2) })
    expect(world.ids()).toEqual(['dm_1'])
  })
})

describe('a page', () => {
  it('that is older than what the inbox has brought does not take it back', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1))
    conversations.received(message(2), 1)
    await listed(chatAt(1))
    expect(conversations.get('dm_1')).toMatchObject({ lastSeq: 2, unreadCount: 1 })
  })

  it('that is newer, or as new, has the server’s count', async () => {
    const { conversations, listed } = start()
    await listed(chatAt(1, { unreadCount: 1 }))
    conversations.received(message(2), 1)
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
    void conversations.reread('dm_1')
    conversations.received(message(6), 5)
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
    const lanes = () => [
      conversations.recipientKeyOf({ userId: 'bob' }),
      conversations.recipientKeyOf({ conversationId: 'dm_1' }),
    ]
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
      conversations.sendQueueOf(to),
    )
    expect(orders).toEqual(['dm_1', 'dm_1', 'grp_1'])
  })

  it('is the same for whatever may turn out to be the same', () => {
    const { conversations } = start()
    expect(conversations.sendQueueOf({ userId: 'bob' })).toBe(conversations.sendQueueOf({ conversationId: 'dm_1' }))
  })
})

const group = (seq: number, shape: Partial<ConversationFieldsFragment> = {}) =>
  chatAt(seq, { id: 'grp_1', kind: 'GROUP', title: 'Tea', ...shape })

/** As the server says it by itself. */
function word(of: ConversationFieldsFragment, lastSeq = of.lastSeq) {
  const { id, title, mutedUntil, pinned, archived, unreadCount, lastMessage, lastActivityAt } = of
  const told = { id, title, mutedUntil, pinned, archived, unreadCount, lastSeq, lastActivityAt }
  return {
    conversation: { ...told, lastMessage: lastMessage && { seq: lastMessage.seq } },
    removedConversationId: null,
  }
}

describe('what the server says by itself', () => {
  it('is shown: settings, title and count', async () => {
    const { conversations, listed } = start()
    await listed(group(4))
    const mutedUntil = '2026-02-01T00:00:00.000Z'
    conversations.handleEvent(
      word(group(4, { title: 'Coffee', pinned: true, archived: true, mutedUntil, unreadCount: 3 })),
    )
    expect(conversations.get('grp_1')).toEqual(
      group(4, { title: 'Coffee', pinned: true, archived: true, mutedUntil, unreadCount: 3 }),
    )
  })

  it('of a conversation nobody knows has it asked for', async () => {
    const { conversations, answer, ids } = start()
    conversations.handleEvent(word(group(1)))
    await answer({ conversation: group(1) }, 'Conversation')
    expect(ids()).toEqual(['grp_1'])
  })

  it('drops a group that is gone, once the server has been asked', async () => {
    const { conversations, listed, answer, ids } = start()
    await listed(group(4))
    const gone = { conversation: null, removedConversationId: 'grp_1' }
    conversations.handleEvent(gone)
    await answer({ conversation: group(4) }, 'Conversation')
    expect(ids()).toEqual(['grp_1'])
    conversations.handleEvent(gone)
    await answer({ conversation: null }, 'Conversation')
    expect(ids()).toEqual([])
  })

  it('puts a group that is new and silent where its beginning belongs', async () => {
    const { listed, ids } = start()
    const late = '2026-03-01T00:00:00.000Z'
    await listed(chatAt(4), group(0, { lastActivityAt: late }))
    expect(ids()).toEqual(['grp_1', 'dm_1'])
  })

  it('counts a message before the inbox brings it, which is not counted again', async () => {
    const { conversations, listed } = start()
    await listed(group(4, { unreadCount: 1 }))
    conversations.handleEvent(word(group(5, { unreadCount: 2 })))
    expect(conversations.get('grp_1')).toMatchObject({ unreadCount: 2, lastMessage: { seq: 4 } })
    conversations.received(message(5, { conversationId: 'grp_1' }), 4)
    expect(conversations.get('grp_1')).toMatchObject({ unreadCount: 2, lastMessage: { seq: 5 }, lastSeq: 5 })
  })

  it('does not make unread what the user has read here, and leaves unread what came after that', async () => {
    let read = 5
    const { conversations, listed } = start({ readUpTo: () => read })
    await listed(group(4))
    conversations.handleEvent(word(group(5, { unreadCount: 1 })))
    expect(conversations.get('grp_1')?.unreadCount).toBe(0)
    read = 4
    conversations.handleEvent(word(group(5, { unreadCount: 1 })))
    expect(conversations.get('grp_1')?.unreadCount).toBe(1)
  })

  it('leaves alone what the inbox has brought beyond it', async () => {
    const { conversations, listed } = start()
    await listed(group(4))
    conversations.received(message(5, { conversationId: 'grp_1' }), 4)
    conversations.handleEvent(word(group(4, { pinned: true })))
    expect(conversations.get('grp_1')).toMatchObject({
      unreadCount: 1,
      lastSeq: 5,
      lastMessage: { seq: 5 },
      pinned: true,
    })
  })

  it('stands against a page that was asked for before, which says who is in it all the same', async () => {
    const { conversations, listed, answer } = start()
    await listed(group(4, { unreadCount: 2 }))
    void conversations.refresh(() => false)
    conversations.handleEvent(word(group(4, { pinned: true })))
    await answer(list([group(4, { unreadCount: 2, members: [{ id: 'carol', name: null }] })]), 'Conversations')
    expect(conversations.get('grp_1')).toMatchObject({ pinned: true, unreadCount: 0, members: [{ id: 'carol' }] })
    await listed(group(4))
    expect(conversations.get('grp_1')).toMatchObject({ pinned: false })
  })

  it('about an entry that is no message has the group read whole, a moment later, where somebody looks at it', async () => {
    const { conversations, listed, all, answer } = start()
    await listed(group(4), chatAt(4))
    conversations.watch('grp_1')
    conversations.handleEvent(word(group(4), 5))
    conversations.handleEvent(word(group(4), 6))
    conversations.handleEvent(word(chatAt(4), 5))
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(all.slice(1)).toMatchObject([{ name: 'Conversation', variables: { id: 'grp_1' } }])
    const members = [{ id: 'carol', name: null }]
    await answer({ conversation: group(4, { lastSeq: 6, members }) })
    expect(conversations.get('grp_1')).toMatchObject({ members })
    conversations.handleEvent(word(group(7)))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(2)
  })

  it('about members is looked at once somebody looks, and again when that fails', async () => {
    const { conversations, listed, all, fail, answer } = start()
    await listed(group(4))
    conversations.handleEvent(word(group(4), 5))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(1)
    conversations.watch('grp_1')
    await fail(networkFailure)
    conversations.wake()
    expect(all).toHaveLength(3)
    await answer({ conversation: group(4, { lastSeq: 5 }) })
    conversations.wake()
    expect(all).toHaveLength(3)
  })

  it('about an entry that the group read before has shown without its effect has it read again', async () => {
    const { conversations, listed, answer, all } = start()
    await listed(group(4))
    conversations.watch('grp_1')
    conversations.handleEvent(word(group(4), 5))
    await vi.advanceTimersByTimeAsync(1000)
    // Members were read before the change, the end of the log after it.
    await answer({ conversation: group(4, { lastSeq: 6 }) })
    conversations.handleEvent(word(group(4), 6))
    await vi.advanceTimersByTimeAsync(1000)
    const members = [{ id: 'carol', name: null }]
    await answer({ conversation: group(4, { lastSeq: 6, members }) })
    expect(conversations.get('grp_1')).toMatchObject({ members })
    expect(all).toHaveLength(3)
  })

  it('only of the message after an entry that is none has the group read when the message comes', async () => {
    const { conversations, listed, all, answer } = start()
    await listed(group(4))
    conversations.watch('grp_1')
    conversations.handleEvent(word(group(6)))
    conversations.received(message(6, { conversationId: 'grp_1' }), 4)
    await vi.advanceTimersByTimeAsync(1000)
    expect(all.slice(1)).toMatchObject([{ name: 'Conversation' }])
    await answer({ conversation: group(6) })
    conversations.received(message(7, { conversationId: 'grp_1' }), 6)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(2)
  })

  it('is heeded after a reading that failed, and while one takes long', async () => {
    const { conversations, listed, all, fail, answer } = start()
    await listed(group(4))
    conversations.watch('grp_1')
    conversations.handleEvent(word(group(4), 5))
    await vi.advanceTimersByTimeAsync(1000)
    await fail(networkFailure)
    conversations.handleEvent(word(group(4), 6))
    await vi.advanceTimersByTimeAsync(1000)
    expect(all).toHaveLength(3)
    conversations.handleEvent(word(group(4), 7))
    await vi.advanceTimersByTimeAsync(3000)
    await answer({ conversation: group(4, { lastSeq: 6 }) })
    await vi.advanceTimersByTimeAsync(1000)
    expect(all).toHaveLength(4)
  })

  it('while the group is being read has it read again', async () => {
    const { conversations, listed, all, answer } = start()
    await listed(group(4))
    conversations.watch('grp_1')
    conversations.handleEvent(word(group(4), 5))
    await vi.advanceTimersByTimeAsync(1000)
    conversations.handleEvent(word(group(4), 6))
    await answer({ conversation: group(4, { lastSeq: 5 }) })
    await vi.advanceTimersByTimeAsync(1000)
    expect(all.map(({ name }) => name)).toEqual(['Conversations', 'Conversation', 'Conversation'])
  })
})

describe('a group the user has left', () => {
  async function inGroup() {
    const started = start()
    const gone: string[] = []
    started.conversations.onGone((id) => void gone.push(id))
    await started.listed(group(4), chatAt(3))
    return { ...started, gone }
  }

  it('is not shown any more, and whoever has to do with it is told', async () => {
    const { conversations, ids, gone } = await inGroup()
    conversations.drop('grp_1')
    expect(ids()).toEqual(['dm_1'])
    expect(gone).toEqual(['grp_1'])
    expect(conversations.hasLeft('grp_1')).toBe(true)
    expect(conversations.hasLeft('dm_1')).toBe(false)
  })

  it('is asked for where there is doubt, and gone only if the server does not show it', async () => {
    const { conversations, answer, gone, open } = await inGroup()
    conversations.verifyMembership('grp_1')
    await answer({ conversation: group(4) })
    expect(gone).toEqual([])
    conversations.verifyMembership('grp_1')
    await answer({ conversation: null })
    expect(gone).toEqual(['grp_1'])
    conversations.verifyMembership('dm_1')
    expect(open).toEqual([])
  })

  it('is not gone because nobody could be asked', async () => {
    const { conversations, fail, ids } = await inGroup()
    conversations.verifyMembership('grp_1')
    await fail(networkFailure)
    expect(ids()).toContain('grp_1')
  })

  it('is asked for again when a message of it has come meanwhile: they may be back', async () => {
    const { conversations, answer, gone } = await inGroup()
    conversations.verifyMembership('grp_1')
    conversations.received(message(9, { conversationId: 'grp_1' }), 8)
    await answer({ conversation: null })
    expect(gone).toEqual([])
    await answer({ conversation: group(9) })
    expect(conversations.hasLeft('grp_1')).toBe(false)
  })

  it('does not come back with a page or an answer from before', async () => {
    const { conversations, answer, ids } = await inGroup()
    void conversations.reread('grp_1')
    void conversations.refresh(() => false)
    conversations.drop('grp_1')
    await answer({ conversation: group(4) }, 'Conversation')
    await answer(list([group(4), chatAt(3)]), 'Conversations')
    expect(ids()).toEqual(['dm_1'])
  })

  it('comes back when the server shows it again', async () => {
    const { conversations, listed, ids } = await inGroup()
    const seen: [string, boolean][] = []
    conversations.drop('grp_1')
    conversations.onSeen(({ id }, isNew) => void seen.push([id, isNew]))
    await listed(group(9))
    expect(ids()).toContain('grp_1')
    expect(conversations.hasLeft('grp_1')).toBe(false)
    expect(seen).toEqual([['grp_1', true]])
  })

  it('is doubted when the whole list does not show it, and not when there is more of the list', async () => {
    const { conversations, answer, open, ids } = await inGroup()
    void conversations.refresh(() => false)
    await answer(list([chatAt(3)], true))
    expect(open).toEqual([])
    void conversations.refresh(() => false)
    await answer(list([conversation({ id: 'dm_2' })]))
    expect(open).toMatchObject([{ name: 'Conversation', variables: { id: 'grp_1' } }])
    await answer({ conversation: null })
    expect(ids()).toEqual(['dm_1', 'dm_2'])
  })
})

// Whatever it is, it answers with the conversation.
const anything = new TypedDocumentString<{ conversation: ConversationFieldsFragment }, { id: string }>(
  'mutation Anything',
)

it('a group that became known while the list was read is not doubted', async () => {
  const { conversations, answer, open, listed } = start()
  await listed(chatAt(3))
  void conversations.refresh(() => false)
  void conversations.reread('grp_1')
  await answer({ conversation: group(1) }, 'Conversation')
  await answer(list([chatAt(3)]), 'Conversations')
  expect(open).toEqual([])
})

describe('a change of a conversation', () => {
  it('is tried with one id until it is answered, and shows at once', async () => {
    const { conversations, fail, answer, all, ids, ask } = start()
    const done = conversations.change((id) => ask(anything, { id }))
    await fail(networkFailure)
    await vi.advanceTimersByTimeAsync(60_000)
    await answer({ conversation: group(0) })
    expect(await done).toMatchObject({ id: 'grp_1' })
    expect(all.map(({ variables }) => variables)).toEqual([{ id: 'id1' }, { id: 'id1' }])
    expect(ids()).toEqual(['grp_1'])
  })

  it('that was answered late does not undo what the server has said since', async () => {
    const { conversations, answer, listed, ask } = start()
    await listed(group(4))
    void conversations.change((id) => ask(anything, { id }))
    conversations.handleEvent(word(group(4, { pinned: false, title: 'Coffee' })))
    await answer({ conversation: group(4, { pinned: true, members: [] }) })
    expect(conversations.get('grp_1')).toMatchObject({ pinned: false, title: 'Coffee', members: [] })
  })
})
