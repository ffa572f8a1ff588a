import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserId } from '../../src/protocol/ids.ts'
import { createPerson, type Person, type Via } from '../kit/person.ts'
import { startWorld, type World } from '../kit/world.ts'
import { keptBodies, refusedBodies, refusedClientIds, refusedUsers, unknownConversations } from './text.ts'
import { isQuery, operations, type Stage, subscriptionVariables, variables } from './variables.ts'
import { expectedOn, type Outcome, openWays, type Way, type Ways } from './ways.ts'

let world: World
let ways: Ways
let alice: Person
let bob: Person
let stage: Stage

beforeAll(async () => {
  world = await startWorld()
  alice = await createPerson('hostile-alice', world.url())
  bob = await world.person('bob')
  const chat = (await alice.send(bob, 'the only message')).conversationId
  const notes = (await alice.send(alice, 'notes')).conversationId
  const { createGroup } = await alice.ask<{ createGroup: { conversation: { id: string } } }>(operations.createGroup, {
    input: { clientGroupId: 'group', title: 'Group', memberIds: [bob.userId] },
  })
  const cursorIn = async (id: string) => (await alice.history(id)).edges[0]?.cursor ?? ''
  stage = {
    chat,
    notes,
    group: createGroup.conversation.id,
    cursor: await cursorIn(chat),
    notesCursor: await cursorIn(notes),
    chatsCursor: (await alice.conversations()).edges[0]?.cursor ?? '',
    bob: bob.userId,
  }
  ways = await openWays(world.url(), `Bearer ${alice.token}`)
})
afterAll(async () => {
  ways.close()
  await alice.hangUp()
  await world.stop()
})

describe.each(['POST', 'GET', 'WebSocket'] as const)('a value over %s', (way) => {
  const fit = variables.filter(([, name]) => way !== 'GET' || isQuery({ query: operations[name] }))
  it.each(fit)('%s, in %s', async (_what, name, given, outcome) => {
    const answer = await ways.ask[way]({ query: operations[name], variables: given(stage) })
    expect(answer).toEqual(expectedOn(way, outcome))
    await ways.stillServes()
  })
})

describe.each(['SSE', 'WebSocket'] as const)('a subscription over %s', (way) => {
  it.each(subscriptionVariables)('%s', async (_what, query, given, outcome) => {
    expect(await ways.ask[way]({ query, variables: given(stage) })).toEqual(expectedOn(way, outcome))
    await ways.stillServes()
  })
})

const sending: Way[] = ['POST', 'WebSocket', 'REST']

describe.each(sending)('a message over %s', (way) => {
  const input = { clientMessageId: 'hostile', body: 'hi' }

  async function isRefused(message: object, outcome: Outcome): Promise<void> {
    const answer =
      way === 'REST'
        ? await ways.rest(message)
        : await ways.ask[way]({ query: operations.send, variables: { input: message } })
    expect(answer).toEqual(expectedOn(way, outcome))
    await ways.stillServes()
  }

  it.each(refusedBodies)('with a body of %s', (_what, body, outcome) =>
    isRefused({ ...input, to: { userId: stage.bob }, body }, outcome),
  )

  it.each(refusedClientIds)('with a clientMessageId of %s', (_what, clientMessageId, outcome) =>
    isRefused({ ...input, to: { userId: stage.bob }, clientMessageId }, outcome),
  )

  it.each(refusedUsers)('to a user of %s', (_what, userId, outcome) => isRefused({ ...input, to: { userId } }, outcome))

  it.each(unknownConversations)('to a conversation of %s', (_what, conversationId, outcome) =>
    isRefused({ ...input, to: { conversationId } }, outcome),
  )

  it.each(keptBodies)('keeps %s byte by byte', async (_what, body) => {
    const via = ({ POST: 'http', WebSocket: 'ws', REST: 'rest' } as Record<Way, Via>)[way]
    const sent = await alice.send(alice, body, { via })
    expect(sent.body).toBe(body)
    expect((await alice.history(sent.conversationId, { first: 1 })).edges[0]?.node.body).toBe(body)
  })

  it.each(['A-Z.a_z@0|9:-', 'x'.repeat(128), 'auth0|5f7c8ec7c33c6c004bbafe82'])(
    'reaches the user %s',
    async (userId) => {
      const via = ({ POST: 'http', WebSocket: 'ws', REST: 'rest' } as Record<Way, Via>)[way]
      expect(await alice.send({ userId }, 'hi', { via })).toMatchObject({ body: 'hi' })
    },
  )
})

describe('after all of this', () => {
  it('nothing was stored in the chat, and nobody has anything to fetch', async () => {
    const { edges } = await alice.history(stage.chat)
    expect(edges.map(({ node }) => node.body)).toEqual(['the only message'])
    const { pending } = world.nodes[0]?.parts.ports ?? expect.fail()
    expect(await pending.list(bob.userId as UserId)).toContainEqual({
      conversationId: stage.chat,
      firstUndeliveredSeq: 1,
    })
  })
})
