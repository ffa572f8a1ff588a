import { describe, expect, test } from 'vitest'
import { bearer, connect, openSocket, post, start } from '../kit.ts'

const send = 'mutation ($input: SendInput!) { send(input: $input) }'
const good = { clientMessageId: 'c1', to: { userId: 'bob' }, body: 'hi' }

describe('an error of the domain', () => {
  test('keeps its code, words and details, and where it happened', async () => {
    const server = await start()
    const { data, errors } = await post(server, '{ refused(code: "RATE_LIMITED") maybe }')
    expect(data).toEqual({ refused: null, maybe: null })
    expect(errors).toEqual([
      {
        message: 'Refused.',
        locations: [{ line: 1, column: 3 }],
        path: ['refused'],
        extensions: { code: 'RATE_LIMITED', retryable: true, field: 'code', retryAfterMs: 1500 },
      },
    ])
  })

  test('keeps its cause for the log', async () => {
    const server = await start()
    await post(server, '{ refused(code: "UNAVAILABLE") }')
    expect(server.lines).toContainEqual(
      expect.objectContaining({ code: 'UNAVAILABLE', err: expect.objectContaining({ message: 'hidden cause' }) }),
    )
  })

  test('is the same over a WebSocket', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', '{ refused(code: "NOT_FOUND") }')
    const { payload } = await socket.frame('next', '1')
    const { data, errors } = await post(server, '{ refused(code: "NOT_FOUND") }')
    expect(payload).toEqual({ data, errors })
  })
})

describe('an error nobody foresaw', () => {
  test('is INTERNAL, says nothing, and is logged under the id it carries', async () => {
    const server = await start()
    const { errors } = await post(server, '{ broken }')
    expect(errors).toMatchObject([{ path: ['broken'], extensions: { code: 'INTERNAL', retryable: true } }])
    expect(JSON.stringify(errors)).not.toContain('internals')
    const errorId = errors?.[0]?.extensions.errorId
    expect(server.lines).toContainEqual(
      expect.objectContaining({
        errorId,
        err: expect.objectContaining({
          message: 'select * from internals',
          stack: expect.stringContaining('schema.ts'),
        }),
      }),
    )
  })

  test('so is a value the schema cannot express', async () => {
    const server = await start()
    const { errors } = await post(server, '{ brokenNumber }')
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL', errorId: expect.any(String) } }])
    expect(JSON.stringify(errors)).not.toContain('not a number')
  })
})

describe('an input of the wrong kind is BAD_USER_INPUT and names the field', () => {
  test.each([
    ['clientMessageId', { ...good, clientMessageId: { a: 1 } }],
    ['body', { ...good, body: 7 }],
    ['body', { clientMessageId: 'c1', to: { userId: 'bob' } }],
    ['to', { ...good, to: {} }],
    ['to', { ...good, to: { userId: 'bob', conversationId: 'dm_1' } }],
    ['to.userId', { ...good, to: { userId: [] } }],
    ['subject', { ...good, subject: 'x' }],
    ['after.0.seq', { ...good, after: [{ conversationId: 'dm_1', seq: 'x' }] }],
    ['after.1.seq', { ...good, after: [{ conversationId: 'dm_1', seq: 1 }, { conversationId: 'dm_1' }] }],
    ['input', 'text'],
    ['input', null],
    ['input', undefined],
  ])('%s: %j', async (field, input) => {
    const server = await start()
    const { status, data, errors } = await post(server, send, {
      variables: { input },
      accept: 'application/graphql-response+json',
    })
    expect(status).toBe(400)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', retryable: false, field } }])
  })

  test('a list in a variable of its own is named with it', async () => {
    const server = await start()
    const query = 'query ($after: [Position!]) { positions(after: $after) }'
    const { errors } = await post(server, query, { variables: { after: [{ conversationId: 'dm_1', seq: 1.5 }] } })
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'after.0.seq' } }])
  })

  test('also an argument that turns out null', async () => {
    const server = await start()
    const { errors } = await post(server, 'query ($text: String = "x") { echo(text: $text) }', {
      variables: { text: null },
    })
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'text' } }])
  })

  test('and the same over a WebSocket', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', send, { variables: { input: { ...good, to: { userId: [] } } } })
    const { payload } = await socket.frame('next', '1')
    expect(payload).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', field: 'to.userId' } }] })
    expect(payload).not.toHaveProperty('errors.0.extensions.http')
  })
})

test('nothing of how HTTP is answered shows on a WebSocket', async () => {
  const server = await start()
  const socket = await openSocket(server)
  await socket.init({ authorization: await bearer('alice') })
  for (const [id, query] of Object.entries({
    syntax: '{',
    validation: '{ nobody }',
    both: 'query A { me } query B { me }',
  })) {
    socket.subscribe(id, query)
    const { payload } = await socket.frame('error', id)
    const [{ extensions }] = payload as [{ extensions: object }]
    expect(Object.keys(extensions)).toEqual(['code', 'retryable'])
  }
})
