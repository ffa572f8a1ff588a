import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageNodeId } from '../../../src/protocol/ids.ts'
import { ApiError, type Person, type Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let mallory: Person
let chat: string
let secretCursor: string
/** This conversation does not exist. */
const nowhere = 'dm_doesNotExistAnywhereAtAll'

beforeAll(async () => {
  world = await startWorld()
  const [alice, bob] = [await world.person('alice', { displayName: 'Alice' }), await world.person('bob')]
  mallory = await world.person('mallory')
  chat = (await alice.send(bob, 'a secret')).conversationId
  secretCursor = (await alice.history(chat)).edges[0]?.cursor ?? ''
})
afterAll(() => world.stop())

type Attempt = [string, (id: string, via: Via) => Promise<unknown>]

const messageOf = (conversationId: string) => messageNodeId({ conversationId: conversationId as never, seq: 1 })
const firstOf = async (log: ReturnType<Person['follow']> | ReturnType<Person['followTicks']>) => {
  const failure = await log.fails()
  await log.stop()
  return failure
}

const attempts: Attempt[] = [
  ['conversation', (id, via) => mallory.ask('query ($id: ID!) { conversation(id: $id) { id } }', { id }, { via })],
  ['node', (id, via) => mallory.ask('query ($id: ID!) { node(id: $id) { id } }', { id }, { via })],
  [
    'the node of a message',
    (id, via) => mallory.ask('query ($id: ID!) { node(id: $id) { id } }', { id: messageOf(id) }, { via }),
  ],
  [
    'messages',
    (id, via) =>
      mallory.ask('query ($id: ID!) { messages(conversationId: $id) { edges { cursor } } }', { id }, { via }),
  ],
  [
    'messages with a wrong size',
    (id, via) =>
      mallory.ask(
        'query ($id: ID!) { messages(conversationId: $id, first: 0, last: 0) { edges { cursor } } }',
        { id },
        { via },
      ),
  ],
  [
    'messages with a stolen cursor',
    (id, via) =>
      mallory.ask(
        'query ($id: ID!, $after: String) { messages(conversationId: $id, after: $after) { edges { cursor } } }',
        { id, after: secretCursor },
        { via },
      ),
  ],
  ['ack', (id, via) => mallory.ack(id, 1, { via })],
  ['ack of a seq that is out of range', (id, via) => mallory.ack(id, 99, { via })],
  ['markRead', (id, via) => mallory.markRead(id, 0, { via })],
  ['sendMessage', (id, via) => mallory.send({ conversationId: id }, 'let me in', { via })],
  ['sendMessage with a bad body', (id, via) => mallory.send({ conversationId: id }, ' ', { via, clientMessageId: '' })],
  [
    'POST /messages with a bad body',
    (id) => mallory.send({ conversationId: id }, ' ', { via: 'rest', clientMessageId: '' }),
  ],
  ['messageAdded', (id) => firstOf(mallory.follow({ conversationId: id }))],
  ['ticksChanged', (id) => firstOf(mallory.followTicks({ conversationId: id }))],
]

/** Returns everything that a stranger can see of an answer. */
const seen = (attempt: Promise<unknown>) =>
  attempt
    .catch((error: unknown) => error)
    .then((answer) => {
      if (!(answer instanceof ApiError)) return answer
      const { message, code, retryable, field } = answer
      return { message, code, retryable, field }
    })

describe.each<Via>(['http', 'ws'])('a stranger, over %s', (via) => {
  it.each(attempts)('learns nothing from %s', async (_name, attempt) => {
    const answer = await seen(attempt(chat, via))
    expect(answer).toEqual(await seen(attempt(nowhere, via)))
    expect([{ conversation: null }, { node: null }, expect.objectContaining({ code: 'NOT_FOUND' })]).toContainEqual(
      answer,
    )
  })

  it('sees no user they share no conversation with', async () => {
    const [alice] = [await world.person('alice', { displayName: 'Alice' })]
    await alice.ask('{ viewer { name } }')
    const find = (id: string) => mallory.ask('query ($id: ID!) { node(id: $id) { id } }', { id }, { via })
    expect(await find(alice.userId)).toEqual({ node: null })
    expect(await find(mallory.userId)).toEqual({ node: { id: mallory.userId } })
    await mallory.send(alice, 'hello')
    expect(await find(alice.userId)).toEqual({ node: { id: alice.userId } })
  })
})

describe('a member', () => {
  it('may use a cursor another member was given', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    for (const body of ['one', 'two']) await alice.send(bob, body)
    const conversationId = world.chatOf(alice, bob)
    const after = (await alice.history(conversationId, { first: 1 })).pageInfo.endCursor
    expect((await bob.history(conversationId, { after })).edges.map(({ node }) => node.body)).toEqual(['one'])
  })

  it('is not shown the other’s clientMessageId', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const { conversationId } = await alice.send(bob, 'one', { clientMessageId: 'alices-own' })
    const idsSeenBy = async (person: Person) =>
      (await person.history(conversationId)).edges.map(({ node }) => node.clientMessageId)
    expect([await idsSeenBy(alice), await idsSeenBy(bob)]).toEqual([['alices-own'], [null]])
  })

  it('is shown the name that came with the other’s token', async () => {
    const [alice, bob] = [await world.person('alice', { displayName: 'Alice A.' }), await world.person('bob')]
    const { conversationId } = await alice.send(bob, 'hi')
    await expect.poll(async () => (await bob.history(conversationId)).edges[0]?.node.sender.name).toBe('Alice A.')
  })

  it('without a token is nobody', async () => {
    const response = await fetch(`${world.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { id } }' }),
    })
    const { errors } = (await response.json()) as { errors: { extensions: object }[] }
    expect(errors[0]?.extensions).toMatchObject({ code: 'UNAUTHENTICATED', retryable: false })
  })
})
