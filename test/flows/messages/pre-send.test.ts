import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../src/config/config.ts'
import { derivePreSendSecret } from '../../../src/config/derived-secrets.ts'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import { secretText } from '../../../src/shared/standard-webhooks.ts'
import { createGroup } from '../../kit/group-of.ts'
import { line, type Person, type Via } from '../../kit/person.ts'
import { type PreSendBackend, startPreSendBackend } from '../../kit/services/pre-send-backend.ts'
import { patient, startWorld, type World } from '../../kit/world.ts'

const ways: readonly Via[] = ['http', 'ws', 'rest']
const calls: DynamoCall[] = []
const logged: { msg: string; reason?: string; failure?: string }[] = []
const logger = pino(
  { level: 'warn' },
  new Writable({
    write(text, _encoding, done) {
      logged.push(JSON.parse(String(text)))
      done()
    },
  }),
)
const deadlines = { ...patient, preSendMs: 1500 }
let backend: PreSendBackend
/** Its nodes refuse what the backend does not decide. The third waits no longer for it than nodes do. */
let world: World
/** Its node stores what the backend does not decide. */
let lenient: World
let alice: Person
let bob: Person

const settings = (url: string, failure: 'allow' | 'deny'): Partial<Config> => ({
  preSend: { url, failure, secrets: 'derived' },
})

beforeAll(async () => {
  backend = await startPreSendBackend()
  const app = { logger, onDynamoCall: (call: DynamoCall) => void calls.push(call) }
  ;[world, lenient] = await Promise.all([
    startWorld({ nodes: 2, app, config: settings(backend.url, 'deny') }),
    startWorld({ app: { deadlines }, config: settings(backend.url, 'allow') }),
  ])
  await world.startNode({ deadlines })
})
afterAll(async () => {
  await Promise.all([world?.stop(), lenient?.stop()])
  await backend?.stop()
})
beforeEach(async () => {
  backend.reset()
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
})

type Given = { body?: string; metadata?: object; replyToSeq?: number; clientMessageId?: string }
type Sent = { duplicate: boolean; message: { seq: number; body: string; metadata: unknown } }

/** Sends with everything that a draft may have, over GraphQL. */
async function say(person: Person, given: Given, node = person.url): Promise<Sent> {
  const input = { clientMessageId: randomUUID(), body: 'hi', to: { userId: bob.userId }, ...given }
  const { sendMessage } = await person.ask<{ sendMessage: Sent }>(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate message { seq body metadata } } }',
    { input },
    { node },
  )
  return sendMessage
}

const linesOf = async (person: Person, conversationId: string): Promise<string[]> =>
  (await person.history(conversationId)).edges.map(({ node }) => line(node))

describe.each(ways)('sent over %s', (via) => {
  it('a message is stored when the backend allows it', async () => {
    const clientMessageId = randomUUID()
    expect(await alice.send(bob, 'hi', { via, clientMessageId })).toMatchObject({ seq: 1, body: 'hi' })
    expect(backend.asked.map(({ draft }) => draft)).toEqual([
      {
        type: 'send',
        senderId: alice.userId,
        conversationId: world.chatOf(alice, bob),
        kind: 'DIRECT',
        recipientId: bob.userId,
        clientMessageId,
        body: 'hi',
      },
    ])
  })

  it('a message that it denies is not stored, and its reason reaches the sender as one line', async () => {
    backend.says({ decision: 'deny', reason: ` No\u202e links,\nplease. ${'x'.repeat(300)}` })
    const refused = expect.objectContaining({
      code: 'FORBIDDEN',
      retryable: false,
      message: `No links, please. ${'x'.repeat(182)}`,
    })
    await expect(alice.send(bob, 'hi', { via })).rejects.toEqual(refused)
    expect(await alice.conversation(world.chatOf(alice, bob))).toBeNull()
  })

  it('a message that it replaces is stored as it says, and a retry on another node is a duplicate of that', async () => {
    backend.says({ decision: 'replace', body: 'h*' })
    const clientMessageId = randomUUID()
    expect(await alice.send(bob, 'hi', { via, clientMessageId })).toMatchObject({ body: 'h*', duplicate: false })
    backend.says({ decision: 'deny' })
    for (const node of [world.url(0), world.url(1)]) {
      const retry = await alice.send(bob, 'hi', { via, clientMessageId, node })
      expect(retry).toMatchObject({ seq: 1, body: 'h*', duplicate: true })
    }
    expect(backend.asked).toHaveLength(1)
    await expect(alice.send(bob, 'h*', { via, clientMessageId })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    expect(backend.asked).toHaveLength(1)
    expect(await linesOf(bob, world.chatOf(alice, bob))).toEqual(['1 h*'])
  })

  it('what it does not decide is refused, retryable, and the retry asks again', async () => {
    backend.says((response) => void response.writeHead(500).end())
    const clientMessageId = randomUUID()
    const unavailable = { code: 'UNAVAILABLE', retryable: true }
    await expect(alice.send(bob, 'hi', { via, clientMessageId })).rejects.toMatchObject(unavailable)
    backend.says({ decision: 'allow' })
    expect(await alice.send(bob, 'hi', { via, clientMessageId })).toMatchObject({ seq: 1, duplicate: false })
    const [first, second] = backend.asked.map(({ headers }) => headers['webhook-id'])
    expect(first).toBe(second)
  })
})

it('the backend learns everything that the sender has said', async () => {
  await say(alice, { body: 'first' })
  await say(alice, { body: 'second', metadata: { mood: ['ä'] }, replyToSeq: 1 })
  expect(backend.asked.at(-1)?.draft).toMatchObject({ body: 'second', metadata: { mood: ['ä'] }, replyToSeq: 1 })
  const group = (await createGroup(alice, [bob])).id
  await alice.send({ conversationId: group }, 'all')
  const { draft } = backend.asked.at(-1) ?? expect.fail()
  expect(draft).toMatchObject({ kind: 'GROUP', conversationId: group, body: 'all' })
  expect(draft).not.toHaveProperty('recipientId')
})

it('only input that is valid, from a member, is asked about', async () => {
  const stranger = await world.person('stranger')
  await say(alice, {})
  const asked = backend.asked.length
  await expect(alice.send(bob, ' ')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  await expect(say(alice, { replyToSeq: 7 })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  await expect(stranger.send({ conversationId: world.chatOf(alice, bob) }, 'hi')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(backend.asked).toHaveLength(asked)
})

it('metadata is replaced, kept or taken away as the answer says', async () => {
  const metadata = { a: 1 }
  backend.says({ decision: 'replace', metadata: { b: 2 } })
  expect((await say(alice, { metadata })).message).toMatchObject({ body: 'hi', metadata: { b: 2 } })
  backend.says({ decision: 'replace', body: 'ho' })
  expect((await say(alice, { metadata })).message).toMatchObject({ body: 'ho', metadata })
  backend.says({ decision: 'replace', body: 'ho', metadata: null })
  expect((await say(alice, { metadata })).message).toMatchObject({ body: 'ho', metadata: null })
})

it('the public library of Standard Webhooks verifies the question, with the derived secret', async () => {
  await alice.send(bob, 'hi')
  const { text, headers } = backend.asked[0] ?? expect.fail()
  const secret = secretText(derivePreSendSecret(new TextEncoder().encode('cursors of the tests')))
  expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({ body: 'hi' })
  expect(() => new Webhook(secret).verify(`${text} `, headers as Record<string, string>)).toThrow()
})

describe('an edit', () => {
  it('is asked about, and denied, replaced or allowed', async () => {
    const { conversationId, seq } = await alice.send(bob, 'hi')
    backend.says({ decision: 'deny', reason: 'No.' })
    await expect(alice.edit(conversationId, seq, 'worse')).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'No.' })
    expect(await linesOf(bob, conversationId)).toEqual(['1 hi'])
    backend.says({ decision: 'allow' })
    expect(await alice.edit(conversationId, seq, 'better')).toMatchObject({ body: 'better' })

    backend.says({ decision: 'replace', body: 'b***' })
    const clientMessageId = randomUUID()
    expect(await alice.edit(conversationId, seq, 'best', clientMessageId)).toMatchObject({ body: 'b***' })
    expect(backend.asked.at(-1)?.draft).toEqual({
      type: 'edit',
      senderId: alice.userId,
      conversationId,
      kind: 'DIRECT',
      recipientId: bob.userId,
      clientMessageId,
      seq,
      body: 'best',
    })
    const asked = backend.asked.length
    backend.says({ decision: 'deny' })
    expect(await alice.edit(conversationId, seq, 'best', clientMessageId)).toMatchObject({ body: 'b***' })
    expect(backend.asked).toHaveLength(asked)
    expect(await linesOf(bob, conversationId)).toEqual(['1 b***'])
  })

  it('by somebody who may not edit is refused without a question, and so are no reactions and no deletions asked about', async () => {
    const { conversationId, seq } = await alice.send(bob, 'hi')
    backend.reset()
    await expect(bob.edit(conversationId, seq, 'mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await bob.react(conversationId, seq, '👍')
    await alice.remove(conversationId, seq)
    expect(backend.asked).toEqual([])
  })
})

const noDecisions: Record<string, (response: ServerResponse) => object | undefined> = {
  'no answer in time': () => undefined,
  'a body that never ends in time': (response) => void response.writeHead(200).write('{"decision":'),
  'status 500': (response) => void response.writeHead(500).end('{"decision":"allow"}'),
  'status 201': (response) => void response.writeHead(201).end('{"decision":"allow"}'),
  'a redirect': (response) => void response.writeHead(307, { location: `${backend.url}/else` }).end(),
  'broken JSON': (response) => void response.end('{"decision":"deny"'),
  'JSON that is no object': (response) => void response.end('["allow"]'),
  'bytes that are no UTF-8': (response) =>
    void response.end(Buffer.from('{"decision":"deny","reason":"\xff"}', 'latin1')),
  'an unknown decision': () => ({ decision: 'maybe' }),
  'a reason that is no text': () => ({ decision: 'deny', reason: 7 }),
  'a body that breaks the rules': () => ({ decision: 'replace', body: ' ' }),
  'metadata that breaks the rules': () => ({ decision: 'replace', metadata: { x: 'x'.repeat(5000) } }),
  'a replacement by nothing': () => ({ decision: 'replace' }),
  'a longer answer than there is': (response) => void response.end(`{"decision":"deny"}${' '.repeat(70_000)}`),
  'a connection that is closed': (response) => void response.destroy(),
  'status 101': (response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'),
}

describe('no decision', () => {
  // They are all sent at once, as some of them take all the time there is.
  const sendAll = (person: Person, to: { userId: string }) => {
    backend.says((response, { body }) => noDecisions[String(body)]?.(response) ?? undefined)
    return Promise.all(
      Object.keys(noDecisions).map(async (body) =>
        person.send(to, body, { via: 'ws' }).then(
          () => `stored: ${body}`,
          ({ code, retryable }) => `${code} ${retryable}: ${body}`,
        ),
      ),
    )
  }

  it('is UNAVAILABLE where failures deny: nothing is stored, and the log says why', async () => {
    const impatient = await world.person('impatient', { node: 2 })
    expect(await sendAll(impatient, bob)).toEqual(Object.keys(noDecisions).map((body) => `UNAVAILABLE true: ${body}`))
    expect(new Set(backend.asked.map(({ draft }) => draft.body))).toEqual(new Set(Object.keys(noDecisions)))
    expect(await impatient.conversation(world.chatOf(impatient, bob))).toBeNull()
    const told = logged.filter(({ msg }) => msg === 'the backend has not decided about a message')
    expect(new Set(told.map(({ reason }) => reason))).toEqual(
      new Set(['timeout', 'connection', 'status', 'too_long', 'invalid']),
    )
    const metrics = await (await fetch(`${world.url(2)}/metrics`)).text()
    for (const reason of ['timeout', 'connection', 'status', 'too_long', 'invalid'])
      expect(metrics).toMatch(new RegExp(`parley_pre_send_failures_total\\{reason="${reason}"\\} [1-9]`))
    expect(metrics).toMatch(/parley_pre_send_duration_seconds_count [1-9]/)
  })

  it('is as good as allow where failures allow, and a denial is still one', async () => {
    const [carol, dave] = [await lenient.person('carol'), await lenient.person('dave')]
    expect(await sendAll(carol, dave)).toEqual(Object.keys(noDecisions).map((body) => `stored: ${body}`))
    backend.says({ decision: 'deny' })
    await expect(carol.send(dave, 'hi')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'This message was refused.',
    })
  })
})

it('an attachment of a denied message can go with another one', async () => {
  const { createUpload } = await alice.ask<{
    createUpload: { attachment: { id: string }; uploadUrl: string; headers: { name: string; value: string }[] }
  }>(
    `mutation { createUpload(input: { contentType: "text/plain", byteSize: 2, name: "a.txt" }) {
      attachment { id } uploadUrl headers { name value } } }`,
  )
  const { attachment, uploadUrl, headers } = createUpload
  await fetch(uploadUrl, {
    method: 'PUT',
    body: 'hi',
    headers: headers.map(({ name, value }): [string, string] => [name, value]),
  })
  const input = { to: { userId: bob.userId }, attachmentIds: [attachment.id] }
  const send = (body: string) =>
    alice.ask(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { body attachments { id } } } }',
      { input: { ...input, clientMessageId: randomUUID(), body } },
    )
  backend.says({ decision: 'deny' })
  await expect(send('bad')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(backend.asked[0]?.draft.attachments).toEqual([
    { id: attachment.id, contentType: 'text/plain', byteSize: 2, name: 'a.txt' },
  ])
  backend.says({ decision: 'replace', body: '' })
  expect(await send('good')).toEqual({ sendMessage: { message: { body: '', attachments: [{ id: attachment.id }] } } })
})

it('costs one read more of DynamoDB than a send that asks nobody', async () => {
  await alice.send(bob, 'the chat is there')
  await alice.send(bob, 'and known')
  calls.length = 0
  await alice.send(bob, 'counted')
  const sends = calls.map(({ operation, table }) => `${operation} ${table.replace(world.prefix, '')}`)
  expect(sends.filter((call) => call.startsWith('Get'))).toEqual(['GetItem sends'])
})
