import { describe, expect, test } from 'vitest'
import { bearer, codes, createManualClock, post, type Started, start } from '../kit.ts'

const get = (server: Started, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { accept: 'application/json', ...headers },
  })

const raw = (server: Started, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

describe('a query', () => {
  test('is answered for the viewer of the token', async () => {
    const server = await start()
    const authorization = await bearer('bob', { claims: { name: 'Bob' } })
    expect(await post(server, '{ me name }', { authorization })).toMatchObject({
      status: 200,
      data: { me: 'bob', name: 'Bob' },
    })
  })

  test('may come by GET', async () => {
    const server = await start()
    const query = 'query ($text: String!) { echo(text: $text) me }'
    const parameters = { query, variables: JSON.stringify({ text: 'é😀' }) }
    const response = await get(server, parameters, { authorization: await bearer('alice') })
    expect(await response.json()).toEqual({ data: { echo: 'é😀', me: 'alice' } })
  })

  test('gets a context of its own', async () => {
    const server = await start()
    const [one, two] = [await post(server, '{ contextNumber }'), await post(server, '{ contextNumber }')]
    expect(one.data?.contextNumber).not.toBe(two.data?.contextNumber)
  })

  test('that takes too long is UNAVAILABLE, and its work is not broken off', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const answer = post(server, '{ hang }')
    await server.stage.hanging()
    await clock.advance(2500)
    expect(await answer).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE', retryable: true } }] })
  })
})

describe('without a good token', () => {
  test('introspection is open to anybody', async () => {
    const server = await start()
    const { data } = await post(server, '{ __schema { queryType { name } } }', { authorization: undefined })
    expect(data).toEqual({ __schema: { queryType: { name: 'Query' } } })
  })

  test('a missing token is for the fields to refuse', async () => {
    const server = await start()
    const answer = await post(server, '{ me }', { authorization: undefined })
    expect(answer).toMatchObject({ status: 200, errors: [{ path: ['me'], extensions: { code: 'UNAUTHENTICATED' } }] })
  })

  test.each(['Bearer nonsense', 'Basic YTpi', ''])(
    'a bad one fails the whole operation: "%s"',
    async (authorization) => {
      const server = await start()
      const answer = await post(server, '{ __typename }', { authorization })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(answer).not.toHaveProperty('data')
      expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', retryable: false } }])
    },
  )
})

describe('what is refused', () => {
  test('a mutation by GET', async () => {
    const server = await start()
    const response = await get(server, { query: 'mutation { hang }' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })

  test('a batch', async () => {
    const server = await start()
    const response = await raw(server, '[{"query":"{ me }"},{"query":"{ me }"}]')
    expect(response.status).toBe(400)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })

  test.each([
    ['malformed JSON', '{"query":'],
    ['JSON that is no object', '"query"'],
    ['null', 'null'],
    ['no query', '{}'],
    ['a query that is no text', '{"query":7}'],
    ['variables that are no object', '{"query":"{ me }","variables":[]}'],
    ['a parameter nobody knows', '{"query":"{ me }","que":1}'],
    ['an empty body', ''],
  ])('%s', async (_what, body) => {
    const server = await start()
    const response = await raw(server, body, { accept: 'application/graphql-response+json' })
    expect(response.status).toBe(400)
    const answer = (await response.json()) as never
    expect(codes(answer)).toEqual(['BAD_USER_INPUT'])
    expect(JSON.stringify(answer)).not.toMatch(/http|unexpected|originalError|stack/)
  })

  test('malformed JSON in the address of a GET', async () => {
    const server = await start()
    const response = await get(server, { query: '{ me }', variables: '{' })
    expect(response.status).toBe(400)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })

  test('a body that is not UTF-8', async () => {
    const server = await start()
    const response = await raw(server, new Uint8Array([0x7b, 0xff, 0x7d]))
    expect(response.status).toBe(400)
  })

  test('a body of another kind', async () => {
    const server = await start()
    const response = await raw(server, '{ me }', { 'content-type': 'text/plain' })
    expect(response.status).toBe(415)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })

  test('a subscription for somebody who does not take events, and its source is let go', async () => {
    const server = await start()
    const response = await raw(server, JSON.stringify({ query: 'subscription { events { number } }' }), {
      accept: 'application/json',
      authorization: await bearer('alice'),
    })
    expect(response.status).toBe(406)
    await (await server.stage.source()).returned
  })
})

describe('documents', () => {
  test('a syntax error is GRAPHQL_PARSE_FAILED, where it is', async () => {
    const server = await start()
    const { status, errors } = await post(server, '{ me', { accept: 'application/graphql-response+json' })
    expect(status).toBe(400)
    expect(errors).toMatchObject([
      { locations: [{ line: 1, column: 5 }], extensions: { code: 'GRAPHQL_PARSE_FAILED', retryable: false } },
    ])
  })

  test('a field nobody knows is GRAPHQL_VALIDATION_FAILED, also the second time', async () => {
    const server = await start()
    for (const _time of [1, 2]) {
      const { status, errors } = await post(server, '{ nobody }', { accept: 'application/graphql-response+json' })
      expect(status).toBe(400)
      expect(errors).toEqual([
        {
          message: expect.stringContaining('nobody'),
          locations: [{ line: 1, column: 3 }],
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', retryable: false },
        },
      ])
    }
  })

  test('an older client gets the same with status 200', async () => {
    const server = await start()
    expect(await post(server, '{ nobody }')).toMatchObject({ status: 200 })
  })

  test('an operation that cannot be told is GRAPHQL_VALIDATION_FAILED', async () => {
    const server = await start()
    const several = 'query A { me } query B { me }'
    expect(codes(await post(server, several))).toEqual(['GRAPHQL_VALIDATION_FAILED'])
    expect(codes(await post(server, several, { operationName: 'C' }))).toEqual(['GRAPHQL_VALIDATION_FAILED'])
    expect(await post(server, several, { operationName: 'B' })).toMatchObject({ data: { me: 'alice' } })
  })

  test.each([
    ['a query 3,000 levels deep', `{ ${'node { '.repeat(3000)}id${' }'.repeat(3000)} }`],
    ['a list nested 20,000 times', `{ list(values: ${'['.repeat(20_000)}${']'.repeat(20_000)}) }`],
    ['very many fields', `{ ${'me '.repeat(3000)} }`],
  ])('%s is QUERY_TOO_COMPLEX', async (_what, query) => {
    const server = await start()
    expect((await post(server, query)).errors).toMatchObject([
      { extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } },
    ])
  })

  test('variables nested as deep as a body can hold them are refused quickly and politely', async () => {
    const server = await start()
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`
    const query = 'query ($values: [[[[Int]]]]) { list(values: $values) }'
    const response = await raw(server, `{"query":"${query}","variables":{"values":${deep}}}`)
    expect(codes((await response.json()) as never)).toEqual(['BAD_USER_INPUT'])
  })
})

test('each operation leaves one line and one count, without what it carried', async () => {
  const server = await start()
  const send = 'mutation Send($input: SendInput!) { send(input: $input) }'
  const input = { clientMessageId: '1', to: { userId: 'bob' }, body: 'a private word' }
  const authorization = await bearer('alice')
  await post(server, send, { variables: { input }, authorization })
  await post(server, 'query Broken { broken maybe }', { authorization })
  await post(server, '{ nobody }', { authorization })
  const lines = server.lines.filter(({ msg }) => msg === 'operation')
  expect(lines).toMatchObject([
    { operation: 'Send', type: 'mutation', transport: 'http', codes: [], durationMs: expect.any(Number) },
    { operation: 'Broken', type: 'query', transport: 'http', codes: ['INTERNAL'] },
    { type: 'unknown', transport: 'http', codes: ['GRAPHQL_VALIDATION_FAILED'] },
  ])
  const everything = JSON.stringify(server.lines)
  expect(everything).not.toContain('a private word')
  expect(everything).not.toContain(authorization.slice(-20))
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('parley_operations_total{type="mutation",transport="http",code="OK"} 1')
  expect(metrics).toContain('parley_operations_total{type="query",transport="http",code="INTERNAL"} 1')
  expect(metrics).toContain('parley_operation_duration_seconds_count{type="mutation",transport="http"} 1')
})
