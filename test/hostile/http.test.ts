import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import type { Person } from '../kit/person.ts'
import { startWorld, type World } from '../kit/world.ts'
import { elsewhere, graphqlRequests, type HttpRow, restRequests, type Sent } from './http.ts'
import { tokens } from './tokens.ts'
import { openWays, type Ways } from './ways.ts'

let world: World
let alice: Person
let ways: Ways
beforeAll(async () => {
  world = await startWorld()
  alice = await world.person('alice')
  ways = await openWays(world.url(), `Bearer ${alice.token}`)
})
afterAll(async () => {
  ways.close()
  await world.stop()
})

const accept = 'application/graphql-response+json, application/json;q=0.9'
type Told = { code: string; retryable: boolean; field?: string }

async function send({ path = '/graphql', method = 'POST', headers = {}, body }: Sent, authorization?: string) {
  const response = await fetch(`${world.url()}${path}`, {
    method,
    headers: { accept, authorization: authorization ?? `Bearer ${alice.token}`, ...headers },
    ...(body !== undefined && { body: body as BodyInit }),
  })
  const answer = (await response.json()) as { errors?: { extensions: Told }[]; error?: Told }
  const { code, retryable, field } =
    answer.errors?.[0]?.extensions ?? answer.error ?? expect.fail(JSON.stringify(answer))
  return { status: response.status, code, retryable, field }
}

const rows = (table: HttpRow[]) =>
  it.each(table)('%s', async (_what, request, status, code, field) => {
    expect(await send(request)).toEqual({ status, code, retryable: false, field })
    await ways.stillServes()
  })

describe('a request to /graphql', () => rows(graphqlRequests))
describe('a request to /messages', () => rows(restRequests))
describe('a request elsewhere', () => rows(elsewhere))

describe('a clientMessageId used for two things', () => {
  it('is a conflict', async () => {
    const message = { clientMessageId: 'twice', to: { userId: 'bob' }, body: 'one' }
    const rest = (body: object): Sent => ({
      path: '/messages',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await ways.rest(message)
    const answer = await send(rest({ ...message, body: 'two' }))
    expect(answer).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT', retryable: false })
  })
})

describe('a token', () => {
  const query = '{ viewer { id } }'
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query })
  const refused = { status: 401, code: 'UNAUTHENTICATED', retryable: false }

  it.each(tokens)('%s', async (_what, make) => {
    const authorization = await make()
    const message = JSON.stringify({ clientMessageId: 'a', to: { userId: 'bob' }, body: 'hi' })
    expect(await send({ headers, body }, authorization)).toMatchObject(refused)
    expect(await send({ method: 'GET', path: `/graphql?query=${query}` }, authorization)).toMatchObject(refused)
    const stream = { ...headers, accept: 'text/event-stream' }
    const subscription = JSON.stringify({ query: 'subscription { conversationChanged { id } }' })
    expect(await overSse({ headers: stream, body: subscription }, authorization)).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    expect(await send({ path: '/messages', headers, body: message }, authorization)).toMatchObject(refused)
    expect(await closeCode(authorization)).toBe(4403)
    await ways.stillServes()
  })

  it('none at all: nobody is refused at the door, but nothing is shown', async () => {
    const response = await fetch(`${world.url()}/graphql`, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(await closeCode(undefined)).toBe(4403)
  })

  async function overSse(request: Sent, authorization: string) {
    const { headers = {}, body = '' } = request
    const response = await fetch(`${world.url()}/graphql`, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: body as BodyInit,
    })
    const text = await response.text()
    return JSON.parse(/(\{"errors".*\})/.exec(text)?.[1] ?? text).errors[0].extensions
  }

  async function closeCode(authorization: string | undefined): Promise<number> {
    const socket = new WebSocket(`${world.url().replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } })))
    const [code] = (await once(socket, 'close')) as [number]
    return code
  }
})

describe('bytes that are no HTTP', () => {
  it.each([
    ['prose', 'hello\r\n\r\n', 400],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 400],
    ['the start of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a method that does not exist', 'BREW /graphql HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['two lengths', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length and chunks',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a length below zero', 'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['a header with a NUL', 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400],
    ['headers of 20 KB', `GET /healthz HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a URL of 20 KB', `GET /graphql?query=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    [
      'an upgrade to something else',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      400,
    ],
    [
      'an upgrade without a key',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      400,
    ],
    [
      'an upgrade elsewhere',
      'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      404,
    ],
    [
      'an upgrade by POST',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nContent-Length: 0\r\n\r\n',
      405,
    ],
    [
      'an upgrade by a foreign page',
      'GET /graphql HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      403,
    ],
  ])('%s', async (_what, bytes, status) => {
    const { hostname, port } = new URL(world.url())
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(Buffer.from(bytes, 'latin1'))
    const [head] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(String(head).split('\r\n', 1)[0]).toContain(` ${status} `)
    await ways.stillServes()
  })
})
