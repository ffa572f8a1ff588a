// Random documents, values, frames and requests, thrown at a node that is a process of its own.
// Again, with what the failure printed:   FAST_CHECK_SEED=… npx vitest run test/hostile/random.test.ts
// For longer:                             FAST_CHECK_RUNS=5000 npx vitest run test/hostile/random.test.ts

import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { schema } from '../../src/schema/schema.ts'
import { type NodeProcess, startNodeProcess } from '../kit/nodes/node-process.ts'
import { createPerson, type Person, testSecret } from '../kit/person.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'
import { sharedService } from '../kit/shared-services.ts'
import {
  awkwardText,
  type Frame,
  frameOf,
  type HttpRequest,
  httpRequest,
  type Known,
  monster,
  mutated,
  type Operation,
  operationOf,
  tokenSoup,
} from './arbitraries.ts'

const seed = Number(process.env.FAST_CHECK_SEED ?? 20_261_116)
/** This many batches of each kind are sent. */
const runs = Number(process.env.FAST_CHECK_RUNS ?? 60)
const atOnce = 8
const stallMaxMs = 100
const answerWithinMs = 10_000

let redis: RedisServer
let node: NodeProcess
let alice: Person
let known: Known

beforeAll(async () => {
  redis = await startRedis()
  node = await startNodeProcess(await sharedService('server'), {
    REDIS_URL: redis.url,
    DYNAMODB_ENDPOINT: await sharedService('dynalite'),
    TABLE_PREFIX: `random${process.pid}_`,
    CREATE_TABLES: 'true',
    AUTH_JWT_SECRET: testSecret,
    RATE_LIMIT_PER_SECOND: '0',
    INTROSPECTION: 'true',
  })
  alice = await createPerson('random-alice', node.url)
  const chat = (await alice.send({ userId: 'random-bob' }, 'hi')).conversationId
  const cursors = (await alice.history(chat)).edges.map(({ cursor }) => cursor)
  known = { conversationIds: [chat, `msg_${chat}_1`], userIds: ['random-alice', 'random-bob'], cursors }
  // A document that is compiled at its first use would count as a stall.
  for (let i = 0; i < 20; i += 1) await alice.history(chat)
  await node.worstStall()
}, 180_000)
afterEach(async () => {
  if (process.env.FAST_CHECK_RUNS) console.log(Object.fromEntries(tally))
  expect(tally.get('OK')).toBeGreaterThan(0)
  tally.clear()
  expect(node.complaints).toEqual([])
  expect((await node.worstStall()).cpuMs, 'the event loop was held up').toBeLessThan(stallMaxMs)
  expect(await alice.ask('{ viewer { id } }')).toEqual({ viewer: { id: 'random-alice' } })
})
afterAll(async () => {
  await alice?.hangUp()
  const ended = await node?.stop()
  await redis?.stop()
  expect(ended).toEqual([0, null])
})

/** Sends some at once, again and again. fast-check makes them smaller until only what breaks it is left. */
const throwAll = <T>(arbitrary: fc.Arbitrary<T>, judge: (one: T) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: atOnce }), async (batch) => {
      await Promise.all(batch.map((one) => insist(() => judge(one))))
    }),
    { seed, numRuns: runs, endOnFailure: false },
  )

/** On a busy machine DynamoDB is late now and then, and UNAVAILABLE is the right answer; but not time after time. */
class Late extends Error {}

async function insist(judgeIt: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await judgeIt()
    } catch (error) {
      if (!(error instanceof Late) || attempts === 6) throw error
    }
  }
}

/** This counts how often which answer came: a kind of input that is only ever refused has not tried much. */
const tally = new Map<string, number>()

const timeout = 60_000 + runs * 1000
const authorization = () => `Bearer ${alice.token}`
const operations = () => operationOf(schema, known)
const documents = (): fc.Arbitrary<Operation> =>
  fc
    .oneof(
      { weight: 3, arbitrary: operations().map(({ query }) => query) },
      { weight: 4, arbitrary: mutated(operations().map(({ query }) => query)) },
      { weight: 3, arbitrary: tokenSoup },
      { weight: 1, arbitrary: monster },
      { weight: 1, arbitrary: awkwardText },
    )
    .map((query) => ({ query, variables: {} }))

describe('a node', () => {
  it('stands random documents', { timeout }, async () => {
    await throwAll(documents(), judgeOperation)
  })

  it('stands random values', { timeout }, async () => {
    await throwAll(operations(), judgeOperation)
  })

  it('stands random frames', { timeout }, async () => {
    const frames = fc.array(frameOf(fc.oneof(operations(), documents()), authorization()), { maxLength: 12 })
    const introduction: Frame = {
      text: JSON.stringify({ type: 'connection_init', payload: { authorization: authorization() } }),
    }
    const introduced = frames.map((rest) => [introduction, ...rest])
    await throwAll(fc.oneof({ weight: 3, arbitrary: introduced }, { weight: 1, arbitrary: frames }), judgeFrames)
  })

  it('stands random requests', { timeout }, async () => {
    await throwAll(httpRequest(operations(), authorization()), judgeRequest)
  })
})

describe('five hundred documents that nobody has seen before', () => {
  const keptMaxBytes = 15 * 2 ** 20

  it('leave no memory behind', { timeout }, async () => {
    const before = await node.memory()
    for (let i = 0; i < 500; i += 10) {
      const some = Array.from({ length: 10 }, (_, j) => ({ query: `{ nobody${i + j} }`, variables: {} }))
      await Promise.all(some.map((operation) => insist(() => judgeOperation(operation))))
    }
    expect(tally.get('GRAPHQL_VALIDATION_FAILED')).toBeGreaterThanOrEqual(500)
    tally.set('OK', 1)
    expect((await node.memory()).heapUsed - before.heapUsed).toBeLessThan(keptMaxBytes)
  })
})

/** Subscriptions go by SSE, and their first word is enough. */
async function judgeOperation(operation: Operation): Promise<void> {
  const gone = new AbortController()
  const response = await fetch(`${node.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream;q=0.5',
      'content-type': 'application/json',
      authorization: authorization(),
    },
    body: JSON.stringify(operation),
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(answerWithinMs)]),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? '' : await response.text()
  gone.abort()
  judge(response.status, text)
}

function judge(status: number, text: string): void {
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? 'OK'
  tally.set(code, (tally.get(code) ?? 0) + 1)
  if (text.includes('"code":"UNAVAILABLE"')) throw new Late(text)
  expect(status, text).toBeLessThan(500)
  expect(text).not.toContain('"code":"INTERNAL"')
}

async function judgeFrames(frames: Frame[]): Promise<void> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  socket.on('error', () => undefined)
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await Promise.race([once(socket, 'open'), closed])
  let heard = ''
  socket.on('message', (data) => {
    heard += data
  })
  for (const [i, frame] of frames.entries()) {
    if (socket.readyState !== WebSocket.OPEN) break
    if ('text' in frame) socket.send(frame.text)
    else socket.send(frame.bytes, { binary: frame.binary, fin: frame.fin })
    if (i === 0 && 'text' in frame && frame.text.startsWith('{"type":"connection_init"')) {
      await Promise.race([once(socket, 'message'), closed])
    }
  }
  // A client that was let in gets an answer, if the socket lives. Any client gets a pong.
  const last = heard.includes('connection_ack') ? answerOn(socket) : pongOf(socket)
  const code = await Promise.race([closed, last, deadline()])
  socket.terminate()
  judge(101, heard)
  tally.set(String(code), (tally.get(String(code)) ?? 0) + 1)
  expect([1011, 4500, 1006, 'late']).not.toContain(code)
}

const answerOn = (socket: WebSocket): Promise<'answered'> =>
  new Promise((resolve) => {
    socket.on('message', (data) => String(data).startsWith('{"id":"last"') && resolve('answered'))
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(JSON.stringify({ type: 'subscribe', id: 'last', payload: { query: '{ viewer { id } }' } }))
  })

async function pongOf(socket: WebSocket): Promise<'pong'> {
  const heard = once(socket, 'pong')
  if (socket.readyState === WebSocket.OPEN) socket.ping()
  await heard
  return 'pong'
}

const deadline = (): Promise<'late'> =>
  new Promise((resolve) => void setTimeout(resolve, answerWithinMs, 'late').unref())

/** Sends the request over a bare connection: no client would send all of this. */
async function judgeRequest({ method, path, headers, body }: HttpRequest): Promise<void> {
  const { hostname, port } = new URL(node.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const own = headers.some(([name]) => name === 'host') ? [] : [['host', `${hostname}:${port}`]]
  const length = hasBody ? [['content-length', String(Buffer.byteLength(body))]] : []
  const lines = [...own, ...headers, ...length].map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path.replace(/\s/g, '%20') || '/'} HTTP/1.1`, ...lines].join('\r\n')
  socket.write(`${head}\r\n\r\n${hasBody ? body : ''}`)
  const answer = await Promise.race([firstBytes(socket), deadline()])
  socket.destroy()
  expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
  judge(Number(answer.slice(9, 12)), answer)
}

async function firstBytes(socket: ReturnType<typeof connect>): Promise<string> {
  const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return String(chunk)
}
