import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo, Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { frameOf } from '../../../src/engine/websocket/frames.ts'
import { createUpgrader, type OwnedWebSocket } from '../../../src/engine/websocket/owned-web-socket.ts'

// What src/engine/websocket takes for granted of ws 8.22.2 beside its documented interface, and of graphql-ws 6.4.2. When a test here fails
// after an update: read the diff of lib/websocket.js and lib/sender.js, or of graphql-ws's server, change owned-web-socket.ts, outgoing.ts
// or protocol.graphql-ws.ts to match, run test/engine/websocket and test/transport/websocket (also with WEBSOCKET_PROTOCOL=graphql-ws), and
// write the new version here.

const require = createRequire(import.meta.url)
const folder = dirname(require.resolve('ws'))
const sourceOf = (file: string) => readFileSync(join(folder, 'lib', file), 'utf8')

test.each([
  ['ws', '8.22.2'],
  ['graphql-ws', '6.4.2'],
])('%s is the version whose insides were read: %s', (name, read) => {
  const { version } = JSON.parse(
    readFileSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  )
  expect(version, `${name} was updated: see the top of this file`).toBe(read)
})

test('the events of a socket are those that OwnedWebSocket passes on, and some that only clients and `onopen` need', () => {
  const emitted = [...sourceOf('websocket.js').matchAll(/\.emit\(\s*'([\w-]+)'/g)].map(([, name]) => name)
  expect([...new Set(emitted)].sort()).toEqual(
    ['close', 'error', 'message', 'open', 'ping', 'pong', 'redirect', 'unexpected-response', 'upgrade'].sort(),
  )
})

async function openPair() {
  const http = createServer()
  const upgrader = createUpgrader({ maxPayload: 1000 })
  const upgraded = new Promise<{ socket: OwnedWebSocket; tcp: Socket }>((resolve) => {
    http.on('upgrade', (request, tcp, head) =>
      upgrader.handleUpgrade(request, tcp, head, (socket) => resolve({ socket, tcp: request.socket })),
    )
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.terminate()
    http.close()
  })
  const events: string[] = []
  client.on('message', (data) => events.push(String(data)))
  client.on('ping', () => events.push('ping'))
  client.on('close', (code) => events.push(`close ${code}`))
  const [{ socket, tcp }] = await Promise.all([upgraded, once(client, 'open')])
  return { socket, tcp, client, events }
}

test('the socket of the upgrade request is the one that the library writes to', async () => {
  const { socket, tcp } = await openPair()
  expect(Reflect.get(socket, '_socket')).toBe(tcp)
})

test('frames are not compressed, even for a client that offers it', async () => {
  const { socket, client } = await openPair()
  expect(socket.extensions).toBe('')
  expect(client.extensions).toBe('')
})

test('the library writes its own frames at once, so that they keep their order with ours', async () => {
  const { socket, tcp, client, events } = await openPair()
  socket.ping()
  tcp.write(frameOf('one'))
  socket.ping()
  tcp.write(frameOf('two'))
  socket.close(4400)
  await once(client, 'close')
  expect(events).toEqual(['ping', 'one', 'ping', 'two', 'close 4400'])
})

test('what waits to be written is what the TCP connection holds', async () => {
  const { socket, tcp } = await openPair()
  tcp.cork()
  tcp.write(frameOf('x'.repeat(500)))
  expect(socket.bufferedAmount).toBe(tcp.writableLength)
  expect(socket.bufferedAmount).toBeGreaterThan(500)
  tcp.uncork()
})

test('a message comes as one Buffer, with whether it is binary', async () => {
  const { socket, client } = await openPair()
  const received = new Promise((resolve) => {
    const nothing = () => undefined
    const receive = (data: Buffer, isBinary: boolean) => resolve({ isBuffer: Buffer.isBuffer(data), isBinary })
    socket.owner = { receive, ponged: nothing, pinged: nothing, broken: nothing, closed: nothing }
  })
  client.send('hello')
  expect(await received).toEqual({ isBuffer: true, isBinary: false })
})
