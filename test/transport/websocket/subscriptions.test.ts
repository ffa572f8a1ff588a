import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ChatError } from '../../../src/protocol/errors.ts'
import { atExpiry } from '../../../src/transport/auth/expiry.ts'
import { bearer, connect, createManualClock, openEvents, type Started, start } from '../kit.ts'

const query = 'subscription Events { events { number text } }'

type Result = {
  data?: { events: { number: number; contextNumber?: number } } | null
  errors?: { extensions: object }[]
}
type Reader = {
  /** What comes next: a result, the errors that end the stream, or its end. */
  next(): Promise<Result | { ended: true }>
  leave(): void
}

async function overWebSocket(server: Started, document: string): Promise<Reader> {
  const socket = await connect(server)
  socket.subscribe('s', document)
  let seen = 0
  return {
    async next() {
      const frame = (await socket.framesOf('s', seen + 1))[seen]
      seen += 1
      if (frame?.type === 'complete') return { ended: true }
      return frame?.type === 'error' ? { errors: frame.payload as [] } : (frame?.payload as Result)
    },
    leave: () => socket.send({ type: 'complete', id: 's' }),
  }
}

async function overEvents(server: Started, document: string): Promise<Reader> {
  const events = await openEvents(server, document)
  return {
    async next() {
      const event = await events.next()
      return !event || event.event === 'complete' ? { ended: true } : JSON.parse(event.data)
    },
    leave: events.disconnect,
  }
}

describe.each([
  { transport: 'WebSocket', read: overWebSocket, ends: false },
  { transport: 'server-sent events', read: overEvents, ends: true },
])('a subscription over $transport', ({ read, ends }) => {
  test('passes every event on, in order, and ends with its source', async () => {
    const server = await start()
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.push(1, 2, 3)
    for (const number of [1, 2, 3]) {
      expect(await reader.next()).toEqual({ data: { events: { number, text: `event ${number}` } } })
    }
    source.end()
    expect(await reader.next()).toEqual({ ended: true })
  })

  test('resolves each event with a context of its own', async () => {
    const server = await start()
    const reader = await read(server, 'subscription { events { contextNumber } }')
    const source = await server.stage.source()
    source.push(1, 2)
    const numbers = [await reader.next(), await reader.next()].map(
      (result) => 'data' in result && result.data?.events.contextNumber,
    )
    expect(new Set(numbers).size).toBe(2)
  })

  test('an event whose fields fail at first is tried again, not passed over', async () => {
    const server = await start()
    server.stage.textFailures = 2
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.push(1, 2)
    expect(await reader.next()).toEqual({ data: { events: { number: 1, text: 'event 1' } } })
    expect(await reader.next()).toEqual({ data: { events: { number: 2, text: 'event 2' } } })
    expect(server.stage.textCalls).toBe(4)
  })

  test.each([
    ['an unknown error', new Error('select * from internals'), 'INTERNAL'],
    ['a failing backend', new ChatError('UNAVAILABLE', 'Not now.'), 'UNAVAILABLE'],
    ['an error that is not retryable by itself', new ChatError('NOT_FOUND', 'Gone.'), 'UNAVAILABLE'],
  ])('%s that stays ends the stream with a retryable error', async (_what, error, code) => {
    const server = await start()
    Object.assign(server.stage, { textFailures: 100, textError: error })
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.push(1, 2)
    const result = await reader.next()
    expect(result).toMatchObject({ errors: [{ extensions: { code, retryable: true } }] })
    expect(JSON.stringify(result)).not.toContain('internals')
    await source.returned
    expect(source.taken).toBe(1)
    if (ends) expect(await reader.next()).toEqual({ ended: true })
  })

  test('an error of the source reaches the client, mapped', async () => {
    const server = await start()
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.push(1)
    await reader.next()
    source.fail(new ChatError('RATE_LIMITED', 'Slow down.', { retryAfterMs: 100 }))
    expect(await reader.next()).toMatchObject({
      errors: [{ message: 'Slow down.', extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 100 } }],
    })
    if (ends) expect(await reader.next()).toEqual({ ended: true })
  })

  test('an unknown error of the source is INTERNAL and says nothing', async () => {
    const server = await start()
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.fail(new Error('select * from internals'))
    const result = await reader.next()
    expect(result).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL', retryable: true } }] })
    expect(JSON.stringify(result)).not.toContain('internals')
  })

  test('a client that leaves ends the source at once, though it was waiting', { timeout: 5000 }, async () => {
    // In tests Yoga writes to its streams so often that it finds a closed one by itself, long before it would.
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    const server = await start()
    const reader = await read(server, query)
    const source = await server.stage.source()
    reader.leave()
    await source.returned
  })

  test('a client that leaves while an event is tried again ends the source too', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    server.stage.textFailures = 100
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.push(1)
    await clock.sleeper(50)
    reader.leave()
    await source.returned
  })

  test('one that is refused says so and ends', async () => {
    const server = await start()
    const reader = await read(server, 'subscription { refused { number } }')
    expect(await reader.next()).toMatchObject({ errors: [{ path: ['refused'], extensions: { code: 'NOT_FOUND' } }] })
    if (ends) expect(await reader.next()).toEqual({ ended: true })
  })

  test('leaves one line in the log when it is over', async () => {
    const server = await start()
    const reader = await read(server, query)
    const source = await server.stage.source()
    source.end()
    await reader.next()
    const lines = server.lines.filter(({ msg }) => msg === 'operation')
    expect(lines).toMatchObject([
      { operation: 'Events', type: 'subscription', transport: ends ? 'sse' : 'ws', codes: [] },
    ])
  })
})

test('an event that hangs counts as one that failed', async () => {
  const clock = createManualClock()
  const server = await start({ clock })
  const socket = await connect(server)
  socket.subscribe('s', 'subscription { events { text } }')
  const source = await server.stage.source()
  server.stage.hangText = true
  source.push(1)
  for (const delayMs of [2500, 50, 2500, 200, 2500, 800, 2500]) {
    await clock.sleeper(delayMs)
    await clock.advance(delayMs)
  }
  expect((await socket.frame('error', 's')).payload).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
  expect(source.taken).toBe(1)
})

test('the next event is taken only when the client has taken the last one', async () => {
  const server = await start()
  const socket = await connect(server)
  socket.subscribe('s', query)
  const source = await server.stage.source()
  socket.socket.pause()
  server.stage.textPadding = 'x'.repeat(1_000_000)
  source.push(...Array.from({ length: 200 }, (_, index) => index))
  await server.stage.quiet()
  expect(source.taken).toBeLessThan(100)
  socket.socket.resume()
  await socket.framesOf('s', 200)
  expect(source.taken).toBe(200)
})

test('a stream of events ends with UNAUTHENTICATED when its token expires', async () => {
  const clock = createManualClock()
  const server = await start({ clock })
  const events = await openEvents(server, query, await bearer('alice', { expiresAtMs: clock.now() + 60_000 }))
  const source = await server.stage.source()
  await clock.advance(61_000)
  expect(JSON.parse((await events.next())?.data ?? '')).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED', retryable: false } }],
  })
  expect(await events.next()).toMatchObject({ event: 'complete' })
  await source.returned
})

test('a token that outlives every timer expires at its time, not before', async () => {
  const clock = createManualClock()
  const dayMs = 24 * 3600 * 1000
  let expired = false
  const watch = atExpiry(clock, clock.now() + 60 * dayMs, new AbortController().signal, () => {
    expired = true
  })
  await clock.advance(59 * dayMs)
  expect(expired).toBe(false)
  await clock.advance(dayMs)
  await watch
  expect(expired).toBe(true)
})
