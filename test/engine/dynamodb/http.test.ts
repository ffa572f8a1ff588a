import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHttp, type Http } from '../../../src/engine/dynamodb/http.ts'
import { certificate } from '../../kit/services/certificate.ts'
import { createManualTimers } from '../../shared/manual-timers.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of undo.splice(0).reverse()) await each()
})

const limits = { firstByteWithinMs: 10_000, endWithinMs: 20_000 }
const answerOf = (body: string, ...headers: string[]) =>
  [`HTTP/1.1 200 OK`, ...headers, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')

/** The body of the answer. */
const ask = (http: Http, body = '{}', given = limits): Promise<string> =>
  new Promise((resolve, reject) => {
    http.post(
      { headers: { 'x-amz-target': 'Test' }, body, limits: given },
      { answered: (answer) => resolve(answer.body.toString()), failed: reject },
    )
  })

describe.each(['http', 'https'] as const)('over %s', (protocol) => {
  test('an answer that comes byte by byte is read', async () => {
    const { http } = await answering(async (socket) => {
      for (const byte of Buffer.from(answerOf('{"a":"ë"}'))) {
        socket.write(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect(await ask(http)).toBe('{"a":"ë"}')
    expect(await ask(http)).toBe('{"a":"ë"}')
  })

  test('a large request and a large answer arrive whole', async () => {
    const [asked, answered] = ['👍'.repeat(700_000), 'ë'.repeat(900_000)]
    const { http, requests } = await answering((socket) => socket.write(answerOf(answered)))
    expect((await ask(http, asked)) === answered).toBe(true)
    expect(requests[0]?.body === asked).toBe(true)
    expect(await ask(http)).toHaveLength(answered.length)
  })

  test('a request says where it goes and how long it is, and connections are used again', async () => {
    const { http, requests, url } = await answering((socket) => socket.write(answerOf('{}')))
    await ask(http, '{"a":"ë"}')
    await ask(http)
    expect(requests[0]?.head.split('\r\n')).toEqual([
      'POST /base/ HTTP/1.1',
      `host: ${url.host}`,
      'connection: keep-alive',
      'x-amz-target: Test',
      'content-length: 10',
    ])
    expect(requests[1]?.socket).toBe(requests[0]?.socket)
  })

  test.each<[name: string, answer: (socket: Socket) => unknown]>([
    ['garbage', (socket) => socket.write('<html>Welcome!</html>')],
    ['half an answer', (socket) => socket.end(answerOf('{"a":1}').slice(0, -1))],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-')],
    ['nothing', (socket) => socket.end()],
    ['a reset', (socket) => socket.destroy()],
  ])('%s for an answer is a failure, and the next request has another connection', async (_name, answer) => {
    const { http, requests } = await answering((socket) =>
      requests.length === 1 ? answer(socket) : socket.write(answerOf('{}')),
    )
    await expect(ask(http)).rejects.toThrow()
    expect(await ask(http)).toBe('{}')
    expect(requests).toHaveLength(2)
    expect(requests[1]?.socket).not.toBe(requests[0]?.socket)
  })

  test.each<[name: string, answer: (socket: Socket) => unknown]>([
    ['says so', (socket) => socket.write(answerOf('{}', 'connection: close'))],
    ['closes it', (socket) => socket.end(answerOf('{}'))],
    ['keeps it too shortly', (socket) => socket.write(answerOf('{}', 'keep-alive: timeout=2'))],
    ['ends an answer with it', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{}')],
    ['has more to say', (socket) => socket.write(`${answerOf('{}')}H`)],
    [
      'has more to say later',
      (socket) => socket.write(answerOf('{}'), () => setImmediate(() => socket.write('HTTP/1.1 '))),
    ],
  ])('a connection is not used again where the server %s', async (_name, answer) => {
    const { http, requests } = await answering(answer)
    expect(await ask(http)).toBe('{}')
    // Until this side has noticed, too.
    await expect.poll(() => requests[0]?.socket.destroyed).toBe(true)
    expect(await ask(http)).toBe('{}')
    expect(requests[1]?.socket).not.toBe(requests[0]?.socket)
  })

  test('an answer that does not begin in time is a failure', async () => {
    const { http, requests, time } = await answering(() => undefined)
    const asked = ask(http, '{}', { firstByteWithinMs: 30, endWithinMs: 1000 })
    await expect.poll(() => requests.length).toBe(1)
    time.advance(40)
    await expect(asked).rejects.toHaveProperty('name', 'TimeoutError')
  })

  describe('an answer that has begun', () => {
    async function begin() {
      const { http, requests, time } = await answering((socket) =>
        socket.write(requests.length === 1 ? answerOf('{}').slice(0, -1) : answerOf('{}')),
      )
      const asked = ask(http, '{}', { firstByteWithinMs: 30, endWithinMs: 1000 })
      await expect.poll(() => requests.length).toBe(1)
      // Once a later exchange is over, the first bytes of this answer have been read.
      await ask(http)
      time.advance(500)
      return { asked, time, end: () => requests[0]?.socket.write('}') }
    }

    test('has longer to end', async () => {
      const { asked, end } = await begin()
      end()
      expect(await asked).toBe('{}')
    })

    test('and does not end in time is a failure', async () => {
      const { asked, time } = await begin()
      time.advance(510)
      await expect(asked).rejects.toThrow('in time')
    })
  })

  test('closing lets what is under way have its answer, and closes what is idle', async () => {
    let answerNow = () => undefined as unknown
    const { http, requests } = await answering((socket) => {
      answerNow = () => socket.write(answerOf('{}'))
      if (requests.length === 1) answerNow()
    })
    await ask(http)
    const underWay = ask(http)
    await expect.poll(() => requests.length).toBe(2)
    const closed = http.close()
    await expect(ask(http)).rejects.toThrow('closed')
    answerNow()
    expect(await underWay).toBe('{}')
    await closed
    await expect.poll(() => requests.every(({ socket }) => socket.destroyed)).toBe(true)
  })

  type Request = { head: string; body: string; socket: Socket }

  async function answering(answer: (socket: Socket) => unknown) {
    if (protocol === 'https') vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const requests: Request[] = []
    const sockets = new Set<Socket>()
    const listener = (socket: Socket) => {
      let received = Buffer.alloc(0)
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        const end = received.indexOf('\r\n\r\n')
        const [, length] = /content-length: (\d+)/.exec(received.toString('latin1', 0, Math.max(end, 0))) ?? []
        if (length === undefined || received.length < end + 4 + Number(length)) return
        requests.push({ head: received.toString('latin1', 0, end), body: received.toString('utf8', end + 4), socket })
        received = Buffer.alloc(0)
        answer(socket)
      })
    }
    const server: Server = protocol === 'https' ? createSecureServer(certificate, listener) : createServer(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(`${protocol}://localhost:${(server.address() as AddressInfo).port}/base/`)
    const time = createManualTimers()
    const http = createHttp(url, time.timers)
    undo.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
      return http.close()
    })
    return { http, requests, url, time }
  }
})

test('a certificate that nobody trusts is a failure', async () => {
  const server = createSecureServer(certificate)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = createHttp(new URL(`https://localhost:${(server.address() as AddressInfo).port}/`))
  undo.push(() => server.close(), http.close)
  await expect(ask(http)).rejects.toThrow('self-signed')
})
