import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let bob: Person

beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
  ;[alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
})
afterAll(() => world.stop())

type Shown = { message: { id: string; metadata: unknown } }

it.each(['http', 'ws'] as const)('metadata sent over %s comes in the answer, live, and in a page', async (via) => {
  const stream = bob.watch<{ messageAdded: Shown }>('subscription { messageAdded { message { id metadata } } }')
  await world.online(bob)
  const metadata = { kind: 'poll', options: ['ä', 2, { deep: [null] }], zero: 0 }
  const { sendMessage } = await alice.ask<{ sendMessage: Shown }>(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id metadata } } }',
    { input: { clientMessageId: randomUUID(), to: { userId: bob.userId }, body: 'vote', metadata } },
    { via },
  )
  expect(sendMessage.message.metadata).toEqual(metadata)
  const { id } = sendMessage.message
  const live = await stream.sees(({ messageAdded }) => messageAdded.message.id === id)
  expect(live.messageAdded.message.metadata).toEqual(metadata)
  const found = await bob.ask('query ($id: ID!) { node(id: $id) { ... on Message { metadata } } }', { id }, { via })
  expect(found).toEqual({ node: { metadata } })
  const page = await bob.ask<{ messages: { edges: { node: { metadata: unknown } }[] } }>(
    'query ($id: ID!) { messages(conversationId: $id, first: 1) { edges { node { metadata } } } }',
    { id: world.chatOf(alice, bob) },
    { via },
  )
  expect(page.messages.edges).toEqual([{ node: { metadata } }])
  await bob.ack(world.chatOf(alice, bob), 1)
  await stream.stop()
})
