import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGroup, leave } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let bob: Person

beforeAll(async () => {
  world = await startWorld()
  ;[alice, bob] = [await world.person('alice'), await world.person('bob')]
})
afterAll(() => world.stop())

type Nodes = { nodes: ({ id: string; __typename: string } | null)[] }
const nodes = `query ($ids: [ID!]!) { nodes(ids: $ids) {
  __typename id
  ... on Message { body }
  ... on Ticks { lastReadSeq user { id } conversation { id } }
  ... on Member { role user { id } conversation { memberCount } }
} }`

it.each(['http', 'ws'] as const)('everything that has an id is found by it, over %s', async (via) => {
  const group = await createGroup(alice, [bob])
  const { seq, id: messageId } = await alice.send({ conversationId: group.id }, 'hello')
  await bob.markRead(group.id, seq)
  const { conversation } = await bob.ask<{ conversation: { ticks: { id: string }[]; memberships: { id: string }[] } }>(
    'query ($id: ID!) { conversation(id: $id) { ticks { id } memberships { id } } }',
    { id: group.id },
  )
  const [, ofBob] = conversation.ticks
  const [ofAlice] = conversation.memberships
  const ids = [ofBob?.id, ofAlice?.id, messageId, group.id, alice.userId, 'nobody-at-all']
  const found = await alice.ask<Nodes>(nodes, { ids }, { via })
  expect(found.nodes).toEqual([
    { __typename: 'Ticks', id: ids[0], lastReadSeq: seq, user: { id: bob.userId }, conversation: { id: group.id } },
    { __typename: 'Member', id: ids[1], role: 'OWNER', user: { id: alice.userId }, conversation: { memberCount: 2 } },
    { __typename: 'Message', id: messageId, body: 'hello' },
    { __typename: 'Conversation', id: group.id },
    { __typename: 'User', id: alice.userId },
    null,
  ])
  await leave(bob, group.id)
  expect((await bob.ask<Nodes>(nodes, { ids: ids.slice(0, 4) }, { via })).nodes).toEqual([null, null, null, null])
})

it('a stream of ticks shows whose they are, by an id that is the same in a list', async () => {
  const { conversationId } = await alice.send(bob, 'hello')
  type Event = { ticksChanged: { id: string; lastDeliveredSeq: number; user: { id: string } } }
  const stream = alice.watch<Event>(
    'subscription ($id: ID) { ticksChanged(conversationId: $id) { id lastDeliveredSeq user { id } } }',
    { id: conversationId },
  )
  await stream.receives(1)
  await bob.ack(conversationId, 1)
  const { ticksChanged } = await stream.sees((event) => event.ticksChanged.lastDeliveredSeq === 1)
  const { nodes: found } = await alice.ask<Nodes>(nodes, { ids: [ticksChanged.id] })
  expect(found).toMatchObject([{ id: ticksChanged.id, user: ticksChanged.user }])
  await stream.stop()
})

it('who types is a user', async () => {
  const { conversationId } = await alice.send(bob, 'hello')
  const stream = alice.watch<{ typingChanged: { user: { id: string } } }>(
    'subscription ($id: ID!) { typingChanged(conversationId: $id) { user { id } } }',
    { id: conversationId },
  )
  await stream.connected()
  await expect
    .poll(async () => {
      await bob.setTyping(conversationId, false)
      await bob.setTyping(conversationId, true)
      return stream.events[0]?.typingChanged.user.id
    })
    .toBe(bob.userId)
  await stream.stop()
})
