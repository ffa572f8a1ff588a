import { createServer as createHttp2Server } from 'node:http2'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { deriveVapid } from '../../src/config/derived-secrets.ts'
import type { Notification, PushProvider } from '../../src/ports/push.ts'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { createApns } from '../../src/push/apns.ts'
import { createFcm } from '../../src/push/fcm.ts'
import { createWebPush } from '../../src/push/webpush.ts'
import { retryAfterMaxMs, retryAfterMs } from '../../src/shared/retry-after.ts'
import { upTo } from '../kit/ids.ts'
import { startApnsService } from '../kit/services/apns-service.ts'
import { startFcmService } from '../kit/services/fcm-service.ts'
import { listen } from '../kit/services/listen.ts'
import { type RawServer, startRawServer } from '../kit/services/raw-server.ts'
import { startWebPushService } from '../kit/services/web-push-service.ts'

const show: Notification = {
  type: 'show',
  conversationId: 'dm_abc' as ConversationId,
  seq: 7,
  title: 'Alice',
  body: 'Tea?',
}
const vapid = { ...deriveVapid(new Uint8Array(32).fill(7)), subject: 'mailto:push@parley.example' }
const now = () => Date.now()
const timeoutMs = 200
/** For answers that must have begun by then, on a busy machine too. */
const patientMs = 2000

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

async function peer(onRequest: (socket: Socket) => unknown): Promise<RawServer> {
  const server = await startRawServer(onRequest)
  undo.push(server.stop)
  return server
}

function endlessly(socket: Socket, chunk: string): void {
  while (socket.writable && socket.write(chunk));
  if (socket.writable) socket.once('drain', () => endlessly(socket, chunk))
}

const rudeAnswers: [name: string, answer: (socket: Socket) => unknown][] = [
  [
    '101 Switching Protocols',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
  ['nothing at all', () => undefined],
  ['the half of a header', (socket) => socket.write('HTTP/1.1 503 Slow\r\nretry-')],
  ['103 without an end', (socket) => endlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ['an error and then silence', (socket) => socket.write('HTTP/1.1 503 Slow\r\ncontent-length: 10\r\n\r\n')],
  [
    'an error whose body never ends',
    (socket) => {
      socket.write('HTTP/1.1 503 Slow\r\ncontent-type: application/json\r\n\r\n')
      endlessly(socket, 'x'.repeat(65_536))
    },
  ],
  ['a closed connection', (socket) => socket.end()],
  ['no HTTP', (socket) => socket.write('220 mail.example ESMTP\r\n')],
]

describe.each(rudeAnswers)('a push service that answers %s', (_name, answer) => {
  const end = async (provider: PushProvider, server: RawServer, token: string) => {
    undo.push(() => provider.close())
    expect(await provider.send(token, show)).toMatchObject({ type: 'retry' })
    await expect.poll(server.open).toBe(0)
  }

  test('does not hold a push to a browser', async () => {
    const server = await peer(answer)
    const service = await startWebPushService()
    undo.push(service.stop)
    const token = JSON.stringify({ ...service.subscribe().subscription, endpoint: `${server.origin}/push` })
    await end(createWebPush({ vapid, now, publicOnly: false, timeoutMs }), server, token)
  })

  test('does not hold a push by FCM', async () => {
    const server = await peer(answer)
    const service = await startFcmService(now)
    undo.push(service.stop)
    await end(createFcm({ account: service.account, endpoint: server.origin, now, timeoutMs }), server, 'token')
  })

  test('does not hold a push by FCM that waits for an access token', async () => {
    const server = await peer(answer)
    const service = await startFcmService(now)
    undo.push(service.stop)
    const account = { ...service.account, tokenUri: `${server.origin}/token` }
    await end(createFcm({ account, endpoint: service.endpoint, now, timeoutMs }), server, 'token')
  })

  test('does not hold a push by APNs', async () => {
    const server = await peer(answer)
    const service = await startApnsService(now)
    undo.push(service.stop)
    const { account } = service
    await end(createApns({ account, endpoint: server.origin, now, timeoutMs }), server, 'ab'.repeat(32))
  })
})

test('a stream of APNs whose answer never ends is given up, and its connection is closed', async () => {
  const server = createHttp2Server().on('stream', (stream) => {
    stream.on('error', () => undefined)
    stream.respond({ ':status': 503 })
    const more = () => {
      while (stream.writable && stream.write('x'.repeat(65_536)));
      if (stream.writable) stream.once('drain', more)
    }
    more()
  })
  const open = new Set<object>()
  server.on('session', (session) => {
    open.add(session)
    session.on('error', () => undefined)
    session.on('close', () => open.delete(session))
  })
  const { origin, stop } = await listen(server)
  undo.push(stop)
  const apns = await startApnsService(now)
  undo.push(apns.stop)
  const provider = createApns({ account: apns.account, endpoint: origin, now, timeoutMs: patientMs })
  expect(await provider.send('ab'.repeat(32), show)).toMatchObject({ type: 'retry', reason: '503' })
  provider.close()
  await expect.poll(() => open.size).toBe(0)
})

test('a service that takes a push and then never ends its answer has taken it', async () => {
  const server = await peer((socket) => socket.write('HTTP/1.1 201 Created\r\ncontent-length: 10\r\n\r\n'))
  const service = await startWebPushService()
  undo.push(service.stop)
  const token = JSON.stringify({ ...service.subscribe().subscription, endpoint: `${server.origin}/push` })
  const provider = createWebPush({ vapid, now, publicOnly: false, timeoutMs: patientMs })
  undo.push(() => provider.close())
  expect(await provider.send(token, show)).toEqual({ type: 'accepted' })
  await expect.poll(server.open).toBe(0)
})

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-11-16T12:00:00Z')

  test.each([
    ['30', 30_000],
    ['0', 0],
    ['999999999', retryAfterMaxMs],
    ['9'.repeat(400), retryAfterMaxMs],
    ['Fri, 31 Dec 9999 23:59:59 GMT', retryAfterMaxMs],
    ['Mon, 16 Nov 2026 12:00:05 GMT', 5000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['-30', undefined],
    ['1e9', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s is %s ms', (header, ms) => {
    expect(retryAfterMs(header, nowMs)).toBe(ms)
  })
})

test('many calls that were answered 101 leave no connection and no call behind', async () => {
  const server = await peer((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  )
  const service = await startWebPushService()
  undo.push(service.stop)
  const provider = createWebPush({ vapid, now, publicOnly: false, timeoutMs: 20_000 })
  undo.push(() => provider.close())
  const browser = service.subscribe()
  const token = JSON.stringify({ ...browser.subscription, endpoint: `${server.origin}/push` })
  const outcomes = await Promise.all(upTo(300).map(() => provider.send(token, show)))
  expect(outcomes.every(({ type }) => type === 'retry')).toBe(true)
  await expect.poll(server.open).toBe(0)
  expect(await provider.send(browser.token, show)).toEqual({ type: 'accepted' })
})
