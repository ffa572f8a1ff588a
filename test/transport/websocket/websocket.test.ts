import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { bearer, connect, createManualClock, openSocket, post, type Started, start, token } from '../kit.ts'

const events = 'subscription { events { number } }'

/** The status an upgrade is refused with. */
async function refusal(server: Started, path: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, 'graphql-transport-ws', { headers })
  const [, response] = await once(socket, 'unexpected-response')
  socket.on('error', () => undefined)
  socket.terminate()
  return response.statusCode
}

describe('a socket', () => {
  test('runs queries, mutations and subscriptions for its viewer', async () => {
    const server = await start()
    const client = createClient({
      url: server.wsUrl,
      webSocketImpl: WebSocket,
      connectionParams: async () => ({ authorization: await bearer('alice') }),
    })
    onTestFinished(() => client.dispose())
    expect((await client.iterate({ query: '{ me }' }).next()).value).toEqual({ data: { me: 'alice' } })
    const query = 'mutation ($input: SendInput!) { send(input: $input) }'
    const variables = { input: { clientMessageId: '1', to: { userId: 'bob' }, body: 'hi' } }
    expect((await client.iterate({ query, variables }).next()).value).toEqual({ data: { send: 'hi' } })
    const stream = client.iterate({ query: events })
    const next = stream.next()
    const source = await server.stage.source()
    source.push(1)
    expect((await next).value).toEqual({ data: { events: { number: 1 } } })
    await stream.return?.()
    await source.returned
  })

  test('answers a ping of the protocol', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.send({ type: 'ping', payload: { a: 1 } })
    expect(await socket.frame('pong')).toEqual({ type: 'pong', payload: { a: 1 } })
  })

  test('lets go of its subscriptions when it closes', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    socket.socket.terminate()
    await source.returned
  })

  test('is counted while it is open', async () => {
    const server = await start()
    const socket = await connect(server)
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('parley_sockets 1')
    socket.subscribe('1', events)
    const source = await server.stage.source()
    socket.socket.terminate()
    await source.returned
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('parley_sockets 0')
  })
})

describe('who may connect', () => {
  const closed = { env: { GRAPHIQL: 'false' } }

  test.each([
    ['no payload', undefined],
    ['no token', {}],
    ['null', { authorization: null }],
    ['a bad token', { authorization: 'Bearer nonsense' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('%s closes with 4403', async (_what, payload) => {
    const server = await start(closed)
    const socket = await openSocket(server)
    expect(await socket.init(payload)).toMatchObject({ code: 4403 })
  })

  test('an expired token closes with 4403', async () => {
    const server = await start(closed)
    const socket = await openSocket(server)
    const authorization = await bearer('alice', { expiresAtMs: Date.now() - 60_000 })
    expect(await socket.init({ authorization })).toMatchObject({ code: 4403 })
  })

  test('while the keys cannot be fetched, the socket says to try again later', async () => {
    const server = await start({ config: { auth: { jwksUrl: 'http://127.0.0.1:1/keys' } } })
    const socket = await openSocket(server)
    const header = Buffer.from('{"alg":"ES256"}').toString('base64url')
    const [, claims] = (await token('alice')).split('.')
    expect(await socket.init({ authorization: `Bearer ${header}.${claims}.c2ln` })).toMatchObject({ code: 1013 })
  })

  test('nobody who says nothing: 4408', async () => {
    const server = await start()
    const socket = await openSocket(server)
    expect(await socket.closed()).toMatchObject({ code: 4408 })
  })

  test('nobody who starts before the acknowledgement: 4401', async () => {
    const server = await start()
    const socket = await openSocket(server)
    socket.subscribe('1', '{ me }')
    expect(await socket.closed()).toMatchObject({ code: 4401 })
  })

  test('pages of the same origin and of those allowed, and no others: 403', async () => {
    const server = await start({ env: { ALLOWED_ORIGINS: 'https://chat.example' } })
    for (const origin of [`http://127.0.0.1:${server.port}`, 'https://chat.example']) {
      const socket = await openSocket(server, { headers: { origin } })
      expect(socket.socket.readyState).toBe(WebSocket.OPEN)
    }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'nonsense']) {
      expect(await refusal(server, '/graphql', { origin })).toBe(403)
    }
  })

  test('there is a socket at /graphql only: 404', async () => {
    const server = await start()
    expect(await refusal(server, '/')).toBe(404)
    expect(await refusal(server, '/graphql/x')).toBe(404)
  })
})

describe('where GraphiQL is served', () => {
  test('an anonymous socket is accepted, and each operation brings its own token', async () => {
    const server = await start()
    const socket = await openSocket(server)
    expect(await socket.init({})).toMatchObject({ type: 'connection_ack' })
    for (const [id, userId, header] of [
      ['a', 'alice', 'authorization'],
      ['b', 'bob', 'Authorization'],
    ] as const) {
      socket.subscribe(id, '{ me }', { extensions: { headers: { [header]: await bearer(userId) } } })
      expect((await socket.frame('next', id)).payload).toEqual({ data: { me: userId } })
    }
  })

  test('an operation without a token gets no further than introspection', async () => {
    const server = await start()
    const socket = await openSocket(server)
    await socket.init()
    socket.subscribe('1', '{ me }')
    expect((await socket.frame('next', '1')).payload).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    })
    socket.subscribe('2', '{ __typename }')
    expect((await socket.frame('next', '2')).payload).toEqual({ data: { __typename: 'Query' } })
  })

  test('an operation with a bad token fails, and the socket lives', async () => {
    const server = await start()
    const socket = await openSocket(server)
    await socket.init()
    socket.subscribe('1', '{ __typename }', { extensions: { headers: { authorization: 'Bearer nonsense' } } })
    expect((await socket.frame('error', '1')).payload).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    socket.subscribe('2', '{ __typename }')
    await socket.frame('complete', '2')
  })

  test('a bad token in the connection is still refused', async () => {
    const server = await start()
    const socket = await openSocket(server)
    expect(await socket.init({ Authorization: 'Bearer nonsense' })).toMatchObject({ code: 4403 })
  })

  test('the token of a running operation closes the socket when it expires, that of a finished one does not', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const socket = await openSocket(server)
    await socket.init()
    const headers = async (seconds: number) => ({
      extensions: { headers: { authorization: await bearer('alice', { expiresAtMs: clock.now() + seconds * 1000 }) } },
    })
    socket.subscribe('query', '{ me }', await headers(2))
    await socket.frame('complete', 'query')
    socket.subscribe('stream', events, await headers(4))
    const source = await server.stage.source()
    await clock.advance(3000)
    source.push(1)
    await socket.frame('next', 'stream')
    await clock.advance(1000)
    expect(await socket.closed()).toMatchObject({ code: 4403 })
    await source.returned
  })
})

test('a socket is closed with 4403 when its token expires, and may come back with a fresh one', async () => {
  const clock = createManualClock()
  const server = await start({ clock })
  const socket = await connect(server, 'alice', { expiresAtMs: clock.now() + 4000 })
  socket.subscribe('1', events)
  const source = await server.stage.source()
  await clock.advance(3999)
  source.push(1)
  await socket.frame('next', '1')
  await clock.advance(1)
  expect(await socket.closed()).toMatchObject({ code: 4403 })
  await source.returned
  const again = await connect(server, 'alice', { expiresAtMs: clock.now() + 4000 })
  again.subscribe('1', '{ me }')
  await again.frame('next', '1')
})

describe('what breaks the protocol', () => {
  test.each([
    ['next', { type: 'next', id: '1', payload: { data: null } }],
    ['connection_ack', { type: 'connection_ack' }],
    ['error', { type: 'error', id: '1', payload: [{ message: 'x' }] }],
    ['a type nobody knows', { type: 'start', id: '1' }],
    ['no type', {}],
    ['a subscription without an id', { type: 'subscribe', payload: { query: '{ me }' } }],
    ['a subscription without a query', { type: 'subscribe', id: '1', payload: {} }],
    ['variables that are no object', { type: 'subscribe', id: '1', payload: { query: '{ me }', variables: [] } }],
    ['malformed JSON', '{"type":'],
    ['an array', []],
    ['deep nonsense', '['.repeat(30_000)],
  ])('%s closes with 4400', async (_what, frame) => {
    const server = await start()
    const socket = await connect(server)
    socket.send(frame)
    expect(await socket.closed()).toMatchObject({ code: 4400 })
  })

  test.each([[['graphql-ws']], [['nonsense', 'other']], [[]]])(
    'the subprotocols %j close with 4406',
    async (protocols) => {
      const server = await start()
      const socket = await openSocket(server, { protocols })
      expect(await socket.closed()).toMatchObject({ code: 4406 })
    },
  )

  test('the right subprotocol is found among others', async () => {
    const server = await start()
    const socket = await openSocket(server, { protocols: ['graphql-ws', 'graphql-transport-ws'] })
    expect(socket.socket.protocol).toBe('graphql-transport-ws')
  })

  test('a second introduction closes with 4429, a second use of an id with 4409', async () => {
    const server = await start()
    const twice = await connect(server)
    twice.send({ type: 'connection_init' })
    expect(await twice.closed()).toMatchObject({ code: 4429 })
    const same = await connect(server)
    same.subscribe('1', events)
    same.subscribe('1', events)
    expect(await same.closed()).toMatchObject({ code: 4409 })
  })

  test('a frame of more than 64 KB closes with 1009, one of 64 KB does not', async () => {
    const server = await start()
    const socket = await connect(server)
    const frameOf = (bytes: number) => {
      const empty = JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ me }#' } })
      return empty.replace('#', `#${'x'.repeat(bytes - empty.length)}`)
    }
    socket.send(frameOf(64 * 1024))
    await socket.frame('next', '1')
    socket.send(frameOf(64 * 1024 + 1))
    expect(await socket.closed()).toMatchObject({ code: 1009 })
  })
})

describe('what fails one operation only', () => {
  test.each([
    ['a syntax error', '{', 'GRAPHQL_PARSE_FAILED'],
    ['a field nobody knows', '{ nobody }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an operation that cannot be told', 'query A { me } query B { me }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a document too deep', `{ ${'node { '.repeat(3000)}id${' }'.repeat(3000)} }`, 'QUERY_TOO_COMPLEX'],
    ['an empty document', '', 'GRAPHQL_PARSE_FAILED'],
  ])('%s is an error of that operation', async (_what, query, code) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', query)
    expect((await socket.frame('error', '1')).payload).toMatchObject([{ extensions: { code, retryable: false } }])
    socket.subscribe('1', '{ me }')
    expect((await socket.frame('next', '1')).payload).toEqual({ data: { me: 'alice' } })
  })

  test('the 101st operation at a time', async () => {
    const server = await start()
    const socket = await connect(server)
    for (let index = 0; index < 100; index += 1) socket.subscribe(`s${index}`, events)
    const source = await server.stage.source(99)
    socket.subscribe('one more', events)
    expect((await socket.frame('error', 'one more')).payload).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: expect.any(Number) } },
    ])
    source.end()
    await socket.frame('complete', 's99')
    socket.subscribe('another', '{ me }')
    expect((await socket.frame('next', 'another')).payload).toEqual({ data: { me: 'alice' } })
  })
})

describe('a peer that is gone without a word', () => {
  async function silentPeer(server: Started) {
    const peer = connectTcp(server.port, '127.0.0.1')
    onTestFinished(() => void peer.destroy())
    peer.write(
      [
        'GET /graphql HTTP/1.1',
        `Host: 127.0.0.1:${server.port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Protocol: graphql-transport-ws',
        '\r\n',
      ].join('\r\n'),
    )
    await once(peer, 'data')
    return peer
  }

  /** A beat waits for what has come before it looks. */
  async function beatAfter(clock: ReturnType<typeof createManualClock>, ms: number): Promise<void> {
    await clock.advance(ms)
    await new Promise(setImmediate)
  }

  test('is found within thirty seconds', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const peer = await silentPeer(server)
    const closed = once(peer.resume(), 'close')
    for (const ms of [5000, 5000, 5000, 5000, 5000, 4900]) await beatAfter(clock, ms)
    await closed
  })

  test('one that answers pings stays, and is pinged only after it was silent for four beats', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const socket = await connect(server)
    let pings = 0
    socket.socket.on('ping', () => {
      pings += 1
    })
    // It has introduced itself since it was opened.
    await clock.advance(5000)
    for (let silences = 1; silences <= 3; silences += 1) {
      const pinged = once(socket.socket, 'ping')
      for (const ms of [5000, 5000, 5000]) await beatAfter(clock, ms)
      expect(pings).toBe(silences - 1)
      await clock.advance(5000)
      await pinged
      socket.subscribe(`${silences}`, '{ me }')
      await socket.frame('next', `${silences}`)
      await clock.advance(5000)
      socket.subscribe(`${silences} again`, '{ me }')
      await socket.frame('next', `${silences} again`)
      await clock.advance(5000)
      expect(pings).toBe(silences)
    }
  })

  test('one whose answer lies unread, because the node was late itself, stays', async () => {
    const clock = createManualClock()
    const server = await start({ clock })
    const socket = await connect(server)
    for (const ms of [5000, 5000, 5000, 5000]) await beatAfter(clock, ms)
    // The pong is written; the node's next beat comes before it could read it.
    const late = once(socket.socket, 'ping').then(() => clock.advance(5000))
    await clock.advance(5000)
    await late
    await new Promise(setImmediate)
    const pinged = once(socket.socket, 'ping')
    for (const ms of [5000, 5000, 5000, 5000]) await beatAfter(clock, ms)
    await pinged
    socket.subscribe('1', '{ me }')
    await socket.frame('next', '1')
  })
})

test('the same question has the same answer over HTTP and WebSocket', async () => {
  const server = await start()
  const socket = await connect(server)
  const questions = ['{ me name echo(text: "a") }', '{ maybe refused(code: "FORBIDDEN") }', 'query ($a: Int!) { me }']
  for (const [index, query] of questions.entries()) {
    socket.subscribe(`${index}`, query)
    const frame = (await socket.framesOf(`${index}`, 1))[0]
    const { status: _status, headers: _headers, ...answer } = await post(server, query)
    expect(frame?.type === 'error' ? { errors: frame.payload } : frame?.payload).toEqual(answer)
  }
})
