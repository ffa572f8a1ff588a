import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { frameOf, nextFrame, nextFrames, onlyFrames } from '../../../src/engine/websocket/frames.ts'
import { Outgoing } from '../../../src/engine/websocket/outgoing.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { connect, start } from '../../transport/kit.ts'

/** A socket whose server side is in the test's hands, and what the `ws` library reads at its other end. */
async function createPair() {
  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  const upgraded = new Promise<{ socket: WebSocket; tcp: TcpSocket }>((resolve) => {
    http.on('upgrade', (request, tcp, head) =>
      sockets.handleUpgrade(request, tcp, head, (socket) => resolve({ socket, tcp: tcp as TcpSocket })),
    )
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.terminate()
    http.close()
  })
  const received: string[] = []
  client.on('message', (data, isBinary) => received.push(isBinary ? 'binary' : String(data)))
  const closed = once(client, 'close').then(([code]) => code as number)
  const [{ socket, tcp }] = await Promise.all([upgraded, once(client, 'open')])
  const noteBuffered = vi.fn()
  const outgoing = new Outgoing(socket, tcp, { noteBuffered }, unavailable)
  return { socket, tcp, outgoing, received, closed }
}

const answer = (json: string) => ({ json })
const ids = ['1', 'with "quotes" and \\', '👩‍👩‍👧', 'half \ud83d', 'line\nbreak', '', 'x'.repeat(70_000)]

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('a frame of %i bytes arrives as it is', async (length) => {
  const { tcp, socket, received, closed } = await createPair()
  const texts = ['a'.repeat(length), 'the next']
  // As many bytes, of fewer characters.
  if (length > 4) texts.push('ü'.repeat(2) + 'a'.repeat(length - 4))
  for (const text of texts) tcp.write(frameOf(text))
  socket.close()
  expect(await closed).toBe(1005)
  expect(received).toEqual(texts)
})

test.each(ids)('an answer under the id %j is two messages, an event one', async (id) => {
  const { tcp, socket, received, closed } = await createPair()
  tcp.write(onlyFrames(id, answer('{"data":{"a":"ü👍"}}')))
  tcp.write(nextFrame(id, answer('{"data":null}')))
  socket.close()
  expect(await closed).toBe(1005)
  expect(received.map((text) => JSON.parse(text))).toEqual([
    { id, type: 'next', payload: { data: { a: 'ü👍' } } },
    { id, type: 'complete' },
    { id, type: 'next', payload: { data: null } },
  ])
})

test.each([120, 65_500])('an answer of about %i bytes is framed right at every length around', async (about) => {
  const { tcp, socket, received, closed } = await createPair()
  const jsons = Array.from({ length: 80 }, (_none, i) => JSON.stringify('x'.repeat(about - 60 + i)))
  for (const json of jsons) tcp.write(onlyFrames('1', answer(json)))
  socket.close()
  await closed
  const payloads = received.filter((text) => text.includes('"next"')).map((text) => JSON.parse(text).payload)
  expect(payloads).toEqual(jsons.map((json) => JSON.parse(json)))
  expect(received).toHaveLength(160)
})

test('whoever is sent the same under the same id is sent the same bytes, and under another id others', () => {
  const event = answer('{"data":1}')
  const first = nextFrame('1', event)
  expect(nextFrame('1', event)).toBe(first)
  expect(String(nextFrame('2', event))).toContain('"id":"2"')
  expect(String(nextFrame('1', event))).toContain('"id":"1"')
  expect(String(nextFrame('1', answer('{"data":2}')))).toContain('{"data":2}')
})

test('what is posted in one turn leaves in one write, in order, also around what is sent at once', async () => {
  const { tcp, socket, outgoing, received, closed } = await createPair()
  const write = vi.spyOn(tcp, 'write')
  const posted = Array.from({ length: 200 }, (_none, i) => `posted ${i}`)
  for (const text of posted) outgoing.post(frameOf(text))
  await new Promise(setImmediate)
  expect(write).toHaveBeenCalledTimes(1)
  outgoing.post(frameOf('before'))
  const sent = outgoing.send(frameOf('sent'))
  outgoing.post(frameOf('after'))
  await sent
  await new Promise(setImmediate)
  socket.close()
  await closed
  expect(received).toEqual([...posted, 'before', 'sent', 'after'])
})

test('nothing is written once the socket closes', async () => {
  const { socket, outgoing, received, closed } = await createPair()
  outgoing.post(frameOf('before'))
  outgoing.flush()
  socket.close(4400, 'over')
  outgoing.post(frameOf('after'))
  expect(outgoing.postIfRoom(frameOf('after'))).toBe(false)
  await expect(outgoing.send(frameOf('after'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  // Had anything come after the close frame, the reader would have complained.
  expect(await closed).toBe(4400)
  expect(received).toEqual(['before'])
})

test('what is posted by many is not held up by one whose socket is gone', async () => {
  const [one, other] = [await createPair(), await createPair()]
  one.outgoing.post(frameOf('lost'))
  other.outgoing.post(frameOf('found'))
  one.socket.terminate()
  await new Promise(setImmediate)
  other.socket.close()
  await other.closed
  expect(other.received).toEqual(['found'])
})

test('a socket that is full, or has much posted, has no room', async () => {
  const { tcp, outgoing } = await createPair()
  const frame = frameOf('x')
  let posted = 0
  while (outgoing.postIfRoom(frame)) posted += 1
  expect(posted).toBe(64)
  await new Promise(setImmediate)
  expect(outgoing.postIfRoom(frame)).toBe(true)
  outgoing.flush()
  tcp.write(frameOf('y'.repeat(50_000_000)))
  expect(outgoing.postIfRoom(frame)).toBe(false)
})

/** The libraries answer in a later turn. */
const isAnsweredAtOnce = process.env.GRAPHQL_EXECUTOR !== 'reference' && process.env.WEBSOCKET_PROTOCOL !== 'graphql-ws'

test('an answer that was posted comes before the close that follows in the same turn, and nothing after it', async () => {
  const server = await start()
  const client = await connect(server)
  // What came before is answered in the turn it comes.
  client.subscribe('first', '{ echo(text: "hi") }')
  await client.frame('complete', 'first')
  const tcp = Reflect.get(client.socket, '_socket') as TcpSocket
  // In one packet, so that they are read in one turn.
  tcp.cork()
  for (let i = 0; i < 20; i += 1) client.subscribe(`"${i}" 👍`, '{ echo(text: "hi") }')
  client.subscribe('hangs', '{ hang }')
  client.send('no message')
  client.subscribe('after', '{ echo(text: "hi") }')
  tcp.uncork()
  expect(await client.closed()).toEqual({ code: 4400, reason: 'Invalid message received' })
  const answered = client.frames.filter(({ type, id }) => type === 'next' && id !== 'first').map(({ id }) => id)
  const all = Array.from({ length: 20 }, (_none, i) => `"${i}" 👍`)
  expect(answered).toEqual(isAnsweredAtOnce ? all : all.slice(0, answered.length))
  expect(client.frames.filter(({ type }) => type === 'complete')).toHaveLength(answered.length + 1)
})

test.each([-1, 0, 1, 2])('several events arrive one by one, without the one at %i', async (except) => {
  const { outgoing, received, socket, closed } = await createPair()
  const jsons = [0, 1, 2].map((n) => JSON.stringify({ data: { n, long: 'x'.repeat(n * 200) } }))
  const answers = { jsons }
  const others = nextFrames('other', answers, -1)
  for (const id of ['a', 'a', 'b']) expect(outgoing.postIfRoom(...nextFrames(id, answers, except))).toBe(true)
  expect(others).toHaveLength(1)
  await new Promise((resolve) => setImmediate(resolve))
  socket.close()
  await closed
  const shown = jsons.filter((_, i) => i !== except)
  const sent = ['a', 'a', 'b'].flatMap((id) => shown.map((json) => `{"id":"${id}","type":"next","payload":${json}}`))
  expect(received).toEqual(sent)
})

test('an only event that is left out leaves nothing', () => {
  expect(nextFrames('1', { jsons: ['{}'] }, 0)).toEqual([])
})
