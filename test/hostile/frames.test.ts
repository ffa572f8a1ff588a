import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import type { Person } from '../kit/person.ts'
import { startWorld, type World } from '../kit/world.ts'
import { type FrameRow, guestsFrames, strangersFrames, wireRows } from './frames.ts'
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

const introduction = () =>
  JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${alice.token}` } })

async function open(protocols: string[] = ['graphql-transport-ws']) {
  const socket = new WebSocket(`${world.url().replace('http', 'ws')}/graphql`, protocols)
  onTestFinished(() => socket.terminate())
  const types: string[] = []
  let heard: () => void = () => undefined
  socket.on('message', (data) => {
    types.push(JSON.parse(String(data)).type)
    heard()
  })
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'open')
  return {
    socket,
    closed,
    send: (frame: string | Buffer | object) =>
      socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    hears: (type: string): Promise<'lives'> =>
      new Promise((resolve) => {
        heard = () => types.includes(type) && resolve('lives')
        heard()
      }),
  }
}

async function endingOf([, frames, ending]: FrameRow, introduced: boolean): Promise<number | 'lives'> {
  const { socket, closed, send, hears } = await open()
  if (introduced) {
    send(introduction())
    await hears('connection_ack')
  }
  for (const frame of frames) send(frame)
  // A client that may still connect can do so, and a client that is connected is answered.
  if (introduced) send({ type: 'subscribe', id: 'last', payload: { query: '{ viewer { id } }' } })
  else if (ending === 'lives') send(introduction())
  return Promise.race([closed, introduced ? hearsLast(socket) : hears('connection_ack')])
}

const hearsLast = (socket: WebSocket): Promise<'lives'> =>
  new Promise((resolve) => {
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).id === 'last') resolve('lives')
    })
  })

describe('a socket on which nobody was introduced', () => {
  it.each(strangersFrames)('%s', async (...row) => {
    expect(await endingOf(row, false)).toBe(row[2])
    await ways.stillServes()
  })

  it.each([
    ['the older subprotocol', ['graphql-ws']],
    ['another subprotocol', ['mqtt', 'chat']],
    ['no subprotocol', []],
  ])('%s', async (_what, protocols) => {
    expect(await (await open(protocols)).closed).toBe(4406)
    await ways.stillServes()
  })
})

describe('a socket of somebody', () => {
  it.each(guestsFrames)('%s', async (...row) => {
    expect(await endingOf(row, true)).toBe(row[2])
    await ways.stillServes()
  })

  it('a message in fragments of a byte', async () => {
    const { socket, send, hears } = await open()
    send(introduction())
    await hears('connection_ack')
    const text = '{"type":"ping"}'
    for (const [i, byte] of [...text].entries()) socket.send(byte, { fin: i === text.length - 1, binary: false })
    expect(await hears('pong')).toBe('lives')
  })

  it('fragments that add up to too much', async () => {
    const { socket, closed, send, hears } = await open()
    send(introduction())
    await hears('connection_ack')
    for (let i = 0; i < 5; i += 1) socket.send(' '.repeat(16_000), { fin: i === 4, binary: false })
    expect(await closed).toBe(1009)
    await ways.stillServes()
  })
})

describe('bytes that are no WebSocket', () => {
  it.each(wireRows)('%s', async (_what, bytes, code) => {
    const socket = await openBytes()
    const answer = readClose(socket)
    socket.write(Buffer.from(bytes))
    expect(await answer).toBe(code)
    await ways.stillServes()
  })

  async function openBytes() {
    const { hostname, port } = new URL(world.url())
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    const lines = [
      'GET /graphql HTTP/1.1',
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect(String(head)).toContain('101 Switching Protocols')
    return socket
  }

  /** Returns the code in the close frame. */
  async function readClose(socket: NodeJS.ReadableStream): Promise<number> {
    for await (const chunk of socket) {
      const frame = chunk as unknown as Buffer
      if (frame[0] === 0x88) return frame.readUInt16BE(2)
    }
    return 1006
  }
})
