import { once } from 'node:events'
import { connect as connectTcp, type Socket as TcpSocket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Attachment } from '../../../src/ports/log.ts'
import type { MediaFiles } from '../../../src/transport/http/media.ts'
import { bearer, connect, createManualClock, openEvents, type Socket, type Started, start } from '../kit.ts'

const events = 'subscription { events { text } }'

function dial({ port }: Started): TcpSocket {
  const peer = connectTcp(port, '127.0.0.1')
  peer.on('error', () => undefined)
  onTestFinished(() => void peer.destroy())
  return peer
}

/** All that the server says before it hangs up. */
async function lastWords(peer: TcpSocket): Promise<string> {
  let text = ''
  for await (const chunk of peer) text += chunk
  return text
}

const refusals = async ({ url }: Started, reason: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`parley_refusals_total{reason="${reason}"} (\\d+)`).exec(text)?.[1] ?? 0)
}

describe('a request that does not come to an end', () => {
  const headersSoon = { headersMs: 50, checkEveryMs: 10 }
  const bodySoon = { bodyMs: 50 }

  test('a connection that sends nothing is closed without an answer: there is no request to answer', async () => {
    const server = await start({ httpTimes: headersSoon })
    expect(await lastWords(dial(server))).toBe('')
  })

  test('what is no HTTP is answered with 400', async () => {
    const peer = dial(await start())
    peer.write('hello\r\n\r\n')
    expect(await lastWords(peer)).toMatch(/^HTTP\/1.1 400 /)
  })

  test('headers that do not end are answered with 408', async () => {
    const server = await start({ httpTimes: headersSoon })
    const peer = dial(server)
    peer.write('POST /graphql HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    expect(await lastWords(peer)).toMatch(/^HTTP\/1.1 408 /)
  })

  test('headers of more than 16 KB are answered with 431', async () => {
    const server = await start()
    const peer = dial(server)
    peer.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(17 * 1024)}\r\n\r\n`)
    expect(await lastWords(peer)).toMatch(/^HTTP\/1.1 431 /)
  })

  test.each(['/graphql', '/messages'])('a body that does not end is answered with 408 at %s', async (path) => {
    const server = await start({ httpTimes: bodySoon })
    for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const peer = dial(server)
      const authorization = await bearer('alice')
      const headers = ['Host: localhost', 'Content-Type: application/json', `Authorization: ${authorization}`, length]
      peer.write(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
      const words = await lastWords(peer)
      expect(words).toMatch(/^HTTP\/1.1 408 /)
      expect(words).toContain('took too long')
    }
    expect(await refusals(server, 'slow_request')).toBe(2)
    expect(server.lines.filter(({ msg }) => msg === 'unexpected error')).toEqual([])
  })

  test('a file may take longer', async () => {
    const file = { contentType: 'text/plain', byteSize: 4 } as Attachment
    const mediaFiles: MediaFiles = {
      accept: () => file,
      async write(_file, bytes) {
        let size = 0
        for await (const chunk of bytes) size += (chunk as Buffer).length
        return size === 4
      },
      read: async () => undefined,
    }
    const server = await start({ httpTimes: bodySoon, mediaFiles })
    const upload = dial(server)
    const headers = 'Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close'
    upload.write(`PUT /media HTTP/1.1\r\n${headers}\r\n\r\nab`)
    // By the time this one is cut off, the upload has taken as long.
    const other = dial(server)
    other.write('POST /messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nX: y\r\n\r\n')
    await lastWords(other)
    const another = dial(server)
    another.write(
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n',
    )
    expect(await lastWords(another)).toMatch(/^HTTP\/1.1 408 /)
    upload.write('cd')
    expect(await lastWords(upload)).toMatch(/^HTTP\/1.1 200 /)
  })
})

test('whoever is refused a socket and does not hang up is let go all the same', async () => {
  const server = await start()
  const peer = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void peer.destroy())
  const upgrade = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket']
  peer.write(`GET /nowhere HTTP/1.1\r\n${upgrade.join('\r\n')}\r\n\r\n`)
  const broken = once(peer, 'error')
  let text = ''
  for await (const chunk of peer.iterator({ destroyOnReturn: false })) text += chunk
  expect(text).toMatch(/^HTTP\/1.1 404 /)
  // Nobody is there to take this, which the sender is told the next time.
  const knocking = setInterval(() => peer.write('x'), 5)
  onTestFinished(() => clearInterval(knocking))
  expect((await broken)[0]).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET/) })
})

test('an event stream nobody reads is cut off, and a quiet one is not', async () => {
  const server = await start({ httpTimes: { stalledMs: 1000 } })
  const quiet = await openEvents(server, 'subscription { events { number } }')
  const quietSource = await server.stage.source(0)
  const peer = dial(server)
  peer.pause()
  const body = JSON.stringify({ query: events })
  const headers = [
    'Host: localhost',
    'Accept: text/event-stream',
    'Content-Type: application/json',
    `Authorization: ${await bearer('alice')}`,
    `Content-Length: ${body.length}`,
  ]
  peer.write(`POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
  const source = await server.stage.source(1)
  server.stage.textPadding = 'x'.repeat(500_000)
  source.push(...Array.from({ length: 200 }, (_, index) => index))
  await source.returned
  expect(source.taken).toBeLessThan(200)
  expect(await refusals(server, 'slow_reader')).toBe(1)
  quietSource.push(7)
  expect((await quiet.next())?.data).toContain('7')
})

describe('a socket', () => {
  async function slowReader(server: Started): Promise<Socket> {
    const socket = await connect(server)
    socket.socket.pause()
    return socket
  }

  test('that asks for pongs without reading them is not read from, and terminated at a beat', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const socket = await slowReader(server)
    const closed = once(socket.socket, 'close')
    const payload = { text: 'x'.repeat(60_000) }
    for (let index = 0; index < 1000; index += 1) socket.send({ type: 'ping', payload })
    let over = false
    void closed.then(() => {
      over = true
    })
    // It is heard of as long as it is read from.
    await unread(socket)
    expect(socket.socket.bufferedAmount).toBeGreaterThan(10_000_000)
    while ((await refusals(server, 'slow_reader')) === 0) await clock.advance(5000)
    socket.socket.resume()
    await closed
    expect(over).toBe(true)
  })

  test('that sends but never reads its events is terminated after six beats', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    server.stage.textPadding = 'x'.repeat(200_000)
    const socket = await slowReader(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    source.push(...Array.from({ length: 200 }, (_, index) => index))
    await server.stage.quiet()
    expect(source.taken).toBeLessThan(200)
    const beat = async () => {
      socket.send({ type: 'pong' })
      await new Promise((resolve) => socket.socket.send('{"type":"pong"}', resolve))
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
      await clock.advance(5000)
      return refusals(server, 'slow_reader')
    }
    // The first one may find that something has moved since the socket was opened.
    let beats = 0
    while ((await beat()) === 0) beats += 1
    expect(beats).toBeGreaterThanOrEqual(5)
    expect(beats).toBeLessThanOrEqual(7)
    await source.returned
  })

  const messages = {
    ping: (socket: Socket) => socket.send({ type: 'ping' }),
    watch: (socket: Socket) => () => socket.frames.filter(({ type }) => type === 'pong').length,
  }
  const frames = {
    ping: ({ socket }: Socket) => socket.ping(),
    watch({ socket }: Socket) {
      let count = 0
      socket.on('pong', () => {
        count += 1
      })
      return () => count
    },
  }
  test.each([
    ['the protocol', messages],
    ['WebSocket', frames],
  ])('that floods with pings of %s is read on at the next beat', async (_kind, { ping, watch }) => {
    const clock = createManualClock()
    const server = await start({ clock })
    const socket = await connect(server)
    const count = 20_000
    const pongs = watch(socket)
    for (let index = 0; index < count; index += 1) ping(socket)
    while (pongs() < 1001) await new Promise(setImmediate)
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
    expect(pongs()).toBeLessThan(count)
    expect(await refusals(server, 'ping_flood')).toBe(1)
    while (pongs() < count) await clock.advance(5000)
    socket.subscribe('1', '{ me }')
    await socket.frame('complete', '1')
  })
})

/** Resolves when the server takes no more of what is sent. */
async function unread({ socket }: Socket): Promise<void> {
  for (let amount = -1; amount !== socket.bufferedAmount; ) {
    amount = socket.bufferedAmount
    for (let turn = 0; turn < 2000; turn += 1) await new Promise(setImmediate)
  }
}
