import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { bearer, connect, createManualClock, openEvents, openSocket, post, type Started, start } from '../kit.ts'

const events = 'subscription { events { number } }'

/** A bare connection that is in the middle of something, so that it stays open while the node drains. */
async function busyConnection(server: Started) {
  const socket = connectTcp(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ query: '{ hang }' })
  const authorization = await bearer('alice')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const write = (head: string, content = '') =>
    socket.write(
      `${head} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`,
    )
  write('POST /graphql', body)
  await server.stage.hanging()
  return {
    write,
    /** All that was answered, once the connection is closed. */
    async answers() {
      if (!socket.closed) await once(socket, 'close')
      return text
    },
  }
}

describe('while a node drains', () => {
  test('it takes no new connections, and running operations are answered', async () => {
    const server = await start()
    const running = post(server, '{ hang }')
    const socket = await connect(server)
    socket.subscribe('1', 'mutation { hang }')
    await server.stage.hanging(2)
    const drained = server.drain()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    server.stage.releaseAll()
    expect(await running).toMatchObject({ data: { hang: 'released' } })
    expect((await socket.frame('next', '1')).payload).toEqual({ data: { hang: 'released' } })
    await drained
  })

  test('it is not ready, and refuses new operations over HTTP', async () => {
    const server = await start()
    const connection = await busyConnection(server)
    const drained = server.drain()
    connection.write('GET /readyz')
    connection.write('POST /graphql', JSON.stringify({ query: '{ me }' }))
    connection.write('POST /messages', '{}')
    const refused = () => server.lines.filter(({ codes }) => String(codes) === 'UNAVAILABLE')
    await vi.waitFor(() => expect(refused()).toHaveLength(2), 20_000)
    server.stage.releaseAll()
    await drained
    const answers = await connection.answers()
    expect(answers).toContain('"hang":"released"')
    expect(answers).toContain('"status":"draining"')
    expect(answers.match(/"code":"UNAVAILABLE"/g)).toHaveLength(2)
  })

  test('it refuses new operations on open sockets with UNAVAILABLE', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', '{ hang }')
    await server.stage.hanging()
    const drained = server.drain()
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
