import { expect, it } from 'vitest'
import type { GroupChange } from '../../src/ports/log.ts'
import type { ClientMessageId, ConversationId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { upTo } from '../kit/ids.ts'
import { type MemoryApi, memoryApi } from '../kit/memory-api.ts'

const fields = `edges {
  cursor
  node { id seq kind body cursor clientMessageId tick sender { id } notice { kind actor { id } users { id } title } }
}
pageInfo { hasNextPage hasPreviousPage }`
const query = `query ($id: ID!, $aroundSeq: Int, $first: Int, $after: String, $last: Int, $before: String, $notices: Boolean) {
  messages(
    conversationId: $id, aroundSeq: $aroundSeq, notices: $notices, first: $first, after: $after, last: $last, before: $before
  ) { ${fields} }
}`

type Node = {
  id: string
  seq: number
  body: string
  notice: { kind: string; actor: { id: string }; users: { id: string }[]; title: string | null } | null
}

/** `3 alice MEMBERS_ADDED bob`, or `4 hi`. */
const line = ({ seq, body, notice }: Node): string =>
  notice
    ? [
        seq,
        notice.actor.id,
        notice.kind,
        ...notice.users.map(({ id }) => id),
        ...(notice.title ? [notice.title] : []),
      ].join(' ')
    : `${seq} ${body}`

async function linesOf({ ask }: MemoryApi, userId: string, id: string, args: object = {}): Promise<string[]> {
  const { messages } = await ask(userId, query, { id, notices: true, ...args })
  return messages.edges.map(({ node }: { node: Node }) => line(node)).reverse()
}

const rename = (api: MemoryApi, userId: string, conversationId: string, title: string) =>
  api.ask(
    userId,
    'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
    {
      input: { conversationId, title },
    },
  )

const leave = (api: MemoryApi, userId: string, conversationId: string) =>
  api.ask(
    userId,
    'mutation ($input: LeaveConversationInput!) { leaveConversation(input: $input) { conversationId } }',
    {
      input: { conversationId },
    },
  )

/** A group of Alice's with Bob, in which something of everything has happened. */
async function eventfulGroup() {
  const api = memoryApi()
  const id = await api.createGroup('alice', ['bob'])
  await api.send('alice', { conversationId: id }, 'hi')
  await api.updateMembers('alice', id, { add: ['carol', 'dave'] })
  await api.send('bob', { conversationId: id }, 'welcome')
  await api.updateMembers('alice', id, { roles: [{ userId: 'bob', role: 'ADMIN' }] })
  await rename(api, 'bob', id, 'Coffee')
  await api.updateMembers('bob', id, { remove: ['dave'] })
  await leave(api, 'alice', id)
  return { api, id }
}

it('a page shows every change of a group at its place, and none unless it is asked for', async () => {
  const { api, id } = await eventfulGroup()
  expect(await linesOf(api, 'bob', id)).toEqual([
    '1 alice CREATED bob Tea',
    '2 hi',
    '3 alice MEMBERS_ADDED carol dave',
    '4 welcome',
    '5 alice ROLES_CHANGED bob',
    '6 bob TITLE_CHANGED Coffee',
    '7 bob MEMBERS_REMOVED dave',
    '8 alice MEMBER_LEFT alice',
  ])
  expect(await linesOf(api, 'bob', id, { notices: false })).toEqual(['2 hi', '4 welcome'])
  expect(await linesOf(api, 'bob', id, { notices: null })).toEqual(['2 hi', '4 welcome'])
})

it('a notice has the place of a message and no text', async () => {
  const { api, id } = await eventfulGroup()
  const { messages } = await api.ask('bob', query, { id, notices: true, first: 2 })
  expect(messages.edges[1].node).toMatchObject({
    kind: 'NOTICE',
    body: '',
    clientMessageId: null,
    sender: { id: 'bob' },
    cursor: messages.edges[1].cursor,
    tick: 'SENT',
  })
})

it('whoever was added sees that first, and nothing from before it', async () => {
  const { api, id } = await eventfulGroup()
  const lines = await linesOf(api, 'carol', id)
  expect(lines[0]).toBe('3 alice MEMBERS_ADDED carol dave')
  const { messages } = await api.ask('carol', query, { id, notices: true, last: 1 })
  expect(messages.pageInfo.hasNextPage).toBe(false)
  expect(line(messages.edges[0].node)).toBe(lines[0])
  // The removed do not see their removal: for them there is no group any more.
  await expect(linesOf(api, 'dave', id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('pages go on from the cursor of a notice, in both directions, and lie around one', async () => {
  const { api, id } = await eventfulGroup()
  const { messages: newest } = await api.ask('bob', query, { id, notices: true, first: 3 })
  const cursor = newest.edges[2].cursor
  expect(await linesOf(api, 'bob', id, { first: 2, after: cursor })).toEqual(['4 welcome', '5 alice ROLES_CHANGED bob'])
  expect(await linesOf(api, 'bob', id, { last: 1, before: cursor })).toEqual(['7 bob MEMBERS_REMOVED dave'])
  expect(await linesOf(api, 'bob', id, { first: 2, after: cursor, notices: false })).toEqual(['2 hi', '4 welcome'])
  expect(await linesOf(api, 'bob', id, { aroundSeq: 5, first: 3 })).toEqual([
    '4 welcome',
    '5 alice ROLES_CHANGED bob',
    '6 bob TITLE_CHANGED Coffee',
  ])
  expect(await linesOf(api, 'carol', id, { aroundSeq: 3, first: 2 })).toEqual([
    '3 alice MEMBERS_ADDED carol dave',
    '4 welcome',
  ])
  expect((await linesOf(api, 'carol', id, { aroundSeq: 1, first: 1 }))[0]).toBe('3 alice MEMBERS_ADDED carol dave')
})

it('a change that lost against another is never shown, not even where the page begins below its rival', async () => {
  const { api, id } = await eventfulGroup()
  await api.send('bob', { conversationId: id }, 'later')
  const { messages, sequencer } = api.ports
  const conversationId = id as ConversationId
  // As a node does that read the group at version 5 and was slow: version 6 had taken effect by then.
  const lost: GroupChange = {
    kind: 'group',
    conversationId,
    seq: 10,
    messageId: '999' as MessageId,
    clientMessageId: 'slow' as ClientMessageId,
    senderId: 'bob' as UserId,
    sentAtMs: 1,
    baseVersion: 5,
    added: ['mallory' as UserId],
    removed: [],
    roles: [],
  }
  await sequencer.reserveAbove(conversationId, 9)
  await messages.put(lost)
  expect((await linesOf(api, 'bob', id)).at(-1)).toBe('9 later')
  await rename(api, 'bob', id, 'Tea')
  expect((await linesOf(api, 'bob', id)).slice(-2)).toEqual(['9 later', '11 bob TITLE_CHANGED Tea'])
  expect(await linesOf(api, 'bob', id, { aroundSeq: 10, first: 1 })).toEqual(['9 later'])
})

it('a group that names only its latest versions has the same notices', async () => {
  const { api, id } = await eventfulGroup()
  const all = await linesOf(api, 'bob', id)
  const [group] = await api.ports.conversations.getMany([id as ConversationId])
  if (group?.kind !== 'GROUP') return expect.fail()
  expect(group.pastVersions).toEqual([1, 3, 5, 6, 7])
  for (const kept of [0, 2]) {
    const other = memoryApi(({ messages }) => ({
      messages: { ...messages, get: api.ports.messages.get, below: api.ports.messages.below },
    }))
    await other.ports.conversations.create({ ...group, pastVersions: group.pastVersions.slice(5 - kept) })
    await other.ports.memberships.add('bob' as UserId, { conversationId: group.id, joinedSeq: 1 })
    expect(await linesOf(other, 'bob', id)).toEqual(all)
    expect(await linesOf(other, 'bob', id, { first: 1, after: await cursorAt(other, id, 4) })).toEqual([all[2]])
  }
})

async function cursorAt(api: MemoryApi, id: string, seq: number): Promise<string> {
  const { messages } = await api.ask('bob', query, { id, notices: true })
  return messages.edges.find(({ node }: { node: Node }) => node.seq === seq).cursor
}

it('is found by its id, by those who may see it', async () => {
  const { api, id } = await eventfulGroup()
  const { messages } = await api.ask('bob', query, { id, notices: true })
  const ids = messages.edges.map(({ node }: { node: Node }) => node.id).reverse()
  const nodes =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Message { seq body notice { kind actor { id } users { id } title } } } }'
  const seen = async (userId: string) =>
    (await api.ask(userId, nodes, { ids })).nodes.map((node: Node | null) => node && line(node))
  expect(await seen('bob')).toEqual(await linesOf(api, 'bob', id))
  expect((await seen('carol')).slice(0, 4)).toEqual([null, null, '3 alice MEMBERS_ADDED carol dave', '4 welcome'])
  expect(await seen('alice')).toEqual(ids.map(() => null))
})

it('shows who somebody is now only to those who share a conversation with them', async () => {
  const api = memoryApi()
  const id = await api.createGroup('alice', ['bob'])
  await api.updateMembers('alice', id, { add: ['victim'] })
  await api.send('bob', { userId: 'victim' }, 'hi')
  await leave(api, 'victim', id)
  const update = (mutation: string, input: object) => api.ask('victim', mutation, { input })
  await update('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { blocked } }', {
    userId: 'alice',
    blocked: true,
  })
  await update('mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }', {
    name: 'Vera',
    avatarUrl: 'https://example.com/vera.png',
  })
  const shown = async (userId: string) => {
    const user = '{ id name avatarUrl }'
    const { messages } = await api.ask(
      userId,
      `query ($id: ID!) {
        messages(conversationId: $id, notices: true) { edges { node { sender ${user} notice { actor ${user} users ${user} } } } }
      }`,
      { id },
    )
    return messages.edges.map(({ node }: { node: unknown }) => node).slice(0, 2)
  }
  const seenAs = (victim: object) => [
    { sender: victim, notice: { actor: victim, users: [victim] } },
    { sender: { id: 'alice' }, notice: { actor: { id: 'alice' }, users: [victim] } },
  ]
  expect(await shown('alice')).toMatchObject(seenAs({ id: 'victim', name: null, avatarUrl: null }))
  expect(await shown('bob')).toMatchObject(
    seenAs({ id: 'victim', name: 'Vera', avatarUrl: 'https://example.com/vera.png' }),
  )
})

it('asks for no acquaintances where everybody it names is in the group', async () => {
  const asked: string[] = []
  const api = memoryApi(({ memberships }) => ({
    memberships: {
      ...memberships,
      ofUser: (userId) => {
        asked.push(userId)
        return memberships.ofUser(userId)
      },
    },
  }))
  const id = await api.createGroup('alice', ['bob'])
  asked.length = 0
  await api.ask(
    'bob',
    'query ($id: ID!) { messages(conversationId: $id, notices: true) { edges { node { sender { name } notice { users { name } } } } } }',
    { id },
  )
  expect(asked).toEqual([])
})

it('nobody edits, deletes, answers or reacts to one', async () => {
  const { api, id } = await eventfulGroup()
  const attempt = (operation: string, input: object) =>
    api.ask(
      'bob',
      `mutation ($input: ${operation[0]?.toUpperCase()}${operation.slice(1)}Input!) { ${operation}(input: $input) { message { seq } } }`,
      { input: { clientMessageId: `c-${operation}`, ...input } },
    )
  const target = { conversationId: id, seq: 6 }
  const nothingThere = await attempt('react', { conversationId: id, seq: 99, emoji: '👍', on: true }).catch(
    (error) => error,
  )
  for (const refused of [
    attempt('editMessage', { ...target, body: 'mine' }),
    attempt('deleteMessage', target),
    attempt('react', { ...target, emoji: '👍', on: true }),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: nothingThere.code, message: nothingThere.message })
  }
  const reply = attempt('sendMessage', { to: { conversationId: id }, body: 'what?', replyToSeq: 6 })
  await expect(reply).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'replyToSeq' })
})

it('is neither unread nor the last message', async () => {
  const api = memoryApi()
  const id = await api.createGroup('alice', ['bob'])
  await api.send('alice', { conversationId: id }, 'hi')
  for (const n of upTo(3)) await rename(api, 'alice', id, `Tea ${n}`)
  const { conversation, unreadConversationCount } = await api.ask(
    'bob',
    'query ($id: ID!) { unreadConversationCount conversation(id: $id) { unreadCount lastMessage { body kind } } }',
    { id },
  )
  expect(conversation).toEqual({ unreadCount: 1, lastMessage: { body: 'hi', kind: 'USER' } })
  expect(unreadConversationCount).toBe(1)
  await api.ask('bob', 'mutation ($input: MarkReadInput!) { markRead(input: $input) { ticks { lastReadSeq } } }', {
    input: { conversationId: id, seq: 2 },
  })
  expect((await api.ask('bob', '{ unreadConversationCount }')).unreadConversationCount).toBe(0)
})
