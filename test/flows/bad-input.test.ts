import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import type { Person, Via } from '../kit/person.ts'
import { startWorld, type World } from '../kit/world.ts'

let world: World
let alice: Person
let bob: Person
let chat: string
let cursor: string
let otherCursor: string

beforeAll(async () => {
  world = await startWorld()
  ;[alice, bob] = [await world.person('alice'), await world.person('bob')]
  chat = (await alice.send(bob, 'the only message')).conversationId
  cursor = (await alice.history(chat)).edges[0]?.cursor ?? ''
  const { conversationId } = await alice.send(alice, 'notes')
  otherCursor = (await alice.history(conversationId)).edges[0]?.cursor ?? ''
})
afterAll(() => world.stop())

const everyWay: Via[] = ['http', 'ws', 'rest']
const onlyChanged = (one: string) => `${one.startsWith('A') ? 'B' : 'A'}${one.slice(1)}`

describe.each(everyWay)('a message sent over %s', (via) => {
  it.each([
    ['an empty body', ''],
    ['only spaces', ' \t\n\u00a0\u3000'],
    ['only invisible characters', '\u200b\u200d\ufeff\u2060\u00ad\u3164\u2800'],
    ['a NUL', 'a\0b'],
    ['half a surrogate pair', 'a\ud83db'],
    ['4,097 characters', 'x'.repeat(4097)],
    ['4,097 emoji', '😀'.repeat(4097)],
  ])('is refused with %s', async (_name, body) => {
    await expect(alice.send(bob, body, { via })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'body',
      retryable: false,
    })
    expect((await alice.conversation(chat))?.lastSeq).toBe(1)
  })

  it.each([
    ['4,096 emoji', '😀'.repeat(4096)],
    ['a combining mark, not composed', 'e\u0301 and \u00e9'],
    ['a right-to-left override and a joiner', '\u202etxt\u202c 👩\u200d👩\u200d👧'],
    ['line ends of all kinds', 'a\r\nb\nc\rd\u2028e'],
  ])('keeps %s byte by byte', async (_name, body) => {
    const sent = await alice.send(alice, body, { via })
    expect(sent.body).toBe(body)
    expect((await alice.history(sent.conversationId, { first: 1 })).edges[0]?.node.body).toBe(body)
  })

  it.each(['', 'a b', 'ä', 'x'.repeat(65), 'a/b', 'a#b'])(
    'is refused with the clientMessageId "%s"',
    async (clientMessageId) => {
      await expect(alice.send(bob, 'hi', { via, clientMessageId })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'clientMessageId',
      })
    },
  )

  it.each(['', 'a b', 'dm_x', 'grp_x', 'msg_x', 'x'.repeat(129), 'ü', 'a/b'])(
    'is refused to the user "%s"',
    async (userId) => {
      await expect(alice.send({ userId }, 'hi', { via })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'to.userId',
      })
    },
  )

  it.each(['A-Z.a_z@0|9:-', 'x'.repeat(128), 'auth0|5f7c8ec7c33c6c004bbafe82'])(
    'reaches the user "%s"',
    async (userId) => {
      expect(await alice.send({ userId }, 'hi', { via })).toMatchObject({ body: 'hi' })
    },
  )

  it.each(['dm_x', 'grp_1', 'bob', '', 'msg_dm_x_1'])('finds no conversation "%s"', async (conversationId) => {
    await expect(alice.send({ conversationId }, 'hi', { via })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('REST', () => {
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.url()}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, ...headers },
      body,
    })
    const { error } = (await response.json()) as { error: object }
    return { status: response.status, error }
  }

  it.each([
    ['no recipient', { clientMessageId: 'a', body: 'hi' }, 'to'],
    ['two recipients', { clientMessageId: 'a', body: 'hi', to: { userId: 'bob', conversationId: 'dm_x' } }, 'to'],
    [
      'a second recipient that is null',
      { clientMessageId: 'a', body: 'hi', to: { userId: null, conversationId: 'dm_x' } },
      'to',
    ],
    ['a recipient of another kind', { clientMessageId: 'a', body: 'hi', to: 'bob' }, 'to'],
    ['a recipient that is a number', { clientMessageId: 'a', body: 'hi', to: { userId: 7 } }, 'to'],
    ['no body', { clientMessageId: 'a', to: { userId: 'bob' } }, 'body'],
    ['a body that is no text', { clientMessageId: 'a', to: { userId: 'bob' }, body: { text: 'hi' } }, 'body'],
    ['no clientMessageId', { to: { userId: 'bob' }, body: 'hi' }, 'clientMessageId'],
  ])('refuses %s', async (_name, input, field) => {
    expect(await post(JSON.stringify(input))).toEqual({
      status: 400,
      error: { code: 'BAD_USER_INPUT', retryable: false, field, message: expect.any(String) },
    })
  })

  it('answers each error with its status', async () => {
    const input = { clientMessageId: 'status', to: { userId: bob.userId }, body: 'hi' }
    expect(await post('{')).toMatchObject({ status: 400, error: { code: 'BAD_USER_INPUT' } })
    expect(await post(JSON.stringify(input), { authorization: 'Bearer nonsense' })).toMatchObject({
      status: 401,
      error: { code: 'UNAUTHENTICATED', retryable: false },
    })
    expect(await post(JSON.stringify({ ...input, to: { conversationId: 'dm_x' } }))).toMatchObject({ status: 404 })
    await post(JSON.stringify(input))
    expect(await post(JSON.stringify({ ...input, body: 'other' }))).toMatchObject({
      status: 409,
      error: { code: 'IDEMPOTENCY_CONFLICT', retryable: false },
    })
  })
})

const messagesPage = `query ($id: ID!, $first: Int, $last: Int, $after: String, $before: String) {
  messages(conversationId: $id, first: $first, last: $last, after: $after, before: $before) { edges { cursor } }
}`
const chatsPage = `query ($first: Int, $last: Int, $after: String, $before: String) {
  conversations(first: $first, last: $last, after: $after, before: $before) { edges { cursor } }
}`

describe.each<Via>(['http', 'ws'])('a page asked for over %s', (via) => {
  it.each([
    [{ first: 0 }, 'first'],
    [{ first: 101 }, 'first'],
    [{ first: -1 }, 'first'],
    [{ last: 0 }, 'last'],
    [{ last: 101 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
  ])('is refused with %o', async (args, field) => {
    const refused = { code: 'BAD_USER_INPUT', field, retryable: false }
    await expect(alice.ask(messagesPage, { id: chat, ...args }, { via })).rejects.toMatchObject(refused)
    await expect(alice.ask(chatsPage, args, { via })).rejects.toMatchObject(refused)
  })

  it.each([
    ['nonsense', () => 'nonsense'],
    ['nothing', () => ''],
    ['a changed cursor', () => onlyChanged(cursor)],
    ['a cursor with something added', () => `${cursor}A`],
    ['a cursor of another conversation', () => otherCursor],
    ['padding', () => `${cursor}==`],
  ])('is refused with the cursor %s', async (_name, wrong) => {
    for (const args of [{ after: wrong() }, { before: wrong(), last: 1 }]) {
      const refused = { code: 'INVALID_CURSOR', retryable: false }
      await expect(alice.ask(messagesPage, { id: chat, ...args }, { via })).rejects.toMatchObject(refused)
      await expect(alice.ask(chatsPage, args, { via })).rejects.toMatchObject(refused)
    }
  })
})

describe.each<Via>(['http', 'ws'])('GraphQL itself, over %s', (via) => {
  it.each([
    ['{ viewer {', {}, 'GRAPHQL_PARSE_FAILED'],
    ['{ nobody }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['query ($c: String) { viewer { id } }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['query ($c: Int) { conversation(id: $c) { id } }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['{ viewer { id }', {}, 'GRAPHQL_PARSE_FAILED'],
    [
      'mutation { ack(input: { conversationId: "x", seq: 3000000000 }) { ticks { userId } } }',
      {},
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'mutation ($i: AckInput!) { ack(input: $i) { ticks { userId } } }',
      { i: { conversationId: 'x', seq: 3e9 } },
      'BAD_USER_INPUT',
    ],
    ['mutation ($i: AckInput!) { ack(input: $i) { ticks { userId } } }', {}, 'BAD_USER_INPUT'],
    [
      'mutation ($i: SendMessageInput!) { sendMessage(input: $i) { duplicate } }',
      { i: { clientMessageId: 'a', body: 'b', to: { userId: 'u', conversationId: 'c' } } },
      'BAD_USER_INPUT',
    ],
  ])('answers %s', async (query, variables, code) => {
    await expect(alice.ask(query, variables, { via })).rejects.toMatchObject({ code, retryable: false })
  })
})

describe('a subscription', () => {
  it.each([
    ['a position below zero', () => [{ conversationId: chat, seq: -1 }], 'BAD_USER_INPUT'],
    ['a position beyond the end', () => [{ conversationId: chat, seq: 99 }], 'SEQ_OUT_OF_RANGE'],
    ['the same conversation twice', () => Array(2).fill({ conversationId: chat, seq: 0 }), 'BAD_USER_INPUT'],
    [
      '1,001 positions',
      () => Array.from({ length: 1001 }, (_, i) => ({ conversationId: `dm_${i}`, seq: 0 })),
      'BAD_USER_INPUT',
    ],
    ['an unknown conversation', () => [{ conversationId: 'dm_x', seq: 0 }], 'NOT_FOUND'],
  ])('is refused with %s', async (_name, after, code) => {
    const stream = alice.follow({ after: after() })
    expect(await stream.fails()).toMatchObject({ code, retryable: false })
    await stream.stop()
  })
})

describe('after all of this', () => {
  it('nothing was stored', async () => {
    const { messages, pending } = world.nodes[0]?.parts.ports ?? expect.fail()
    const rows = await messages.above(chat as ConversationId, 0, 100)
    expect(rows.map((row) => row.kind === 'message' && row.body)).toEqual(['the only message', 'hi'])
    expect(await pending.list(bob.userId as UserId)).toEqual([{ conversationId: chat, firstUndeliveredSeq: 1 }])
  })
})
