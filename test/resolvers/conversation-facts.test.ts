import { describe, expect, it } from 'vitest'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { type MemoryApi, memoryApi } from '../kit/memory-api.ts'

const markRead = (api: MemoryApi, userId: string, conversationId: string, seq: number, field = 'markRead') =>
  api.ask(
    userId,
    `mutation ($input: ${field === 'ack' ? 'Ack' : 'MarkRead'}Input!) { ${field}(input: $input) { ticks { id } } }`,
    { input: { conversationId, seq } },
  )

const configure = (api: MemoryApi, userId: string, conversationId: string, change: object) =>
  api.ask(
    userId,
    'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
    {
      input: { conversationId, ...change },
    },
  )

describe('how far everybody else has got', () => {
  const query = `query ($id: ID!) { conversation(id: $id) {
    lastSeq deliveredSeq readSeq messages { edges { node { seq tick sender { id } } } }
  } }`
  type Shown = {
    lastSeq: number
    deliveredSeq: number
    readSeq: number
    messages: { edges: { node: { seq: number; tick: string; sender: { id: string } } }[] }
  }

  /** The two numbers; and every message of the viewer's own has the tick they tell. */
  async function boundaries(api: MemoryApi, viewer: string, id: string): Promise<string> {
    const { conversation } = (await api.ask(viewer, query, { id })) as { conversation: Shown }
    const { deliveredSeq, readSeq, messages } = conversation
    for (const { node } of messages.edges.filter((edge) => edge.node.sender.id === viewer)) {
      const told = node.seq <= readSeq ? 'READ' : node.seq <= deliveredSeq ? 'DELIVERED' : 'SENT'
      expect(`${node.seq} ${node.tick}`).toBe(`${node.seq} ${told}`)
    }
    return `${deliveredSeq} ${readSeq}`
  }

  it('in a direct chat is how far the other has', async () => {
    const api = memoryApi()
    const { conversationId: id } = await api.send('alice', { userId: 'bob' }, 'one')
    await api.send('alice', { userId: 'bob' }, 'two')
    expect(await boundaries(api, 'alice', id)).toBe('0 0')
    await markRead(api, 'bob', id, 2, 'ack')
    await markRead(api, 'bob', id, 1)
    expect(await boundaries(api, 'alice', id)).toBe('2 1')
    expect(await boundaries(api, 'bob', id)).toBe('0 0')
  })

  it('in a group is how far the slowest has, who counts from where they came', async () => {
    const api = memoryApi()
    const id = await api.createGroup('alice', ['bob'])
    for (const body of ['2', '3']) await api.send('alice', { conversationId: id }, body)
    expect(await boundaries(api, 'alice', id)).toBe('1 1')
    await markRead(api, 'bob', id, 3)
    expect(await boundaries(api, 'alice', id)).toBe('3 3')
    await api.updateMembers('alice', id, { add: ['carol'] })
    expect(await boundaries(api, 'alice', id)).toBe('3 3')
    await api.send('alice', { conversationId: id }, '5')
    await markRead(api, 'bob', id, 5)
    expect(await boundaries(api, 'alice', id)).toBe('4 4')
    await markRead(api, 'carol', id, 5, 'ack')
    expect(await boundaries(api, 'alice', id)).toBe('5 4')
  })

  it('alone is the end of the log', async () => {
    const api = memoryApi()
    const { conversationId: id } = await api.send('alice', { userId: 'alice' }, 'a note')
    expect(await boundaries(api, 'alice', id)).toBe('1 1')
    const group = await api.createGroup('alice', [])
    await api.send('alice', { conversationId: group }, 'a note')
    expect(await boundaries(api, 'alice', group)).toBe('2 2')
  })
})

describe('the direct chat with somebody', () => {
  const query =
    'query ($userId: ID!) { directConversation(userId: $userId) { id memberCount metadata lastActivityAt } }'
  const ask = (api: MemoryApi, viewer: string, userId: string) => api.ask(viewer, query, { userId })

  it('is there from the first message on, for both', async () => {
    const api = memoryApi()
    expect(await ask(api, 'alice', 'bob')).toEqual({ directConversation: null })
    const { conversationId: id } = await api.send('alice', { userId: 'bob' }, 'hi')
    const found = { id, memberCount: 2, metadata: null, lastActivityAt: '2027-01-15T08:00:00.000Z' }
    expect(await ask(api, 'alice', 'bob')).toEqual({ directConversation: found })
    expect(await ask(api, 'bob', 'alice')).toEqual({ directConversation: found })
    expect(await ask(api, 'carol', 'alice')).toEqual({ directConversation: null })
  })

  it('with oneself holds the notes to self; what is no user’s id has none', async () => {
    const api = memoryApi()
    expect(await ask(api, 'alice', 'alice')).toEqual({ directConversation: null })
    await api.send('alice', { userId: 'alice' }, 'a note')
    expect(await ask(api, 'alice', 'alice')).toMatchObject({ directConversation: { memberCount: 1 } })
    for (const id of ['dm_x', 'no user', '']) expect(await ask(api, 'alice', id)).toEqual({ directConversation: null })
  })

  it('takes the same steps whether the other exists or not', async () => {
    const calls: string[] = []
    const api = memoryApi((ports) => ({
      memberships: {
        ...ports.memberships,
        getMany: (asked) => {
          calls.push('memberships')
          return ports.memberships.getMany(asked)
        },
      },
      conversations: {
        ...ports.conversations,
        getMany: (asked) => {
          calls.push('conversations')
          return ports.conversations.getMany(asked)
        },
      },
    }))
    await api.send('bob', { userId: 'carol' }, 'hi')
    calls.length = 0
    await ask(api, 'alice', 'bob')
    const withBob = calls.splice(0)
    await ask(api, 'alice', 'who-never-was')
    expect(calls).toEqual(withBob)
  })
})

describe('when something was last said', () => {
  const query = 'query ($id: ID!) { conversation(id: $id) { lastActivityAt lastMessage { sentAt } } }'

  it('is when the last message came, and in a silent group when the viewer came', async () => {
    const api = memoryApi()
    const id = await api.createGroup('alice', ['bob'])
    const { conversation: silent } = await api.ask('alice', query, { id })
    expect(silent).toEqual({ lastActivityAt: '2027-01-15T08:00:00.000Z', lastMessage: null })
    await api.ports.clock.sleep(1000)
    await api.send('alice', { conversationId: id }, 'hi')
    await api.ports.clock.sleep(1000)
    await api.updateMembers('alice', id, { add: ['carol'] })
    const ofBob = (await api.ask('bob', query, { id })).conversation
    expect(ofBob.lastActivityAt).toBe(ofBob.lastMessage.sentAt)
    const { conversation: ofCarol } = await api.ask('carol', query, { id })
    expect(ofCarol.lastMessage).toBeNull()
    expect(Date.parse(ofCarol.lastActivityAt)).toBeGreaterThan(Date.parse(ofBob.lastActivityAt))
  })
})

describe('the list of chats', () => {
  const query = `query ($filter: ConversationFilter, $first: Int, $after: String, $last: Int, $before: String) {
    conversations(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { title lastMessage { body } } } pageInfo { hasNextPage hasPreviousPage endCursor }
    }
    unreadConversationCount
  }`

  /** Eight chats of Bob's; every second is a group. */
  async function list() {
    const api = memoryApi()
    const ids = new Map<string, string>()
    for (const i of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await api.ports.clock.sleep(1000)
      const friend = `friend${i}`
      const to = i % 2 === 0 ? { conversationId: await api.createGroup(friend, ['bob']) } : { userId: 'bob' }
      const { conversationId } = await api.send(friend, to, String(i))
      ids.set(String(i), conversationId)
    }
    const idOf = (name: string) => ids.get(name) ?? expect.fail()
    async function shown(args: object = {}) {
      const { conversations, unreadConversationCount } = await api.ask('bob', query, args)
      const { edges, pageInfo } = conversations
      const names = edges.map((edge: { node: { lastMessage: { body: string } } }) => edge.node.lastMessage.body)
      return { names: names.join(' '), pageInfo, unread: unreadConversationCount }
    }
    const read = (name: string) => markRead(api, 'bob', idOf(name), Number(name) % 2 === 0 ? 2 : 1)
    return { api, idOf, shown, read, set: (name: string, change: object) => configure(api, 'bob', idOf(name), change) }
  }

  it('shows those that fit alone, of all that is asked for', async () => {
    const { shown, read, set } = await list()
    await set('2', { archived: true })
    await set('3', { pinned: true })
    for (const name of ['1', '4', '8']) await read(name)
    const names = async (filter: object | null) => (await shown({ filter })).names
    expect(await names(null)).toBe('8 7 6 5 4 3 2 1')
    expect(await names({})).toBe('8 7 6 5 4 3 2 1')
    expect(await names({ kind: null, unread: null })).toBe('8 7 6 5 4 3 2 1')
    expect(await names({ kind: 'GROUP' })).toBe('8 6 4 2')
    expect(await names({ kind: 'DIRECT' })).toBe('7 5 3 1')
    expect(await names({ archived: true })).toBe('2')
    expect(await names({ archived: false })).toBe('8 7 6 5 4 3 1')
    expect(await names({ pinned: true })).toBe('3')
    expect(await names({ unread: true })).toBe('7 6 5 3 2')
    expect(await names({ unread: false })).toBe('8 4 1')
    expect(await names({ unread: true, kind: 'GROUP', archived: false })).toBe('6')
  })

  it('fills its pages, whose cursors are those of the whole list', async () => {
    const { shown, read } = await list()
    for (const name of ['2', '4', '5', '6']) await read(name)
    const filter = { unread: true }
    const first = await shown({ filter, first: 2 })
    expect(first).toMatchObject({ names: '8 7', pageInfo: { hasNextPage: true } })
    const after = first.pageInfo.endCursor
    expect(await shown({ filter, first: 2, after })).toMatchObject({ names: '3 1', pageInfo: { hasNextPage: false } })
    expect((await shown({ first: 2, after })).names).toBe('6 5')
    expect(await shown({ filter, last: 3 })).toMatchObject({ names: '7 3 1', pageInfo: { hasPreviousPage: true } })
  })

  it('tells how many have something unread, without the muted and archived ones', async () => {
    const { shown, read, set, api, idOf } = await list()
    expect((await shown()).unread).toBe(8)
    await read('8')
    await read('7')
    await set('6', { archived: true })
    await set('5', { mutedUntil: '2030-01-01T00:00:00Z' })
    expect((await shown()).unread).toBe(4)
    await set('5', { mutedUntil: '2020-01-01T00:00:00Z' })
    expect((await shown()).unread).toBe(5)
    // What they say themselves is not unread, nor what was deleted.
    await api.send('bob', { conversationId: idOf('8') }, 'mine')
    expect((await shown()).unread).toBe(5)
    await api.ask(
      'friend1',
      'mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { message { seq } } }',
      {
        input: { conversationId: idOf('1'), seq: 1, clientMessageId: 'gone' },
      },
    )
    expect((await shown()).unread).toBe(4)
    // Nor what is in a group that they are out of.
    await api.updateMembers('friend2', idOf('2'), { remove: ['bob'] })
    expect((await shown()).unread).toBe(3)
  })

  it('of many unread ones counts to 99, and says 100', async () => {
    const api = memoryApi()
    for (let i = 0; i < 99; i += 1) await api.send(`friend${i}`, { userId: 'bob' }, 'hi')
    const count = async () => (await api.ask('bob', '{ unreadConversationCount }')).unreadConversationCount
    expect(await count()).toBe(99)
    for (let i = 99; i < 120; i += 1) await api.send(`friend${i}`, { userId: 'bob' }, 'hi')
    expect(await count()).toBe(100)
  })

  it('looks below an own last message for what is unread', async () => {
    const api = memoryApi()
    const { conversationId: id } = await api.send('alice', { userId: 'bob' }, 'unread')
    for (let i = 0; i < 30; i += 1) await api.send('bob', { conversationId: id }, 'mine')
    const { conversation } = await api.ask(
      'bob',
      'query ($id: ID!) { conversation(id: $id) { unreadCount } unreadConversationCount }',
      { id },
    )
    expect(conversation.unreadCount).toBe(1)
    expect((await api.ask('bob', '{ unreadConversationCount }')).unreadConversationCount).toBe(1)
  })
})

describe('who reacted', () => {
  it('is listed, as many as are asked for', async () => {
    const api = memoryApi()
    const people = Array.from({ length: 30 }, (_, i) => `p${i}`)
    const id = await api.createGroup('alice', people)
    await api.send('alice', { conversationId: id }, 'look')
    const react = (userId: string, emoji: string, on = true) =>
      api.ask(userId, 'mutation ($input: ReactInput!) { react(input: $input) { message { seq } } }', {
        input: { conversationId: id, seq: 2, emoji, on, clientMessageId: `${userId}${on}` },
      })
    for (const each of people) await react(each, '👍')
    await react('alice', '🎉')
    await react('p3', '👍', false)
    const users = async (first?: number) => {
      const { node } = await api.ask(
        'alice',
        `query ($id: ID!) { node(id: $id) { ... on Message { reactions { emoji count users${first === undefined ? '' : `(first: ${first})`} { id } } } } }`,
        { id: `msg_${id}_2` },
      )
      return node.reactions.map(
        ({ emoji, count, users }: { emoji: string; count: number; users: { id: string }[] }) => [
          emoji,
          count,
          users.map((user) => user.id),
        ],
      )
    }
    const still = people.filter((each) => each !== 'p3')
    expect(await users()).toEqual([
      ['👍', 29, still.slice(0, 20)],
      ['🎉', 1, ['alice']],
    ])
    expect(await users(2)).toEqual([
      ['👍', 29, ['p0', 'p1']],
      ['🎉', 1, ['alice']],
    ])
    expect((await users(100))[0][2]).toEqual(still)
    for (const first of [0, 101])
      await expect(users(first)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' })
  })
})

describe('whom somebody has blocked', () => {
  const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
    blockedUsers(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { id name avatarUrl presence { state } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`
  const block = (api: MemoryApi, userId: string, other: string, blocked = true) =>
    api.ask(userId, 'mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { blocked } }', {
      input: { userId: other, blocked },
    })
  type Edge = { node: { id: string; name: string | null } }

  it('is a list to page through, of which groups that were left are no part', async () => {
    const api = memoryApi()
    for (const id of ['zoe', 'bob', 'carol', 'dora', 'emil']) await block(api, 'alice', id)
    await block(api, 'alice', 'dora', false)
    const group = await api.createGroup('alice', ['bob'])
    await api.ask(
      'alice',
      'mutation ($input: LeaveConversationInput!) { leaveConversation(input: $input) { conversationId } }',
      {
        input: { conversationId: group },
      },
    )
    const page = async (args: object = {}) => {
      const { edges, pageInfo } = (await api.ask('alice', query, args)).blockedUsers
      return { ids: edges.map(({ node }: Edge) => node.id).join(' '), ...pageInfo }
    }
    expect(await page()).toMatchObject({ ids: 'bob carol emil zoe', hasNextPage: false, hasPreviousPage: false })
    const first = await page({ first: 2 })
    expect(first).toMatchObject({ ids: 'bob carol', hasNextPage: true })
    const second = await page({ first: 2, after: first.endCursor })
    expect(second).toMatchObject({ ids: 'emil zoe', hasNextPage: false, hasPreviousPage: true })
    expect(await page({ last: 3 })).toMatchObject({ ids: 'carol emil zoe', hasPreviousPage: true })
    expect(await page({ last: 1, before: second.startCursor })).toMatchObject({ ids: 'carol' })
    expect(await page({ first: 5, after: first.startCursor, before: second.endCursor })).toMatchObject({
      ids: 'carol emil',
      hasNextPage: false,
    })
    await expect(api.ask('bob', query, { after: first.endCursor })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    expect((await api.ask('bob', query)).blockedUsers.edges).toEqual([])
  })

  it('shows nothing of a stranger but the id: to block somebody is no way to see them', async () => {
    const api = memoryApi()
    for (const userId of ['bob', 'carol']) {
      await api.ask(
        userId,
        'mutation { updateProfile(input: { name: "Somebody", avatarUrl: "https://x.example/a.png" }) { user { id } } }',
      )
    }
    await api.send('alice', { userId: 'bob' }, 'hi')
    await block(api, 'alice', 'bob')
    await block(api, 'alice', 'carol')
    const { edges } = (await api.ask('alice', query)).blockedUsers
    expect(edges.map(({ node }: Edge) => node)).toEqual([
      { id: 'bob', name: 'Somebody', avatarUrl: 'https://x.example/a.png', presence: { state: 'OFFLINE' } },
      { id: 'carol', name: null, avatarUrl: null, presence: null },
    ])
  })
})

it('a group has as many members as are in it', async () => {
  const api = memoryApi()
  const id = (await api.createGroup('alice', ['bob', 'carol'])) as ConversationId
  const { conversation } = await api.ask('bob', 'query ($id: ID!) { conversation(id: $id) { memberCount } }', { id })
  expect(conversation.memberCount).toBe(3)
})
