import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, connect, createManualClock, openEvents, openSocket, post, type Started, start } from '../kit.ts'

const events = 'subscription { events { number } }'

/** A bare connection, made by the system as soon as this resolves. */
async function bareConnection(server: Started) {
  const authorization = await bearer('alice')
  const socket = connectTcp(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  const watchers = new Set<() => void>()
  const tell = () => {
    for (const watch of watchers) watch()
  }
  socket.on('data', (chunk) => {
    text += chunk
    tell()
  })
  const closed = new Promise((resolve) => socket.once('close', resolve).on('error', resolve))
  // The call to the system is made in the next tick.
  await new Promise(process.nextTick)
  return {
    ask(head: string, content = '') {
      socket.write(
        `${head} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`,
      )
    },
    says: (words: string) =>
      new Promise<void>((resolve) => {
        const watch = () => text.includes(words) && resolve()
        watchers.add(watch)
        watch()
      }),
    /** All that was answered, once the connection is closed. */
    async answers() {
      await closed
      return text
    },
  }
}

const refusesConnections = (server: Started) =>
  vi.waitFor(() => expect(fetch(`${server.url}/healthz`)).rejects.toThrow(), 20_000)

describe('while a node drains', () => {
  test('it takes no new connections, and running operations are answered', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    const socket = await connect(server)
    socket.subscribe('1', 'mutation { hang }')
    await server.stage.hanging(2)
    const drained = server.drain()
    await refusesConnections(server)
    server.stage.releaseAll()
    expect(await running).toMatchObject({ data: { hang: 'released' } })
    expect((await socket.frame('next', '1')).payload).toEqual({ data: { hang: 'released' } })
    await drained
  })

  test('it answers each request on a connection that it has accepted, and closes that', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    const late = [await bareConnection(server), await bareConnection(server)] as const
    await server.stage.hanging()
    const drained = server.drain()
    await refusesConnections(server)
    late[0].ask('POST /graphql', JSON.stringify({ query: '{ me }' }))
    late[1].ask('GET /readyz')
    const answers = await Promise.all(late.map((each) => each.answers()))
    expect(answers[0]).toContain('{"data":{"me":"alice"}}')
    expect(answers[1]).toContain('"status":"draining"')
    for (const answer of answers) expect(answer).toMatch(/^Connection: close\r$/im)
    server.stage.releaseAll()
    await running
    await drained
  })

  test('those who were connected by the system at the same moment are answered, and nobody is after them', async () => {
    const server = await start()
    const connections = await Promise.all(Array.from({ length: 20 }, () => bareConnection(server)))
    for (const each of connections) each.ask('GET /healthz')
    const drained = server.drain()
    for (const each of connections) expect(await each.answers()).toMatch(/^HTTP\/1.1 200 /)
    await drained
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })

  test('a connection that was kept for a next request is closed', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    await server.stage.hanging()
    const kept = await bareConnection(server)
    kept.ask('GET /healthz')
    await kept.says('"status":"ok"')
    const drained = server.drain()
    expect(await kept.answers()).not.toMatch(/^Connection: close\r$/im)
    server.stage.releaseAll()
    await running
    await drained
  })

  test('a stream of events does not begin, and says that it may elsewhere', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    await server.stage.hanging()
    const late = await bareConnection(server)
    const drained = server.drain()
    await refusesConnections(server)
    late.ask('POST /graphql', JSON.stringify({ query: events }))
    expect(await late.answers()).toContain('UNAVAILABLE')
    server.stage.releaseAll()
    await running
    await drained
  })

  test('a socket on a connection that it has accepted opens, and hears that it should come back elsewhere', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    await server.stage.hanging()
    const late = await bareConnection(server)
    const drained = server.drain()
    await refusesConnections(server)
    const key = Buffer.alloc(16).toString('base64')
    late.ask(
      `GET /graphql HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\nX-Rest:`,
    )
    await late.says('101 Switching Protocols')
    server.stage.releaseAll()
    await running
    // 1012, as a frame has it.
    await late.says('\x03\ufffdService restart')
    await drained
  })

  test('it refuses new operations on open sockets with UNAVAILABLE', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', '{ hang }')
    await server.stage.hanging()
    const drained = server.drain()
    await refusesConnections(server)
    socket.subscribe('2', '{ me }')
    expect((await socket.frame('error', '2')).payload).toMatchObject([
      { extensions: { code: 'UNAVAILABLE', retryable: true } },
    ])
    server.stage.releaseAll()
    await drained
  })
})

describe('when a node has drained', () => {
  test('every source has let go before its socket hears of it, with 1012', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    source.holdReturn()
    const drained = server.drain()
    await source.returned
    socket.socket.ping()
    await once(socket.socket, 'pong')
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
    source.letGo()
    expect(await socket.closed()).toEqual({ code: 1012, reason: 'Service restart' })
    await drained
    expect(socket.frames.filter(({ id }) => id === '1')).toEqual([])
  })

  test('a stream of events ends with a retryable error', async () => {
    const server = await start()
    const stream = await openEvents(server, events)
    const source = await server.stage.source()
    const drained = server.drain()
    expect(JSON.parse((await stream.next())?.data ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'UNAVAILABLE', retryable: true } }],
    })
    expect(await stream.next()).toMatchObject({ event: 'complete' })
    await source.returned
    await drained
  })

  test('a socket that was never introduced is closed too', async () => {
    const server = await start()
    const socket = await openSocket(server)
    await server.drain()
    expect(await socket.closed()).toMatchObject({ code: 1012 })
  })
})

test('nothing can hold a drain up for more than ten seconds', async () => {
  const clock = createManualClock()
  const server = await start({ clock })
  const socket = await connect(server)
  socket.subscribe('1', events)
  const source = await server.stage.source()
  source.holdReturn()
  const stuck = post(server, '{ hang }').catch(() => undefined)
  await server.stage.hanging()
  socket.socket.pause()
  const startedAtMs = clock.now()
  const drained = server.drain()
  let over = false
  void drained.then(() => {
    over = true
  })
  while (!over && clock.now() < startedAtMs + 20_000) await clock.advance(250)
  expect(clock.now() - startedAtMs).toBeLessThan(10_000)
  await stuck
})

describe('between the order to stop and the drain', () => {
  const delayed = async () => {
    const clock = createManualClock()
    const server = await start({ clock, env: { DRAIN_DELAY_MS: '2000' } })
    const asleep = clock.sleeper(2000)
    const drained = server.drain()
    await asleep
    return { clock, server, drained }
  }

  test('it says that it is not ready, and serves whoever comes', async () => {
    const { clock, server, drained } = await delayed()
    const readiness = await fetch(`${server.url}/readyz`)
    expect(readiness.headers.get('connection')).toBe('close')
    expect(readiness.status).toBe(503)
    expect(await readiness.json()).toMatchObject({ status: 'draining', redis: true, dynamodb: true })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(/^parley_draining 1$/m)
    expect(await post(server, '{ me }')).toMatchObject({ data: { me: 'alice' } })
    const socket = await connect(server)
    socket.subscribe('1', '{ me }')
    expect((await socket.frame('next', '1')).payload).toMatchObject({ data: { me: 'alice' } })

    await clock.advance(2000)
    expect(await socket.closed()).toMatchObject({ code: 1012 })
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    await drained
  })

  test('with what is stuck afterwards, it is still over within ten seconds', async () => {
    const clock = createManualClock()
    const server = await start({ clock, env: { DRAIN_DELAY_MS: '3000' } })
    const stuck = post(server, '{ hang }').catch(() => undefined)
    await server.stage.hanging()
    const startedAtMs = clock.now()
    let over = false
    void server.drain().then(() => {
      over = true
    })
    while (!over && clock.now() < startedAtMs + 20_000) await clock.advance(250)
    expect(clock.now() - startedAtMs).toBeLessThan(9500)
    await stuck
  })
})
