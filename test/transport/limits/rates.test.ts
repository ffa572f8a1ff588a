import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { RateLimits } from '../../../src/ports/rate-limits.ts'
import { createRateLimitsMemory } from '../../../src/store/embedded/soft-state/rate-limits.ts'
import type { SendMessage } from '../../../src/transport/http/rest.ts'
import { createAdmission } from '../../../src/transport/limits/admission.ts'
import {
  asUser,
  bearer,
  codes,
  connect,
  createManualClock,
  type ManualClock,
  openEvents,
  openSocket,
  post,
  type Started,
  type StartOptions,
  start,
} from '../kit.ts'

const events = 'subscription { events { number } }'
const sendMessage: SendMessage = async () => {
  throw new Error('Nobody gets that far.')
}

type Outcome = { code: string | undefined; retryAfterMs?: unknown }

async function rest({ url }: Started, userId: string): Promise<Outcome & { header: string | null; status: number }> {
  const response = await fetch(`${url}/messages`, {
    method: 'POST',
    headers: { authorization: await bearer(userId), 'content-type': 'application/json' },
    body: '{}',
  })
  const { error } = (await response.json()) as { error: Outcome }
  return { ...error, status: response.status, header: response.headers.get('retry-after') }
}

const outcome = (errors: unknown): Outcome => {
  const [{ extensions } = { extensions: { code: undefined } }] = (errors ?? []) as { extensions: Outcome }[]
  return extensions
}

/** One operation of that user, on each transport. */
const transports: [name: string, ask: (server: Started, userId: string) => Promise<Outcome>][] = [
  [
    'HTTP',
    async (server, userId) => outcome((await post(server, '{ me }', { authorization: await bearer(userId) })).errors),
  ],
  [
    'SSE',
    async (server, userId) => {
      const stream = await openEvents(server, events, await bearer(userId))
      const refused = stream.next().then((event) => outcome(JSON.parse(event?.data ?? '{}').errors))
      return Promise.race([refused, server.stage.source().then(() => ({ code: undefined }))])
    },
  ],
  [
    'WebSocket',
    async (server, userId) => {
      const socket = await connect(server, userId)
      socket.subscribe('1', '{ me }')
      const [frame] = await socket.framesOf('1', 1)
      return outcome(frame?.type === 'error' ? frame.payload : [])
    },
  ],
  ['REST', rest],
]

const limited = (burst: number, options: StartOptions = {}) =>
  start({
    env: { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: `${burst}` },
    sendMessage,
    clock: createManualClock(),
    ...options,
  })

const metric = async ({ url }: Started, reason: string) =>
  Number(
    new RegExp(`parley_refusals_total{reason="${reason}"} (\\d+)`).exec(
      await (await fetch(`${url}/metrics`)).text(),
    )?.[1] ?? 0,
  )

describe.each(transports)('over %s', (_name, ask) => {
  test('what is beyond the burst is refused, says when to come back, and is counted', async () => {
    const server = await limited(3)
    for (let index = 0; index < 3; index += 1) {
      expect(codes(await post(server, '{ me }', { authorization: await bearer('alice') }))).toEqual([])
    }
    expect(await ask(server, 'alice')).toMatchObject({ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 1000 })
    expect(await metric(server, 'operation_rate')).toBe(1)
    expect((await ask(server, 'bob')).code).not.toBe('RATE_LIMITED')
  })

  test('each operation costs one', async () => {
    const server = await limited(2)
    expect((await ask(server, 'alice')).code).not.toBe('RATE_LIMITED')
    expect(codes(await post(server, '{ me }'))).toEqual([])
    expect(codes(await post(server, '{ me }'))).toEqual(['RATE_LIMITED'])
  })
})

test('REST answers 429 with retry-after, and does not read the body', async () => {
  const server = await limited(1)
  await rest(server, 'alice')
  expect(await rest(server, 'alice')).toMatchObject({ status: 429, header: '1' })
})

test('time brings operations back, and no more than the burst', async () => {
  const server = await limited(2)
  const clock = server.clock as ManualClock
  const ask = async () => `${codes(await post(server, '{ me }'))[0] ?? 'OK'}`
  const many = async (count: number) => {
    const asked: string[] = []
    for (let index = 0; index < count; index += 1) asked.push(await ask())
    return asked
  }
  expect(await many(3)).toEqual(['OK', 'OK', 'RATE_LIMITED'])
  await clock.advance(1000)
  expect(await many(2)).toEqual(['OK', 'RATE_LIMITED'])
  await clock.advance(60_000)
  expect(await many(3)).toEqual(['OK', 'OK', 'RATE_LIMITED'])
})

test('a document is not looked at before its sender may ask', async () => {
  const server = await limited(1)
  await post(server, '{ me }')
  expect(codes(await post(server, '{ nonsense'))).toEqual(['RATE_LIMITED'])
  const socket = await connect(server)
  socket.subscribe('1', '{ nonsense')
  expect(outcome((await socket.frame('error', '1')).payload).code).toBe('RATE_LIMITED')
  socket.send({ type: 'ping' })
  await socket.frame('pong')
})

describe.each([
  [
    'HTTP',
    async (server: Started, query: string) =>
      outcome((await post(server, query, { variables: { no: false } })).errors).code,
  ],
  [
    'HTTP by way of Yoga',
    async (server: Started, query: string) =>
      outcome(
        (await post(server, query, { variables: { no: false }, accept: 'application/json, text/event-stream' })).errors,
      ).code,
  ],
  [
    'WebSocket',
    async (server: Started, query: string) => {
      const socket = await connect(server)
      socket.subscribe('1', query, { variables: { no: false } })
      const [frame] = await socket.framesOf('1', 1)
      const payload = frame?.payload as { errors?: unknown } | undefined
      return outcome(frame?.type === 'error' ? payload : payload?.errors).code
    },
  ],
] as const)('every root field costs one, over %s', (_name, ask) => {
  const sent = 'send(input: { clientMessageId: "1", to: { userId: "bob" }, body: "hi" })'
  const times = (count: number, field: string, name = 'a') =>
    Array.from({ length: count }, (_, i) => `${name}${i}: ${field}`).join(' ')

  test.each([
    ['aliases of a mutation', `mutation { ${times(10, sent)} }`],
    ['aliases of a query', `{ ${times(10, 'me')} }`],
    [
      'fragments, counted as they are written',
      `mutation { ...F ...G } fragment F on Mutation { ${times(5, sent)} ...G } fragment G on Mutation { ${times(5, sent, 'b')} }`,
    ],
    ['what is left out', `mutation ($no: Boolean!) { a: ${sent} ... @include(if: $no) { ${times(9, sent, 'b')} } }`],
  ])('%s', async (_what, query) => {
    const server = await limited(25)
    const asked = [await ask(server, query), await ask(server, query), await ask(server, query)]
    const cost = query.includes('...G') ? 15 : 10
    expect(asked).toEqual(
      cost === 15 ? [undefined, 'RATE_LIMITED', 'RATE_LIMITED'] : [undefined, undefined, 'RATE_LIMITED'],
    )
  })

  test('what is refused has done nothing, and says when there will be enough', async () => {
    const server = await limited(20)
    expect(await ask(server, `mutation { ${times(15, sent)} }`)).toBeUndefined()
    expect(await ask(server, `mutation { ${times(15, sent)} }`)).toBe('RATE_LIMITED')
    await (server.clock as ManualClock).advance(20_000)
    expect(await ask(server, `mutation { ${times(15, sent)} }`)).toBeUndefined()
  })

  test('one that costs more than the burst takes all of it', async () => {
    const server = await limited(5)
    expect(await ask(server, `mutation { ${times(30, sent)} }`)).toBeUndefined()
    expect(await ask(server, '{ me }')).toBe('RATE_LIMITED')
  })
})

test('the events of a subscription cost nothing', async () => {
  const server = await limited(1)
  const socket = await connect(server)
  socket.subscribe('1', events)
  const source = await server.stage.source()
  source.push(...Array.from({ length: 50 }, (_, index) => index))
  await socket.framesOf('1', 50)
})

test('nodes share the buckets', async () => {
  const clock = createManualClock()
  const rateLimits = createRateLimitsMemory(clock)
  const nodes = [await limited(100, { clock, rateLimits }), await limited(100, { clock, rateLimits })] as const
  let admitted = 0
  for (let index = 0; index < 140; index += 1) {
    if (codes(await post(nodes[index % 2] ?? nodes[0], '{ me }')).length === 0) admitted += 1
  }
  // A batch is a twentieth of the burst, and each node may hold one that the other lacks.
  expect(admitted).toBeGreaterThanOrEqual(90)
  expect(admitted).toBeLessThanOrEqual(100)
})

test('a thousand operations at once are judged exactly', async () => {
  const server = await limited(200)
  const socket = await connect(server)
  const codesSeen: (string | undefined)[] = []
  for (let round = 0; round < 10; round += 1) {
    for (let index = 0; index < 100; index += 1) socket.subscribe(`${round} ${index}`, '{ me }')
    for (let index = 0; index < 100; index += 1) {
      const [frame] = await socket.framesOf(`${round} ${index}`, 1)
      codesSeen.push(frame?.type === 'error' ? outcome(frame.payload).code : 'OK')
    }
  }
  expect(codesSeen.filter((code) => code === 'OK')).toHaveLength(200)
  expect(new Set(codesSeen)).toEqual(new Set(['OK', 'RATE_LIMITED']))
})

test('few operations ask for the buckets, and a flood of refused ones does not', async () => {
  const clock = createManualClock()
  const buckets = createRateLimitsMemory(clock)
  let draws = 0
  const rateLimits: RateLimits = {
    draw(...args) {
      draws += 1
      return buckets.draw(...args)
    },
  }
  const server = await limited(1000, { clock, rateLimits })
  const socket = await connect(server)
  const ask = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      socket.subscribe(`${index}`, '{ me }')
      await socket.framesOf(`${index}`, 1)
      socket.frames.length = 0
    }
  }
  await ask(1000)
  expect(draws).toBeLessThan(30)
  const drawsBefore = draws
  await ask(500)
  expect(draws - drawsBefore).toBeLessThanOrEqual(1)
})

test('while the first draw is under way, a batch goes on credit, and the rest waits for what is drawn', async () => {
  const clock = createManualClock()
  const answers: ((drawn: { tokens: number; retryAfterMs: number }) => void)[] = []
  const rateLimits: RateLimits = { draw: () => new Promise((resolve) => void answers.push(resolve)) }
  const admission = createAdmission({
    rate: { perSecond: 1, burst: 100 },
    sparesLoopback: false,
    rateLimits,
    localRateLimits: rateLimits,
    clock,
    refused: () => undefined,
  })
  const viewer = { userId: asUser('alice'), expiresAtMs: clock.now() }
  const admitted = Array.from({ length: 10 }, () => admission.admit(viewer, '192.0.2.1'))
  expect(admitted.filter((wait) => wait === undefined)).toHaveLength(5)
  const outcomes = Promise.allSettled(admitted)
  answers[0]?.({ tokens: 8, retryAfterMs: 0 })
  while (answers.length < 2) await new Promise(setImmediate)
  answers[1]?.({ tokens: 0, retryAfterMs: 700 })
  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...Array<string>(8).fill('fulfilled'),
    ...Array<string>(2).fill('rejected'),
  ])
  expect(answers).toHaveLength(2)
  await expect(admission.admit(viewer, '192.0.2.1')).rejects.toMatchObject({ details: { retryAfterMs: 700 } })
})

describe('anonymous operations', () => {
  const proxied = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2', TRUSTED_PROXIES: '1' }
  const ask = async (server: Started, address?: string) => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(address && { 'x-forwarded-for': address }) },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    return codes((await response.json()) as never)[0] ?? 'OK'
  }

  test('count per address, over HTTP and WebSocket together', async () => {
    const server = await limited(2, { env: proxied })
    expect(await ask(server, '192.0.2.1')).toBe('OK')
    const socket = await openSocket(server, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    await socket.init()
    socket.subscribe('1', '{ __typename }')
    await socket.frame('next', '1')
    socket.subscribe('2', '{ __typename }')
    expect(outcome((await socket.frame('error', '2')).payload).code).toBe('RATE_LIMITED')
    expect(await ask(server, '192.0.2.1')).toBe('RATE_LIMITED')
    expect(await ask(server, '192.0.2.2')).toBe('OK')
  })

  test('a user is not their address', async () => {
    const server = await limited(2, { env: proxied })
    for (let index = 0; index < 3; index += 1) await ask(server, '192.0.2.1')
    expect(codes(await post(server, '{ me }'))).toEqual([])
  })

  test('of this very machine are not counted', async () => {
    const server = await limited(1)
    for (let index = 0; index < 5; index += 1) expect(await ask(server)).toBe('OK')
  })
})

describe('while the shared buckets do not answer', () => {
  test.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['is silent', () => new Promise<never>(() => undefined)],
  ])('and the port %s, a node counts by itself', async (_how, draw) => {
    const clock = createManualClock()
    const server = await limited(40, { clock, rateLimits: { draw } })
    let answered = false
    const asked = Promise.all(
      Array.from({ length: 50 }, async () => `${codes(await post(server, '{ me }'))[0] ?? 'OK'}`),
    ).finally(() => {
      answered = true
    })
    while (!answered) await clock.advance(10)
    const ok = (await asked).filter((code) => code === 'OK').length
    expect(ok).toBeGreaterThanOrEqual(40)
    expect(ok).toBeLessThan(50)
  })

  test('they are asked again after a while', async () => {
    const clock = createManualClock()
    let isAway = true
    let draws = 0
    const buckets = createRateLimitsMemory(clock)
    const rateLimits: RateLimits = {
      draw(...args) {
        draws += 1
        return isAway ? Promise.reject(new Error('gone')) : buckets.draw(...args)
      },
    }
    const server = await limited(1, { clock, rateLimits })
    await post(server, '{ me }')
    isAway = false
    await post(server, '{ me }')
    expect(draws).toBe(1)
    await clock.advance(2000)
    await post(server, '{ me }')
    expect(draws).toBeGreaterThan(1)
  })
})

test('a limit that nobody has set spares users on the same machine, and no others', async () => {
  const traffic = { ...readConfig({ TRUSTED_PROXIES: '1' }).traffic, rate: { perSecond: 1, burst: 1 } }
  const server = await start({ config: { traffic }, clock: createManualClock() })
  for (let index = 0; index < 5; index += 1) expect(codes(await post(server, '{ me }'))).toEqual([])
  const socket = await openSocket(server, { headers: { 'x-forwarded-for': '192.0.2.1' } })
  await socket.init({ authorization: await bearer('alice') })
  socket.subscribe('1', '{ me }')
  await socket.frame('next', '1')
  socket.subscribe('2', '{ me }')
  expect(outcome((await socket.frame('error', '2')).payload).code).toBe('RATE_LIMITED')
})

test('without a rate nothing is counted', async () => {
  const server = await start({
    rateLimits: { draw: () => Promise.reject(new Error('Nobody should ask.')) },
  })
  expect(codes(await post(server, '{ me }'))).toEqual([])
})
