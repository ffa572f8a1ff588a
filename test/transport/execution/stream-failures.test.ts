// The table of docs/api.md, "Failures of streams": one failure has one shape on each transport, whoever finds it.

import { expect, test } from 'vitest'
import { ChatError } from '../../../src/protocol/errors.ts'
import {
  bearer,
  connect,
  createManualClock,
  openEvents,
  openSocket,
  type Started,
  type StartOptions,
  start,
} from '../kit.ts'

type Failure = { message: string; extensions: { code: string; retryable: boolean } }

const events = 'subscription { events { number text } }'

/** What comes over a socket: the type of each frame, and the errors of the last one. */
async function bySocket(server: Started, query: string, socket = connect(server)) {
  const { subscribe, framesOf, frames, send, frame } = await socket
  subscribe('1', query)
  await framesOf('1', 1)
  // The pong comes after whatever else the operation has sent.
  send({ type: 'ping' })
  await frame('pong')
  const own = frames.filter(({ id }) => id === '1')
  return { types: own.map(({ type }) => type), errors: own.at(-1)?.payload as Failure[] }
}

/** The same over server-sent events. */
async function byEvents(server: Started, query: string, authorization?: string) {
  const { response, next } = await openEvents(server, query, authorization)
  const types: string[] = []
  let errors: Failure[] = []
  for (let event = await next(); event; event = await next()) {
    types.push(event.event)
    if (event.event === 'next') ({ errors } = JSON.parse(event.data))
  }
  return { status: response.status, types, errors }
}

const subscribed = async (server: Started) => {
  const socket = await connect(server)
  socket.subscribe('first', events)
  await server.stage.source()
}

const oneSubscription: StartOptions = { env: { SUBSCRIPTIONS_PER_USER: '1' } }
const tooMany = Array.from({ length: 70 }, (_, index) => `a${index}: number`).join(' ')

test.each<[code: string, query: string, options?: StartOptions, before?: (server: Started) => Promise<void>]>([
  ['NOT_FOUND', 'subscription { refused { number } }'],
  ['BAD_USER_INPUT', 'subscription ($with: Boolean!) { events { number @include(if: $with) } }'],
  ['GRAPHQL_PARSE_FAILED', 'subscription {'],
  ['GRAPHQL_VALIDATION_FAILED', 'subscription { nothing }'],
  ['QUERY_TOO_COMPLEX', `subscription { events { ${tooMany} } }`],
  ['RATE_LIMITED', events, oneSubscription, subscribed],
])('a stream that does not begin: %s', async (code, query, options, before) => {
  const server = await start(options)
  await before?.(server)
  const socket = await bySocket(server, query)
  const sse = await byEvents(server, query)
  expect(socket.types).toEqual(['error'])
  expect([sse.status, sse.types]).toEqual([200, ['next', 'complete']])
  expect(socket.errors).toEqual(sse.errors)
  expect(socket.errors).toMatchObject([{ extensions: { code, retryable: code === 'RATE_LIMITED' } }])
})

test('a rate that was reached before the document was read', async () => {
  const options = { env: { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' } }
  const server = await start(options)
  const socket = await connect(server)
  socket.subscribe('first', events)
  const limited = [{ extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: expect.any(Number) } }]
  expect(await bySocket(server, events, Promise.resolve(socket))).toMatchObject({ types: ['error'], errors: limited })
  expect(await byEvents(server, events)).toMatchObject({ types: ['next', 'complete'], errors: limited })
})

test('a stream without a token: over HTTP the status says so too', async () => {
  const server = await start()
  const anonymous = async () => {
    const socket = await openSocket(server)
    await socket.init()
    return socket
  }
  const unauthenticated = [{ extensions: { code: 'UNAUTHENTICATED', retryable: false } }]
  expect(await bySocket(server, events, anonymous())).toMatchObject({ types: ['error'], errors: unauthenticated })
  const sse = await byEvents(server, events, 'Bearer nonsense')
  expect(sse).toMatchObject({ status: 401, types: ['next', 'complete'], errors: unauthenticated })
})

test.each([
  ['a failure of its source', 'NOT_FOUND', false, (server: Started) => failSources(server)],
  ['an event that cannot be resolved', 'UNAVAILABLE', true, (server: Started) => breakEvents(server)],
])('a stream that ends in the middle by %s', async (_what, code, retryable, end) => {
  const server = await start()
  const socket = await connect(server)
  socket.subscribe('1', events)
  const sse = await openEvents(server, events)
  for (const index of [0, 1]) (await server.stage.source(index)).push(1)
  await socket.frame('next', '1')
  expect(await sse.next()).toMatchObject({ event: 'next' })
  await end(server)
  const failure = { extensions: { code, retryable } }
  expect(await socket.framesOf('1', 2)).toMatchObject([{ type: 'next' }, { type: 'error', payload: [failure] }])
  const last = await sse.next()
  expect([last?.event, JSON.parse(last?.data ?? '')]).toMatchObject(['next', { errors: [failure] }])
  expect(await sse.next()).toMatchObject({ event: 'complete' })
  expect(await sse.next()).toBeUndefined()
})

async function failSources({ stage }: Started): Promise<void> {
  for (const index of [0, 1]) (await stage.source(index)).fail(new ChatError('NOT_FOUND', 'It is gone.'))
}

async function breakEvents({ stage }: Started): Promise<void> {
  stage.textFailures = Number.POSITIVE_INFINITY
  stage.textError = new ChatError('FORBIDDEN', 'Not now.')
  for (const index of [0, 1]) (await stage.source(index)).push(2)
}

test('a token that expires in the middle closes a socket, and ends an event stream with an error', async () => {
  const clock = createManualClock()
  const server = await start({ clock })
  const expiring = { expiresAtMs: clock.now() + 10_000 }
  const socket = await connect(server, 'alice', expiring)
  socket.subscribe('1', events)
  const sse = await openEvents(server, events, await bearer('alice', expiring))
  await server.stage.source(1)
  await clock.advance(11_000)
  expect(await socket.closed()).toEqual({ code: 4403, reason: 'Token expired' })
  expect(JSON.parse((await sse.next())?.data ?? '')).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED', retryable: false } }],
  })
  expect(await sse.next()).toMatchObject({ event: 'complete' })
})
