import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGroup, leave } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let bob: Person
let carol: Person

beforeAll(async () => {
  world = await startWorld()
  ;[alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
})
afterAll(() => world.stop())

it('a direct chat is found by the other’s id, and tells how far they have got', async () => {
  const query = `query ($userId: ID!) { directConversation(userId: $userId) {
    id memberCount metadata deliveredSeq readSeq lastActivityAt lastMessage { sentAt }
  } }`
  expect(await alice.ask(query, { userId: bob.userId })).toEqual({ directConversation: null })
  const { conversationId: id, sentAt } = await alice.send(bob, 'one')
  await alice.send(bob, 'two')
  await bob.ack(id, 2)
  await bob.markRead(id, 1)
  const { directConversation } = await alice.ask<{ directConversation: { lastActivityAt: string } }>(query, {
    userId: bob.userId,
  })
  expect(directConversation).toMatchObject({ id, memberCount: 2, metadata: null, deliveredSeq: 2, readSeq: 1 })
  expect(Date.parse(directConversation.lastActivityAt)).toBeGreaterThanOrEqual(Date.parse(sentAt))
})

it('lists and counts what is unread, also after Redis has forgotten everything', async () => {
  const group = await createGroup(carol, [bob])
  await carol.send({ conversationId: group.id }, 'to all')
  const { conversationId: direct } = await carol.send(bob, 'to you')
  await carol.send(alice, 'to another')
  type Answer = { unreadConversationCount: number; conversations: { edges: { node: { id: string } }[] } }
  const unread = async (filter: object) => {
    const query = `query ($filter: ConversationFilter) {
      unreadConversationCount conversations(filter: $filter, first: 5) { edges { node { id } } }
    }`
    const { unreadConversationCount, conversations } = await bob.ask<Answer>(query, { filter })
    return [unreadConversationCount, conversations.edges.map(({ node }) => node.id)]
  }
  const withAlice = world.chatOf(alice, bob)
  expect(await unread({ unread: true })).toEqual([3, [direct, group.id, withAlice]])
  expect(await unread({ unread: true, kind: 'GROUP' })).toEqual([3, [group.id]])
  await bob.markRead(direct, 1)
  await world.redis.flush()
  expect(await unread({ unread: true })).toEqual([2, [group.id, withAlice]])
  expect(await unread({ unread: false })).toEqual([2, [direct]])
})

it('people who are blocked are listed, groups that were left are not', async () => {
  const dora = await world.person('dora')
  const group = await createGroup(carol, [dora])
  await leave(dora, group.id)
  for (const each of [alice, bob, carol]) await dora.setBlocked(each, true)
  await dora.setBlocked(carol, false)
  const query =
    'query ($first: Int) { blockedUsers(first: $first) { edges { node { id name } } pageInfo { hasNextPage } } }'
  expect(await dora.ask(query, {})).toEqual({
    blockedUsers: {
      edges: [{ node: { id: alice.userId, name: null } }, { node: { id: bob.userId, name: null } }],
      pageInfo: { hasNextPage: false },
    },
  })
  expect(await dora.ask(query, { first: 1 })).toMatchObject({ blockedUsers: { pageInfo: { hasNextPage: true } } })
})

it('who reacted to a message is shown with it', async () => {
  const { conversationId, seq, id } = await alice.send(bob, 'look')
  await bob.react(conversationId, seq, '👍')
  await alice.react(conversationId, seq, '👍')
  expect(
    await alice.ask('query ($id: ID!) { node(id: $id) { ... on Message { reactions { emoji users { id } } } } }', {
      id,
    }),
  ).toEqual({ node: { reactions: [{ emoji: '👍', users: [{ id: bob.userId }, { id: alice.userId }] }] } })
})
