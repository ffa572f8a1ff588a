// What is posted and answered as JSON is answered without Yoga, and nobody can tell: each row is asked both ways, and the bytes are
// compared.

import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { asyncProperty, constantFrom, assert as hold, array as sequence } from 'fast-check'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { plainMediaTypeFor } from '../../../src/transport/http/plain-answer.ts'
import * as yogaServer from '../../../src/transport/http/yoga.ts'
import { bearer, createManualClock, type Started, type StartOptions, start } from '../kit.ts'

const yoga = { asked: 0 }
const { createYogaServer } = yogaServer
const watched = vi.spyOn(yogaServer, 'createYogaServer').mockImplementation((given) => {
  const { fetch } = createYogaServer(given)
  return {
    fetch(...args) {
      yoga.asked += 1
      return fetch(...args)
    },
  }
})
afterAll(() => watched.mockRestore())

type Asked = { body: object | string; headers?: Record<string, string> }

/** What is asked below it is always Yoga's to answer. */
const byYoga = '/graphql?'
const plainly = '/graphql'

/** All that comes back, byte for byte, but for the time of day. */
async function ask({ port }: Started, path: string, { body, headers = {} }: Asked): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const given: Record<string, string> = {
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(text)}`,
    'x-request-id': 'the-same',
    connection: 'close',
    ...headers,
  }
  const head = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  let answer = ''
  for await (const chunk of socket) {
    answer += chunk
    // Where it is a stream to Yoga, the connection stays.
    if (answer.endsWith('\r\n0\r\n\r\n')) break
  }
  return answer.replace(/^Date: .*\r\n/m, '')
}

/** Both answers, and whether the one was had without Yoga. */
async function askTwice(server: Started, asked: Asked) {
  const expected = await ask(server, byYoga, asked)
  const askedBefore = yoga.asked
  const given = await ask(server, plainly, asked)
  return { expected, given, withoutYoga: yoga.asked === askedBefore }
}

const options: StartOptions = {
  env: { ALLOWED_ORIGINS: 'https://chat.example' },
  randomId: () => 'an-id',
}
const me = '{ me }'
const several = 'query A { me } query B { name }'
const send = 'mutation Send($input: SendInput!) { send(input: $input) }'
const input = { clientMessageId: '1', to: { userId: 'bob' }, body: 'é😀\u2028"' }
const echo = 'query ($text: String!) { echo(text: $text) }'
const list = (size: number) => ({ values: [[[Array(size).fill(1)]]] })
const listQuery = 'query ($values: [[[[Int]]]]) { list(values: $values) }'

type Row = [what: string, asked: Asked]

const ordinary: Row[] = [
  ['a query', { body: { query: me } }],
  ['a query with everything there is', { body: { query: me, variables: {}, operationName: null, extensions: {} } }],
  ['a query with nulls', { body: { query: me, variables: null, operationName: null, extensions: null } }],
  ['a mutation', { body: { query: send, variables: { input } } }],
  ['one of several operations', { body: { query: several, operationName: 'B' } }],
  ['nothing but null', { body: { query: '{ maybe }' } }],
  ['a page of an allowed origin', { body: { query: me }, headers: { origin: 'https://chat.example' } }],
  ['a page of its own', { body: { query: me }, headers: { origin: 'http://localhost' } }],
  ['an old client', { body: { query: me }, headers: { accept: '*/*' } }],
  ['a client of today', { body: { query: me }, headers: { accept: 'application/graphql-response+json' } }],
  [
    'a client that takes many kinds',
    {
      body: { query: me },
      headers: {
        accept:
          'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
      },
    },
  ],
  [
    'a client that would rather have JSON',
    { body: { query: me }, headers: { accept: 'text/html, application/*;q=0.9' } },
  ],
  ['JSON by another name', { body: { query: me }, headers: { 'content-type': 'Application/JSON ; charset=utf-8' } }],
  ['a bug of ours beside data', { body: { query: '{ broken me }' } }],
  ['a refusal beside data', { body: { query: '{ refused(code: "NOT_FOUND") me }' } }],
  [
    'a refusal beside data, to a client of today',
    { body: { query: '{ refused(code: "RATE_LIMITED") }' }, headers: { accept: 'application/graphql-response+json' } },
  ],
  ['an error that leaves no data', { body: { query: '{ contextNumber: me, me, echo(text: "x"), a: brokenNumber }' } }],
  ['nobody', { body: { query: me }, headers: { authorization: '' } }],
  ['a variable of the wrong kind', { body: { query: echo, variables: { text: 7 } } }],
  [
    'a variable of the wrong kind, from a client of today',
    { body: { query: echo, variables: { text: {} } }, headers: { accept: 'application/graphql-response+json' } },
  ],
  ['no variables where some are needed', { body: { query: echo } }],
]

const today = { accept: 'application/graphql-response+json' }

const refused: Row[] = [
  ['a document that is not valid', { body: { query: '{ nobody }' } }],
  ['a document that is not valid, from a client of today', { body: { query: '{ nobody }' }, headers: today }],
  ['a document with many mistakes', { body: { query: '{ a b c d e f g me(x: 1) { x } }' } }],
  ['a document that is none', { body: { query: '{ me' } }],
  ['a document that is none, from a client of today', { body: { query: '{ me' }, headers: today }],
  ['a document of no letters', { body: { query: '' } }],
  ['a document that is nested too deep', { body: { query: '{ a'.repeat(70) } }],
  ['an operation nobody knows', { body: { query: several, operationName: 'C' } }],
  [
    'an operation nobody knows, from a client of today',
    { body: { query: several, operationName: 'C' }, headers: today },
  ],
  [
    'an operation nobody knows, of a document that is not valid',
    { body: { query: 'query A { x }', operationName: 'C' } },
  ],
  ['several operations and no name', { body: { query: several } }],
  ['a name of no letters', { body: { query: me, operationName: '' } }],
  ['a name that is a number', { body: { query: me, operationName: 7 } }],
  ['an id nobody knows', { body: { documentId: 'nobody' } }],
  ['too much', { body: { query: listQuery, variables: list(60_000) } }],
  ['too much, from a client of today', { body: { query: listQuery, variables: list(60_000) }, headers: today }],
]

const odd: Row[] = [
  ['variables in a list', { body: { query: me, variables: [] } }],
  ['variables that are text', { body: { query: me, variables: '{}' } }],
  ['extensions in a list', { body: { query: me, extensions: [] } }],
  ['a parameter nobody knows', { body: { query: me, que: 1 } }],
  ['a parameter nobody knows, without a value', { body: { query: me, que: null } }],
  ['a parameter with a name of its own kind', { body: `{"query":"${me}","__proto__":{"query":1}}` }],
  ['no query', { body: {} }],
  ['a query that is no text', { body: { query: 7 } }],
  ['an id of no letters', { body: { documentId: '' } }],
  ['a batch', { body: [{ query: me }] }],
  ['no object', { body: '7' }],
  ['nothing', { body: '' }],
  ['no JSON', { body: '{"query":' }],
  ['a bad token', { body: { query: me }, headers: { authorization: 'Bearer a.b.c' } }],
  ['a token of another kind', { body: { query: me }, headers: { authorization: 'Basic YTpi' } }],
  ['another language', { body: { query: me }, headers: { accept: 'text/html' } }],
  ['another alphabet', { body: { query: me }, headers: { accept: 'application/json; charset=latin1' } }],
  ['events', { body: { query: me }, headers: { accept: 'text/event-stream' } }],
  ['parts', { body: { query: me }, headers: { accept: 'multipart/mixed' } }],
  [
    'a subscription without events',
    { body: { query: 'subscription { events { number } }' }, headers: { accept: 'application/json' } },
  ],
]

const withToken = async ({ body, headers }: Asked): Promise<Asked> => {
  const { authorization = await bearer('alice'), ...others } = headers ?? {}
  return { body, headers: { ...(authorization && { authorization }), ...others } }
}

test.each([...ordinary, ...refused])('%s: the same bytes, without Yoga, each time', async (_what, row) => {
  const server = await start(options)
  const asked = await withToken(row)
  const before = yoga.asked
  const first = await ask(server, plainly, asked)
  expect(yoga.asked).toBe(before)
  const { expected, given, withoutYoga } = await askTwice(server, asked)
  expect({ given, withoutYoga }).toEqual({ given: expected, withoutYoga: true })
  expect(first).toBe(expected)
  expect(operationsIn(server)).toHaveLength(3)
  expect(new Set(operationsIn(server).map(timeless)).size).toBe(1)
})

test.each(odd)('%s: Yoga has the last word', async (_what, row) => {
  const server = await start(options)
  const asked = await withToken(row)
  await ask(server, plainly, asked)
  const { expected, given, withoutYoga } = await askTwice(server, asked)
  expect({ given, withoutYoga }).toEqual({ given: expected, withoutYoga: false })
  expect(new Set(operationsIn(server).map(timeless)).size).toBe(1)
  expect(operationsIn(server)).toHaveLength(3)
})

const operationsIn = ({ lines }: Started) => lines.filter(({ msg }) => msg === 'operation')
const timeless = ({ time, durationMs, ...rest }: Record<string, unknown>) => JSON.stringify(rest)

test('what costs too much is refused as Yoga would, and not executed', async () => {
  const server = await start({ ...options, fieldCosts: { 'Query.list': { weight: 49_900 } } })
  const asked = (size: number) => withToken({ body: { query: listQuery, variables: list(size) } })
  expect(await askTwice(server, await asked(1))).toMatchObject({ withoutYoga: true })
  const { expected, given, withoutYoga } = await askTwice(server, await asked(200))
  expect({ given, withoutYoga }).toEqual({ given: expected, withoutYoga: true })
  expect(given).toContain('QUERY_TOO_COMPLEX')
})

describe('a document the server was given', () => {
  const hash = createHash('sha256').update(me).digest('hex')
  const documents = new Map([[hash, me]])

  test.each([
    ['its id', { documentId: hash }],
    ['its id, with the algorithm', { documentId: `sha256:${hash}` }],
    ['its hash, as Apollo has it', { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
    ['its text', { query: me }],
  ])('by %s', async (_how, body) => {
    const server = await start({ ...options, config: { persistedOperations: { documents, only: true } } })
    const asked = await withToken({ body })
    await ask(server, plainly, asked)
    const { expected, given, withoutYoga } = await askTwice(server, asked)
    expect({ given, withoutYoga }).toEqual({ given: expected, withoutYoga: true })
    const unknown = await askTwice(server, await withToken({ body: { query: '{ name }' } }))
    expect(unknown.given).toBe(unknown.expected)
    expect(unknown.given).toContain('PersistedQueryOnly')
  })
})

test('each counts once, and what is beyond the rate hears the same', async () => {
  const env = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '4' }
  const server = await start({ ...options, env, clock: createManualClock() })
  const asked = await withToken({ body: { query: me } })
  const unknown = await withToken({ body: { query: '{ nobody }' } })
  for (const each of [asked, unknown, asked, asked])
    expect(await ask(server, plainly, each)).not.toContain('RATE_LIMITED')
  const { expected, given } = await askTwice(server, asked)
  expect(given).toContain('RATE_LIMITED')
  expect(given).toBe(expected)
})

test('what takes too long is told so in the same words', async () => {
  const clock = createManualClock()
  const server = await start({ ...options, clock })
  const asked = await withToken({ body: { query: '{ hang }' } })
  const late = async (path: string) => {
    const answer = ask(server, path, asked)
    await server.stage.hanging()
    await clock.advance(2500)
    server.stage.releaseAll()
    return answer
  }
  const [first, second] = [await late(plainly), await late(plainly)]
  expect(second).toBe(first)
  expect(second).toContain('UNAVAILABLE')
})

describe('accept', () => {
  const ranges = [
    'application/json',
    'application/graphql-response+json',
    '*/*',
    'application/*',
    '*/json',
    'text/html',
  ]
  const others = [
    '*',
    '',
    '/',
    'json',
    'application',
    'application/json/x',
    'APPLICATION/JSON',
    'multipart/mixed',
    '*/x',
  ]
  const parameters = ['', ';q=0.1', '; charset=utf-8', ';charset=latin1', ';q=1;charset=UTF-8', ';charset="utf-8"', ';']
  const part = sequence(constantFrom(...ranges, ...others, ...parameters, ' ', '\t'), { maxLength: 4 })
  const header = sequence(part, { maxLength: 4 }).map((parts) =>
    parts
      .map((each) => each.join(''))
      .join(',')
      .trim(),
  )

  test('is read as Yoga reads it', async () => {
    const stock = createYoga({ schema: createSchema({ typeDefs: 'type Query { me: String }' }), logging: false })
    const request = { method: 'POST', body: JSON.stringify({ query: me }) }
    await hold(
      asyncProperty(header, async (accept) => {
        const headers = { 'content-type': 'application/json', accept }
        const answer = await stock.fetch('http://localhost/graphql', { ...request, headers })
        const type = answer.headers.get('content-type') ?? ''
        const isPlain = /^application\/(graphql-response\+)?json/.test(type)
        expect(plainMediaTypeFor(accept)).toBe(isPlain ? type.replace('; charset=utf-8', '') : undefined)
      }),
      { numRuns: 1000 },
    )
  })
})
