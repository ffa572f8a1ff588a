import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { ChatError } from '../../../src/protocol/errors.ts'
import { createErrorMapper } from '../../../src/transport/execution/errors.ts'
import type { Person } from '../../kit/person.ts'
import { type DynamoEcho, startDynamoEcho } from '../../kit/services/dynamodb-echo.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

type Line = Record<string, unknown> & { msg?: string }

const mark = 'Kx7qMarked'
const logs: string[][] = [[], []]
const linesOf = (node: number): Line[] => (logs[node] ?? []).map((line) => JSON.parse(line) as Line)
const loggerOf = (lines: string[]) => createLogger('trace', { write: (line: string) => void lines.push(line) })

let world: World
let dynamodb: DynamoEcho
let alice: Person
let bob: Person

beforeAll(async () => {
  dynamodb = await startDynamoEcho(await sharedService('dynalite'))
  world = await startWorld({ nodes: 0, dynamodbEndpoint: dynamodb.url })
  // On a busy machine the tables may take longer than a call may.
  for (const lines of logs) await vi.waitFor(() => world.startNode({ logger: loggerOf(lines) }), 50_000)
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
})
afterAll(async () => {
  await world.stop()
  await dynamodb.stop()
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}, token = alice.token) =>
  fetch(`${world.url()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const rest = (body: string, clientMessageId: string = randomUUID()) => ({
  clientMessageId,
  to: { userId: bob.userId },
  body,
})

describe('a request', () => {
  it('keeps the id it comes with, and its line has it too', async () => {
    const answer = await post(
      '/graphql',
      { query: 'query Whom { viewer { id } }' },
      { 'x-request-id': 'edge:7f.3_a-1' },
    )
    expect(answer.headers.get('x-request-id')).toBe('edge:7f.3_a-1')
    expect(linesOf(0)).toContainEqual(
      expect.objectContaining({
        msg: 'operation',
        operation: 'Whom',
        requestId: 'edge:7f.3_a-1',
        userId: alice.userId,
        codes: [],
      }),
    )
  })

  it.each([['two words'], ['x'.repeat(65)], ['{"a":1}']])('gets another than %s', async (given) => {
    const answer = await post('/messages', rest('hello'), { 'x-request-id': given })
    const requestId = answer.headers.get('x-request-id')
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(linesOf(0)).toContainEqual(expect.objectContaining({ msg: 'operation', transport: 'rest', requestId }))
  })

  it('has one also where there is nothing', async () => {
    expect((await fetch(`${world.url()}/nowhere`)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('that fails leaves its id beside the one its error carries', async () => {
    dynamodb.rejects()
    const answer = await post('/messages', rest('hello'), { 'x-request-id': 'failing-1' })
    dynamodb.pass()
    const { error } = (await answer.json()) as { error: { code: string; errorId: string } }
    expect(error.code).toBe('INTERNAL')
    expect(linesOf(0)).toContainEqual(
      expect.objectContaining({ msg: 'unexpected error', requestId: 'failing-1', errorId: error.errorId }),
    )
  })
})

describe('a message', () => {
  it.each(['http', 'ws', 'rest'] as const)(
    'sent by %s is found by its id on the node it went to and on the one it was delivered by',
    async (via) => {
      const bob = await world.person('bob', { node: 1 })
      const atBob = bob.follow()
      await world.online(bob)
      const { conversationId, seq, messageId } = await sendWithIds(bob, via)
      await atBob.sees(({ message }) => message.seq === seq)
      await atBob.stop()
      const ids = { conversationId, seq, messageId }
      const sent = linesOf(0).find(
        ({ msg, sent }) => msg === 'operation' && JSON.stringify(sent ?? '').includes(messageId),
      )
      expect(sent).toMatchObject({ sent: [{ ...ids, duplicate: false }], userId: alice.userId })
      expect(sent).toHaveProperty(via === 'ws' ? 'connectionId' : 'requestId')
      const delivered = linesOf(1).find((line) => line.msg === 'delivered' && line.messageId === messageId)
      expect(delivered).toMatchObject({ ...ids, catchUp: false, userId: bob.userId })
      const opened = linesOf(1).filter(({ msg }) => msg === 'a socket was opened')
      expect(opened.map(({ connectionId }) => connectionId)).toContain(delivered?.connectionId)
    },
  )

  async function sendWithIds(bob: Person, via: 'http' | 'ws' | 'rest') {
    const { conversationId, seq } = await alice.send(bob, 'follow me', { via })
    const row = await world.nodes[0]?.parts.ports.messages.get({ conversationId, seq } as never)
    if (row?.kind !== 'message') expect.fail()
    return row
  }

  it('says so where it was sent again', async () => {
    const { seq } = await alice.send(bob, 'twice', { clientMessageId: 'twice', via: 'rest' })
    await alice.send(bob, 'twice', { clientMessageId: 'twice' })
    const sends = linesOf(0).flatMap(({ sent }) => (sent as { seq: number; duplicate: boolean }[]) ?? [])
    expect(sends.filter((each) => each.seq === seq).map(({ duplicate }) => duplicate)).toEqual([false, true])
  })
})

describe('a socket', () => {
  it('leaves a line when it is closed, with the code and whose it was', async () => {
    const carol = await world.person('carol', { node: 1 })
    const stream = carol.followLean()
    await world.online(carol)
    await stream.stop()
    await expect
      .poll(() => linesOf(1).find(({ msg, userId }) => msg === 'a socket was closed' && userId === carol.userId))
      .toMatchObject({ code: 1000, why: 'done', durationMs: expect.any(Number), connectionId: expect.any(String) })
  })
})

describe('whatever happens, the log holds no token, no text, no variables and no document:', () => {
  const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }'
  const input = (more: object = {}) => ({ input: { ...rest(`${mark} body`), ...more } })
  const wrong = (): [string, unknown][] => [
    ['a document that is none', { query: `{ ${mark} ( }` }],
    ['a field there is not', { query: `{ ${mark} }` }],
    ['a variable there is not', { query: '{ viewer { id } }', variables: { [mark]: mark } }],
    ['a variable of another type', { query: send, variables: input({ body: { text: mark } }) }],
    ['an unknown operation', { query: 'query A { viewer { id } } query B { viewer { id } }', operationName: 'C' }],
    ['a value that is refused', { query: send, variables: input({ to: { userId: `dm_${mark}` } }) }],
    ['a stranger’s conversation', { query: send, variables: input({ to: { conversationId: `dm_${mark}` } }) }],
    ['a message', { query: `${send} # ${mark}`, variables: input() }],
    ['JSON that is none', `{"query":"${mark}`],
  ]

  async function everywhere(): Promise<void> {
    for (const [, body] of wrong()) {
      await post('/graphql', body)
      if (typeof body === 'string') continue
      const { query, variables = {} } = body as { query: string; variables?: object }
      await alice.ask(query, variables, { via: 'ws' }).catch(() => undefined)
    }
    await post('/messages', rest(`${mark} body`))
    await post('/messages', { ...rest(`${mark} body`), to: mark })
    await post('/messages', `{"body":"${mark}`)
    await post('/messages', rest(`${mark} body`), {}, `${alice.token}${mark}`)
    const query = encodeURIComponent(`subscription { messageAdded { ${mark} } }`)
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${alice.token}` }
    await (await fetch(`${world.url()}/graphql?query=${query}`, { headers })).text()
  }

  const expectClean = () => {
    const all = logs.flat().join('\n')
    for (const secret of [mark, alice.token, bob.token, alice.token.split('.')[2] ?? '']) {
      expect(all.includes(secret)).toBe(false)
    }
  }

  it('good and bad requests, by every way', async () => {
    const atBob = bob.follow()
    await world.online(bob)
    await everywhere()
    await atBob.sees(({ message }) => message.body.includes(mark))
    await atBob.stop()
    expect(linesOf(0).filter(({ msg }) => msg === 'operation').length).toBeGreaterThan(20)
    expectClean()
  })

  it('DynamoDB quotes what it was asked', async () => {
    for (const fail of [dynamodb.rejects, dynamodb.breaks]) {
      fail()
      await everywhere()
      dynamodb.pass()
    }
    const causes = linesOf(0).map(({ err }) => JSON.stringify(err) ?? '')
    expect(causes.some((err) => err.includes('ValidationException'))).toBe(true)
    expect(causes.some((err) => err.includes('InternalServerError'))).toBe(true)
    expectClean()
  })

  it('Redis refuses a command, and the error carries all of it', async () => {
    await world.redis.raw.config('SET', 'maxmemory', '1')
    await everywhere()
    await world.redis.raw.config('SET', 'maxmemory', '0')
    const refused = linesOf(0).filter(({ err }) => JSON.stringify(err ?? '').includes('"OOM"'))
    expect(refused).toContainEqual(
      expect.objectContaining({
        code: 'UNAVAILABLE',
        err: expect.objectContaining({ type: 'ReplyError', code: 'OOM' }),
      }),
    )
    expect(refused).toContainEqual(expect.objectContaining({ msg: 'a call to Redis failed', reason: 'full' }))
    expectClean()
  })

  it('Redis dies in the middle of a command', async () => {
    await world.redis.kill()
    await everywhere()
    await world.redis.launch()
    // Each attempt to connect fails, several times a second: that is one line.
    const lost = linesOf(0).filter(
      ({ msg, reason }) => msg === 'the connection to Redis failed' && reason === 'connection',
    )
    expect(lost).toMatchObject([{ level: 40, count: 1, err: expect.any(Object) }])
    expectClean()
  }, 60_000)

  it('a bug of ours throws it, as message, as cause, in several lines, or not even as an error', () => {
    const lines: string[] = []
    const errors = createErrorMapper(loggerOf(lines), randomUUID)
    const forged = `${mark}\n    at ${mark} (/srv/parley/${mark}.js:1:1)`
    const failed = Object.assign(new Error(forged), { body: mark, command: { name: 'x', args: [mark] } })
    const thrown = [
      failed,
      new TypeError(`Cannot create property 'x' on string '${mark}'`, { cause: failed }),
      new AggregateError([failed], mark),
      new ChatError('UNAVAILABLE', 'Later.', {}, { cause: failed }),
      { name: mark.repeat(20), code: `${mark} code`, message: mark, stack: forged },
      mark,
    ]
    for (const error of thrown) errors.about({ requestId: 'r' }).toGraphQLError(error)
    expect(lines).toHaveLength(thrown.length)
    expect(lines.join('').includes(mark)).toBe(false)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      requestId: 'r',
      err: { type: 'Error', frames: expect.arrayContaining([expect.stringContaining('logs.test.ts')]) },
    })
  })

  it('somebody hands it to the log by mistake', () => {
    const lines: string[] = []
    const logger = loggerOf(lines)
    for (const field of ['authorization', 'token', 'body', 'text', 'variables', 'query']) {
      logger.info({ [field]: mark }, field)
      logger.info({ request: { [field]: { deep: mark } }, message: { [field]: mark } }, field)
      logger.child({ input: { [field]: mark } }).info(field)
    }
    expect(lines).toHaveLength(18)
    expect(lines.join('').includes(mark)).toBe(false)
  })
})
