// What may be asked for, as tables: each row holds on each transport.

import { createHash } from 'node:crypto'
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { badInput } from '../../../src/protocol/errors.ts'
import { bearer, codes, connect, openSocket, type Started, start } from '../kit.ts'

type Asked = {
  query?: unknown
  documentId?: unknown
  operationName?: unknown
  variables?: unknown
  extensions?: unknown
}
type Told = { data?: unknown; errors?: { message: string; extensions: Record<string, unknown> }[] }

const jsonHeaders = async () => ({
  accept: 'application/json',
  'content-type': 'application/json',
  authorization: await bearer('alice'),
})

async function byPost(server: Started, asked: Asked): Promise<Told> {
  const body = JSON.stringify(asked)
  const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers: await jsonHeaders(), body })
  expect(response.status).toBeLessThan(500)
  return (await response.json()) as Told
}

async function byGet(server: Started, asked: Asked): Promise<Told> {
  const parameters = Object.entries(asked).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const { accept, authorization } = await jsonHeaders()
  const response = await fetch(`${server.url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { accept, authorization },
  })
  expect(response.status).toBeLessThan(500)
  return (await response.json()) as Told
}

/** Also sees that the socket is still there afterwards. */
async function byWebSocket(server: Started, asked: Asked): Promise<Told> {
  const socket = await connect(server)
  socket.send({ type: 'subscribe', id: '1', payload: { query: '', ...asked } })
  const [frame] = await socket.framesOf('1', 1)
  socket.send({ type: 'ping' })
  expect(await Promise.race([socket.frame('pong'), socket.closed()])).toEqual({ type: 'pong' })
  if (frame?.type === 'error') return { errors: frame.payload as NonNullable<Told['errors']> }
  return frame?.payload as Told
}

const transports = [
  ['POST', byPost],
  ['GET', byGet],
  ['WebSocket', byWebSocket],
] as const

const many = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ')
const nested = (levels: number) => `{ ${'node { '.repeat(levels - 1)}id${' }'.repeat(levels - 1)} }`

/** Two of the next one in each: twice as much at every step. */
const doubling = (levels: number) =>
  `{ node { ...F1 } } ${many(levels, (i) =>
    i + 1 < levels
      ? `fragment F${i + 1} on Node { a: node { ...F${i + 2} } b: node { ...F${i + 2} } }`
      : `fragment F${levels} on Node { id }`,
  )}`

type Row = { what: string; within: string; beyond: string; words: string; operationName?: string }

const rows: Row[] = [
  {
    what: 'tokens',
    within: `{ list(values: [[[[${'1 '.repeat(1985)}]]]]) }`,
    beyond: `{ list(values: [[[[${'1 '.repeat(1986)}]]]]) }`,
    words: '2000 tokens',
  },
  {
    what: 'nesting',
    within: `{ ${'... { '.repeat(63)}me${' }'.repeat(63)} }`,
    beyond: `{ ${'... { '.repeat(64)}me${' }'.repeat(64)} }`,
    words: '64 levels deep',
  },
  { what: 'depth', within: nested(20), beyond: nested(21), words: '20 levels deep' },
  {
    what: 'depth by way of fragments',
    within: `{ ...F0 } fragment F0 on Query { node { ...F1 } } ${many(18, (i) => `fragment F${i + 1} on Node { ${i < 17 ? `node { ...F${i + 2} }` : 'node { id }'} }`)}`,
    beyond: `{ ...F0 } fragment F0 on Query { node { ...F1 } } ${many(19, (i) => `fragment F${i + 1} on Node { ${i < 18 ? `node { ...F${i + 2} }` : 'node { id }'} }`)}`,
    words: '20 levels deep',
  },
  {
    what: 'aliases',
    within: `{ node { ${many(64, (i) => `a${i}: id`)} } }`,
    beyond: `{ node { ${many(65, (i) => `a${i}: id`)} } }`,
    words: '64 aliases',
  },
  {
    what: 'directives',
    within: `{ ${many(64, () => '... @include(if: true) { me }')} }`,
    beyond: `{ ${many(65, () => '... @include(if: true) { me }')} }`,
    words: '64 directives',
  },
  {
    what: 'fields of the same name',
    within: `{ node { ${'id '.repeat(64)} } }`,
    beyond: `{ node { ${'id '.repeat(65)} } }`,
    words: '64 fields of the same name',
  },
  {
    what: 'root fields',
    within: `{ ...F ...F } fragment F on Query { ${'me '.repeat(32)} }`,
    beyond: `{ ...F ...F } fragment F on Query { ${'me '.repeat(33)} }`,
    words: '64 root fields',
  },
  {
    what: 'operations',
    within: many(32, (i) => `query Q${i} { me }`),
    beyond: many(33, (i) => `query Q${i} { me }`),
    words: '32 operations',
    operationName: 'Q0',
  },
  {
    what: 'fragments',
    within: `{ ...F0 } ${many(64, (i) => `fragment F${i} on Query { ${i < 63 ? `...F${i + 1}` : 'me'} }`)}`,
    beyond: `{ ...F0 } ${many(65, (i) => `fragment F${i} on Query { ${i < 64 ? `...F${i + 1}` : 'me'} }`)}`,
    words: '64 fragments',
  },
  {
    what: 'cost, with fragments that double',
    within: doubling(14),
    beyond: doubling(18),
    words: 'costs at most 50000',
  },
]

describe.each(transports)('by %s', (_name, ask) => {
  test.each(rows)('the limit on $what is said', async ({ within, beyond, words, operationName }) => {
    const server = await start()
    const name = operationName === undefined ? {} : { operationName }
    expect(await ask(server, { query: within, ...name })).not.toHaveProperty('errors')
    // The second time the document is an old acquaintance.
    for (const _time of [1, 2]) {
      const { data, errors } = await ask(server, { query: beyond, ...name })
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        { message: expect.stringContaining(words), extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } },
      ])
    }
  })

  test('fragments that lead to each other are refused as such', async () => {
    const server = await start()
    const query = '{ node { ...A } } fragment A on Node { node { ...B } } fragment B on Node { node { ...A } }'
    expect(codes(await ask(server, { query }))).toEqual(['GRAPHQL_VALIDATION_FAILED'])
  })

  test('of very many mistakes a few are told', async () => {
    const server = await start()
    const { errors = [] } = await ask(server, { query: `{ ${many(60, (i) => `nothing${i}`)} }` })
    expect(new Set(codes({ errors }))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
    expect(errors.length).toBeLessThan(10)
  })

  test.each(['variables', 'extensions'])('%s nested too deep are refused politely', async (field) => {
    const server = await start()
    for (const levels of [64, 2000]) {
      const value = { deep: JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) }
      expect((await ask(server, { query: '{ me }', [field]: value })).errors).toMatchObject([
        { message: expect.stringContaining('64 levels'), extensions: { code: 'BAD_USER_INPUT', field } },
      ])
    }
    const value = { deep: JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) }
    expect(await ask(server, { query: '{ me }', [field]: value })).toEqual({ data: { me: 'alice' } })
  })

  test('objects of very many keys are refused, and an answer does not grow with the mistakes in a request', async () => {
    const server = await start()
    const object = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1]))
    const query = 'query ($after: [Position!]) { positions(after: $after) }'
    expect((await ask(server, { query, variables: { after: object(201) } })).errors).toMatchObject([
      { message: expect.stringContaining('200 keys'), extensions: { code: 'BAD_USER_INPUT', field: 'variables' } },
    ])
    for (const after of [object(200), Array.from({ length: 500 }, () => 1), [{ seq: 'x'.repeat(9000) }]]) {
      const { errors = [] } = await ask(server, { query, variables: { after } })
      expect(new Set(codes({ errors }))).toEqual(new Set(['BAD_USER_INPUT']))
      expect(JSON.stringify(errors).length).toBeLessThan(5000)
    }
  })

  test('variables with awkward names are nobody’s prototype', async () => {
    const server = await start()
    const variables = JSON.parse('{"__proto__": {"text": "polluted"}, "constructor": 1, "hasOwnProperty": 2}')
    expect(await ask(server, { query: '{ me }', variables })).toEqual({ data: { me: 'alice' } })
    const query = 'query ($text: String!) { echo(text: $text) }'
    expect(codes(await ask(server, { query, variables }))).toEqual(['BAD_USER_INPUT'])
    expect({}).not.toHaveProperty('text')
  })

  test('a byte order mark in the document is no part of it', async () => {
    const server = await start()
    expect(await ask(server, { query: '\uFEFF{ me }' })).toEqual({ data: { me: 'alice' } })
  })

  describe('where introspection is off', () => {
    const production = { config: { introspection: false } }

    test.each(['{ __schema { queryType { name } } }', '{ __type(name: "Node") { name } }', getIntrospectionQuery()])(
      'the schema is not shown: %s',
      async (query) => {
        const server = await start(production)
        const told = await ask(server, { query })
        expect(told.data).toBeUndefined()
        expect(new Set(codes(told))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
      },
    )

    test('nor guessed at, in documents or in variables', async () => {
      const server = await start(production)
      const send = 'mutation ($input: SendInput!) { send(input: $input) }'
      const input = { clientMessageId: '1', to: { userId: 'bob' }, body: 'hi', afterr: [] }
      const asked: Asked[] = [{ query: '{ mee }' }, { query: '{ echo(txt: "") }' }, { query: '{ ... on Nod { id } }' }]
      for (const each of ask === byGet ? asked : [...asked, { query: send, variables: { input } }]) {
        const { errors = [] } = await ask(server, each)
        expect(errors.length).toBeGreaterThan(0)
        expect(JSON.stringify(errors)).not.toMatch(/did you mean/i)
      }
    })

    test('__typename always works', async () => {
      const server = await start(production)
      expect(await ask(server, { query: '{ __typename node { __typename } }' })).toMatchObject({
        data: { __typename: 'Query' },
      })
    })
  })

  test('where introspection is on, the schema is shown in full and names are suggested', async () => {
    const server = await start()
    expect(await ask(server, { query: getIntrospectionQuery() })).not.toHaveProperty('errors')
    expect((await ask(server, { query: '{ mee }' })).errors?.[0]?.message).toContain('Did you mean')
  })

  describe('persisted operations', () => {
    const text = 'query Me { me }'
    const hash = createHash('sha256').update(text).digest('hex')
    const documents = new Map([[hash, text]])
    const kept = (only: boolean) => ({ config: { persistedOperations: { documents, only } } })
    const byHash = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })

    test.each([
      ['Apollo’s hash', byHash(hash)],
      ['documentId', { documentId: hash }],
      ['documentId with its kind', { documentId: `sha256:${hash}` }],
    ])('are named by %s, and run', async (_by, asked) => {
      for (const only of [false, true]) {
        const server = await start(kept(only))
        expect(await ask(server, asked)).toEqual({ data: { me: 'alice' } })
      }
    })

    test('that nobody knows are refused in words that help', async () => {
      for (const [options, words] of [
        [kept(false), 'PersistedQueryNotFound'],
        [kept(true), 'PersistedQueryNotFound'],
        [{}, 'PersistedQueryNotSupported'],
      ] as const) {
        const server = await start(options)
        for (const asked of [byHash('0'.repeat(64)), { documentId: '__proto__' }]) {
          expect((await ask(server, asked)).errors).toMatchObject([
            {
              message: expect.stringContaining(words),
              extensions: { code: 'GRAPHQL_VALIDATION_FAILED', retryable: false },
            },
          ])
        }
      }
    })

    test('are an offer', async () => {
      const server = await start(kept(false))
      expect(await ask(server, { query: '{ name me }' })).toEqual({ data: { name: null, me: 'alice' } })
      expect(await ask(server, { query: '{ me }', ...byHash('0'.repeat(64)) })).toEqual({ data: { me: 'alice' } })
    })

    test('are all there is, where that is asked for', async () => {
      const server = await start(kept(true))
      for (const asked of [
        { query: '{ me }' },
        { query: '{ me }', ...byHash(hash) },
        { query: `${text} ` },
        { query: '{ __typename }' },
      ]) {
        expect((await ask(server, asked)).errors).toMatchObject([
          { message: expect.stringContaining('PersistedQueryOnly'), extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
        ])
      }
      expect(await ask(server, { query: text })).toEqual({ data: { me: 'alice' } })
    })
  })
})

describe('a document that is too long', () => {
  const chars = 48 * 1024
  /** With an alias as long as it takes; what follows the # does not count. */
  const query = (length: number) => `{ ${'x'.repeat(length - 5)}: me } #${'y'.repeat(10_000)}`

  test.each([
    ['POST', byPost],
    ['WebSocket', byWebSocket],
  ] as const)('by %s', async (_name, ask) => {
    const server = await start()
    expect(await ask(server, { query: query(chars) })).toMatchObject({ data: expect.anything() })
    expect((await ask(server, { query: query(chars + 1) })).errors).toMatchObject([
      { message: expect.stringContaining(`${chars} characters`), extensions: { code: 'QUERY_TOO_COMPLEX' } },
    ])
  })

  test('by GET: no address is that long', async () => {
    const server = await start()
    const response = await fetch(`${server.url}/graphql?query=${encodeURIComponent(query(chars))}`)
    expect(response.status).toBe(431)
  })
})

describe('JSON', () => {
  const deepText = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const deepObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  const raw = async (server: Started, path: string, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { ...(await jsonHeaders()), accept: 'application/graphql-response+json' },
      body,
    })

  test.each([
    ['/graphql', `{"query":"{ me }","variables":{"a":${deepText(60_000)}}}`, 400],
    ['/graphql', `{"query":"{ me }","extensions":${deepObjects(15_000)}}`, 400],
    ['/graphql', `{"query":${deepText(60_000)}}`, 400],
    ['/graphql', deepText(60_000), 400],
    ['/graphql', '['.repeat(120_000), 400],
    ['/messages', `{"clientMessageId":"1","to":${deepText(60_000)},"body":"hi"}`, 400],
    ['/messages', `{"clientMessageId":"1","to":{"userId":"bob"},"body":${deepObjects(15_000)}}`, 400],
    ['/messages', deepText(60_000), 400],
    ['/messages', '['.repeat(120_000), 400],
    ['/dev/token', `{"userId":${deepText(60_000)}}`, 400],
    ['/dev/token', `{"userId":"alice","name":${deepObjects(15_000)}}`, 400],
    ['/dev/token', deepText(60_000), 400],
  ])('nested as deep as a body can hold it, to %s: row %#', async (path, body, status) => {
    const server = await start({
      development: true,
      sendMessage: async (_viewer, { to }) => {
        throw badInput('to', `Expected one of userId and conversationId, not ${typeof to}.`)
      },
    })
    const response = await raw(server, path, body)
    expect([response.status, JSON.stringify(await response.json()).includes('BAD_USER_INPUT')]).toEqual([status, true])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  test.each([
    ['variables', `{"a":${deepText(30_000)}}`],
    ['extensions', deepObjects(10_000)],
  ])('nested as deep as a frame can hold it, in %s: an error, and the socket lives', async (field, value) => {
    const server = await start()
    const socket = await connect(server)
    socket.send(`{"type":"subscribe","id":"1","payload":{"query":"{ me }","${field}":${value}}}`)
    expect((await socket.frame('error', '1')).payload).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', retryable: false, field } },
    ])
    socket.subscribe('2', '{ me }')
    expect((await socket.frame('next', '2')).payload).toEqual({ data: { me: 'alice' } })
  })

  const deepFrame = (type: string) => `{"type":"${type}","payload":{"a":${deepText(30_000)}}}`

  test('nested as deep as a frame can hold it, in a ping: cannot be echoed, and is no bug of ours', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.send(deepFrame('ping'))
    expect(await Promise.race([socket.closed(), socket.frame('pong')])).toMatchObject({ code: 4400 })
    expect(server.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('nested as deep as a frame can hold it, where nobody looks at it', async () => {
    const server = await start()
    const socket = await openSocket(server)
    socket.send(deepFrame('connection_init'))
    await socket.frame('connection_ack')
    socket.send(deepFrame('pong'))
    socket.send({ type: 'ping', payload: { after: 'it' } })
    expect(await Promise.race([socket.closed(), socket.frame('pong')])).toMatchObject({ payload: { after: 'it' } })
  })

  test('a byte order mark before a body is left out', async () => {
    const server = await start()
    const response = await raw(server, '/graphql', new TextEncoder().encode('\uFEFF{"query":"{ me }"}'))
    expect(await response.json()).toEqual({ data: { me: 'alice' } })
  })

  test('of two keys of the same name the last counts', async () => {
    const server = await start()
    const response = await raw(server, '/graphql', '{"query":"{ nobody }","query":"{ me }"}')
    expect(await response.json()).toEqual({ data: { me: 'alice' } })
    const socket = await connect(server)
    socket.send('{"type":"subscribe","id":"1","payload":{"query":"{ nobody }","query":"{ me }"}}')
    expect((await socket.frame('next', '1')).payload).toEqual({ data: { me: 'alice' } })
  })

  const wrongKinds = ['[]', '"text"', '7', 'true']

  test.each([
    ...wrongKinds.map((value) => ['variables', value]),
    ...wrongKinds.map((value) => ['extensions', value]),
    ...['[]', '{}', '7', 'true'].map((value) => ['operationName', value]),
    ...['[]', '{}', '7', 'true', 'null'].map((value) => ['query', value]),
    ['__proto__', '{"query":"{ me }"}'],
    ['constructor', '{}'],
  ])('%s that is %s is refused: 400, and 4400 on a socket', async (name, value) => {
    const server = await start()
    const fields = name === 'query' ? `"query":${value}` : `"query":"{ me }","${name}":${value}`
    const response = await raw(server, '/graphql', `{${fields}}`)
    expect(response.status).toBe(400)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
    const socket = await connect(server)
    socket.send(`{"type":"subscribe","id":"1","payload":{${fields}}}`)
    // The protocol has no word about other names.
    const isOther = name === '__proto__' || name === 'constructor'
    const answer = await Promise.race([socket.closed(), socket.frame('next', '1')])
    expect(answer).toMatchObject(isOther ? { payload: { data: { me: 'alice' } } } : { code: 4400 })
  })

  test.each([
    ['variables', '[]'],
    ['variables', '7'],
    ['variables', '"text"'],
    ['extensions', '[]'],
    ['extensions', 'true'],
    ['extensions', '{'],
  ])('%s in an address that is %s is refused', async (name, value) => {
    const server = await start()
    const response = await fetch(`${server.url}/graphql?${new URLSearchParams({ query: '{ me }', [name]: value })}`, {
      headers: { accept: 'application/json', authorization: await bearer('alice') },
    })
    expect(response.status).toBe(400)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })
})

describe('an address', () => {
  const get = async (server: Started, query: string, accept: string) =>
    fetch(`${server.url}/graphql?${new URLSearchParams({ query })}`, {
      headers: { accept, authorization: await bearer('alice') },
    })

  test('subscribes by server-sent events alone', async () => {
    const server = await start()
    const subscription = 'subscription { events { number } }'
    expect((await get(server, subscription, 'application/json')).status).toBe(406)
    const gone = new AbortController()
    const response = await fetch(`${server.url}/graphql?${new URLSearchParams({ query: subscription })}`, {
      headers: { accept: 'text/event-stream', authorization: await bearer('alice') },
      signal: gone.signal,
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ])
    gone.abort()
    await (await server.stage.source(1)).returned
  })

  test('changes nothing, by whatever name', async () => {
    const hash = createHash('sha256').update('mutation { hang }').digest('hex')
    const documents = new Map([[hash, 'mutation { hang }']])
    const server = await start({ config: { persistedOperations: { documents, only: false } } })
    expect((await get(server, 'mutation { hang }', 'application/json')).status).toBe(405)
    const named = await fetch(`${server.url}/graphql?documentId=${hash}`, { headers: { accept: 'application/json' } })
    expect(named.status).toBe(405)
  })
})

test('a batch is refused on every way in', async () => {
  const server = await start()
  const batch = [{ query: '{ me }' }, { query: '{ me }' }]
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: await jsonHeaders(),
    body: JSON.stringify(batch),
  })
  expect(response.status).toBe(400)
  for (const frame of [batch, { type: 'subscribe', id: '1', payload: batch }]) {
    const socket = await connect(server)
    socket.send(frame)
    expect(await socket.closed()).toMatchObject({ code: 4400 })
  }
})

test('a persisted document that cannot be run is one clear error at the start', async () => {
  const documents = new Map([
    ['1', '{ nobody }'],
    ['2', '{ me'],
    ['3', nested(30)],
    ['4', '{ me }'],
  ])
  const error = await start({ config: { persistedOperations: { documents, only: false } } }).catch((e: Error) => e)
  expect(error).toMatchObject({
    name: 'ConfigError',
    problems: [
      expect.stringMatching(/1: .*nobody/),
      expect.stringMatching(/2: Syntax/),
      expect.stringMatching(/3: .*deep/),
    ],
  })
})
