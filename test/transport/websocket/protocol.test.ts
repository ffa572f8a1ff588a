// graphql-transport-ws, sentence by sentence, on real sockets.

import { describe, expect, test } from 'vitest'
import { bearer, connect, createManualClock, openSocket, type Socket, type Started, start } from '../kit.ts'

const events = 'subscription { events { number text } }'

/** Resolves when the server has dealt with everything that was sent before. */
async function settled(socket: Socket): Promise<void> {
  const id = `settled ${socket.frames.length}`
  socket.subscribe(id, '{ me }')
  await socket.frame('complete', id)
}

const typesOf = (socket: Socket, id: string) => socket.frames.filter((frame) => frame.id === id).map(({ type }) => type)

describe('4400: what is no message of the protocol, or none of a client', () => {
  const query = '{ me }'
  const invalid: [what: string, frame: unknown][] = [
    ['no JSON', 'hello'],
    ['nothing', ''],
    ['half of a message', '{"type":"ping"'],
    ['two messages', '{"type":"ping"}{"type":"ping"}'],
    ['null', 'null'],
    ['a string', '"ping"'],
    ['a number', '1'],
    ['an array of messages', [{ type: 'ping' }]],
    ['no type', { id: '1' }],
    ['an empty type', { type: '' }],
    ['a type that is no string', { type: ['ping'] }],
    ['a type of another protocol', { type: 'start', id: '1', payload: { query } }],
    ['a type in other letters', { type: 'Ping' }],
    ['a type that every object has', { type: 'constructor' }],
    ['ping with a payload that is no object', { type: 'ping', payload: 'x' }],
    ['ping with a list for a payload', { type: 'ping', payload: [] }],
    ['pong with a payload that is no object', { type: 'pong', payload: 1 }],
    ['connection_init with a payload that is no object', { type: 'connection_init', payload: 'Bearer x' }],
    ['subscribe without an id', { type: 'subscribe', payload: { query } }],
    ['subscribe with an empty id', { type: 'subscribe', id: '', payload: { query } }],
    ['subscribe with a number for an id', { type: 'subscribe', id: 1, payload: { query } }],
    ['subscribe without a payload', { type: 'subscribe', id: '1' }],
    ['subscribe with a list for a payload', { type: 'subscribe', id: '1', payload: [] }],
    ['subscribe without a query', { type: 'subscribe', id: '1', payload: {} }],
    ['subscribe with a query that is no string', { type: 'subscribe', id: '1', payload: { query: { query } } }],
    [
      'subscribe with variables that are no object',
      { type: 'subscribe', id: '1', payload: { query, variables: '{}' } },
    ],
    ['subscribe with a list of variables', { type: 'subscribe', id: '1', payload: { query, variables: [1] } }],
    [
      'subscribe with an operationName that is no string',
      { type: 'subscribe', id: '1', payload: { query, operationName: 1 } },
    ],
    [
      'subscribe with extensions that are no object',
      { type: 'subscribe', id: '1', payload: { query, extensions: 'x' } },
    ],
    ['complete without an id', { type: 'complete' }],
    ['complete with an empty id', { type: 'complete', id: '' }],
    ['complete with a number for an id', { type: 'complete', id: 1 }],
    ['connection_ack', { type: 'connection_ack' }],
    ['next', { type: 'next', id: '1', payload: { data: null } }],
    ['next of nothing', { type: 'next' }],
    ['error', { type: 'error', id: '1', payload: [{ message: 'x' }] }],
    ['deep nesting', `{"type":"ping","payload":${'{"a":'.repeat(10_000)}`],
  ]

  test.each(invalid)('%s', async (_what, frame) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('stream', events)
    const source = await server.stage.source()
    socket.send(frame)
    expect(await socket.closed()).toEqual({ code: 4400, reason: expect.stringMatching(/^\w+ message received$/) })
    await source.returned
  })

  test('the same before anybody has introduced themselves', async () => {
    const server = await start()
    for (const frame of ['hello', { type: 'connection_ack' }]) {
      const socket = await openSocket(server)
      socket.send(frame)
      expect(await socket.closed()).toMatchObject({ code: 4400 })
    }
  })

  test('a binary frame, whatever is in it', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.socket.send(Buffer.from('{"type":"ping"}'), { binary: true })
    expect(await socket.closed()).toEqual({ code: 4400, reason: 'Expected a text frame' })
  })

  test('what comes after it is not looked at', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.send('hello')
    socket.subscribe('1', '{ me }')
    socket.send({ type: 'ping' })
    await socket.closed()
    expect(socket.frames.map(({ type }) => type)).toEqual(['connection_ack'])
  })
})

test('1007: a text frame that is no UTF-8', async () => {
  const server = await start()
  const socket = await connect(server)
  socket.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false })
  expect(await socket.closed()).toMatchObject({ code: 1007 })
})

describe('4401: operations only after the acknowledgement', () => {
  const unauthorized = { code: 4401, reason: 'Unauthorized' }

  test('not before connection_init', async () => {
    const socket = await openSocket(await start())
    socket.subscribe('1', '{ __typename }')
    expect(await socket.closed()).toEqual(unauthorized)
  })

  test('not while the token is still being looked at', async () => {
    const socket = await openSocket(await start())
    socket.send({ type: 'connection_init', payload: { authorization: await bearer('alice') } })
    socket.subscribe('1', '{ me }')
    expect(await socket.closed()).toEqual(unauthorized)
    expect(socket.frames).toEqual([])
  })
})

describe('4403 and 4406: who is not let in', () => {
  test('a bad token is forbidden', async () => {
    const socket = await openSocket(await start())
    expect(await socket.init({ authorization: 'Bearer nonsense' })).toEqual({ code: 4403, reason: 'Token malformed' })
  })

  test('another subprotocol is not acceptable', async () => {
    const socket = await openSocket(await start(), { protocols: ['graphql-ws'] })
    expect(await socket.closed()).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' })
  })
})

describe('4408: connection_init within three seconds', () => {
  async function silent() {
    const clock = createManualClock()
    const socket = await openSocket(await start({ clock }))
    await clock.sleeper(3000)
    return { clock, socket }
  }
  const timeout = { code: 4408, reason: 'Connection initialisation timeout' }

  test('not later', async () => {
    const { clock, socket } = await silent()
    await clock.advance(3000)
    expect(await socket.closed()).toEqual(timeout)
  })

  test('other messages are no introduction', async () => {
    const { clock, socket } = await silent()
    await clock.advance(2999)
    socket.send({ type: 'ping' })
    await socket.frame('pong')
    await clock.advance(1)
    expect(await socket.closed()).toEqual(timeout)
  })

  test('whoever has introduced themselves may be silent', async () => {
    const { clock, socket } = await silent()
    await socket.init({ authorization: await bearer('alice') })
    await clock.advance(3000)
    await settled(socket)
  })
})

describe('4409: one operation per id', () => {
  test.each([
    ['a subscription', events, (server: Started) => server.stage.source()],
    ['a query', '{ hang }', (server: Started) => server.stage.hanging()],
    ['a mutation', 'mutation { hang }', (server: Started) => server.stage.hanging()],
  ])('while %s runs', async (_what, query, running) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('x', query)
    await running(server)
    socket.subscribe('x', '{ me }')
    expect(await socket.closed()).toEqual({ code: 4409, reason: 'Subscriber for x already exists' })
  })

  test('also right after the first', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('x', '{ hang }')
    socket.subscribe('x', '{ me }')
    expect(await socket.closed()).toMatchObject({ code: 4409 })
  })

  test.each([
    ['long', 'x'.repeat(500)],
    ['long in other letters', '🦜'.repeat(200)],
    ['that every object has', '__proto__'],
  ])('with an id %s', async (_what, id) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe(id, events)
    socket.subscribe(id, events)
    const { code, reason } = await socket.closed()
    expect(code).toBe(4409)
    expect(`Subscriber for ${id} already exists`).toContain(reason)
    expect(reason.length).toBeGreaterThan(20)
  })

  test('an id may be used again when its operation is over, however it ended', async () => {
    const server = await start()
    const socket = await connect(server)
    for (const query of ['{ me }', '{', 'subscription { refused { number } }', '{ me }']) {
      const before = socket.frames.length
      socket.subscribe('x', query)
      await socket.framesOf('x', 1)
      while (!socket.frames.slice(before).some(({ type }) => type === 'complete' || type === 'error')) {
        await new Promise(setImmediate)
      }
    }
    expect(typesOf(socket, 'x')).toEqual(['next', 'complete', 'error', 'error', 'next', 'complete'])
  })

  test('a hundred times at once, each as soon as the last is over', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data))
      if (type === 'complete' && id === 'x' && typesOf(socket, 'x').length < 200) socket.subscribe('x', '{ me }')
    })
    socket.subscribe('x', '{ me }')
    await socket.framesOf('x', 200)
    await settled(socket)
  })
})

describe('4429: one introduction', () => {
  const tooMany = { code: 4429, reason: 'Too many initialisation requests' }

  test('not a second one, and what runs is let go of', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    socket.send({ type: 'connection_init' })
    expect(await socket.closed()).toEqual(tooMany)
    await source.returned
  })

  test('not even while the first is being looked at', async () => {
    const socket = await openSocket(await start())
    const payload = { authorization: await bearer('alice') }
    socket.send({ type: 'connection_init', payload })
    socket.send({ type: 'connection_init', payload })
    expect(await socket.closed()).toEqual(tooMany)
    expect(socket.frames).toEqual([])
  })
})

describe('ping and pong', () => {
  test.each([
    ['no payload', { type: 'ping' }, { type: 'pong' }],
    ['null', { type: 'ping', payload: null }, { type: 'pong' }],
    ['an empty payload', { type: 'ping', payload: {} }, { type: 'pong', payload: {} }],
    ['a payload', { type: 'ping', payload: { a: [1] } }, { type: 'pong', payload: { a: [1] } }],
  ])('%s is answered in kind, at any time', async (_what, ping, pong) => {
    const server = await start()
    const socket = await openSocket(server)
    socket.send(ping)
    expect(await socket.frame('pong')).toEqual(pong)
    await socket.init({ authorization: await bearer('alice') })
    socket.send(ping)
    await settled(socket)
    expect(socket.frames.filter(({ type }) => type === 'pong')).toEqual([pong, pong])
  })

  test('a pong nobody asked for is no mistake', async () => {
    const socket = await openSocket(await start())
    socket.send({ type: 'pong' })
    await socket.init({ authorization: await bearer('alice') })
    socket.send({ type: 'pong', payload: { a: 1 } })
    await settled(socket)
  })
})

describe('how an operation ends', () => {
  test.each([
    ['a query', '{ me }', ['next', 'complete']],
    [
      'a mutation',
      'mutation { send(input: {clientMessageId: "1", to: {userId: "b"}, body: "x"}) }',
      ['next', 'complete'],
    ],
    ['a query whose fields fail', '{ broken }', ['next', 'complete']],
    ['a syntax error', '{ me', ['error']],
    ['a document that is not valid', '{ nobody }', ['error']],
    ['a subscription that is refused', 'subscription { refused { number } }', ['error']],
  ])('%s', async (_what, query, types) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', query)
    await socket.framesOf('1', types.length)
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual(types)
  })

  test('a subscription: its events, then complete', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    source.push(1, 2)
    source.end()
    await socket.frame('complete', '1')
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual(['next', 'next', 'complete'])
  })

  test('a subscription that fails: error, and no complete', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    source.push(1)
    await socket.frame('next', '1')
    source.fail(new Error('the backend is gone'))
    expect((await socket.frame('error', '1')).payload).toMatchObject([{ extensions: { code: 'INTERNAL' } }])
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual(['next', 'error'])
  })
})

describe('complete by the client', () => {
  test('for an id that nobody knows, or that is over, is ignored', async () => {
    const server = await start()
    const socket = await openSocket(server)
    socket.send({ type: 'complete', id: 'unknown' })
    await socket.init({ authorization: await bearer('alice') })
    socket.subscribe('1', '{ me }')
    await socket.frame('complete', '1')
    for (const id of ['unknown', '1', '1', '__proto__']) socket.send({ type: 'complete', id })
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual(['next', 'complete'])
  })

  test('ends the source, and is not answered', async () => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', events)
    const source = await server.stage.source()
    socket.send({ type: 'complete', id: '1' })
    await source.returned
    source.push(1)
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual([])
  })

  test('while an event is being resolved: it is not sent', async () => {
    const server = await start()
    const socket = await connect(server)
    server.stage.hangText = true
    socket.subscribe('1', events)
    const source = await server.stage.source()
    source.push(1)
    await server.stage.hanging()
    socket.send({ type: 'complete', id: '1' })
    await settled(socket)
    server.stage.releaseAll()
    await source.returned
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual([])
  })

  test.each(['{ hang }', 'mutation { hang }'])('%s that has not resolved: its result is not sent', async (query) => {
    const server = await start()
    const socket = await connect(server)
    socket.subscribe('1', query)
    await server.stage.hanging()
    socket.send({ type: 'complete', id: '1' })
    await settled(socket)
    server.stage.releaseAll()
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual([])
  })

  test('in the same breath as subscribe: nothing is sent but what was answered before it was read', async () => {
    const server = await start()
    const socket = await connect(server)
    for (const [id, query] of [
      ['1', events],
      ['2', '{ me }'],
      ['3', '{'],
    ] as const) {
      socket.subscribe(id, query)
      socket.send({ type: 'complete', id })
    }
    await settled(socket)
    expect(typesOf(socket, '1')).toEqual([])
    expect([[], ['next', 'complete']]).toContainEqual(typesOf(socket, '2'))
    expect([[], ['error']]).toContainEqual(typesOf(socket, '3'))
  })

  test('an id used again at once gets the results of its new operation only', async () => {
    // The server of graphql-ws sends the results of both, see src/engine/websocket/README.md.
    const server = await start({ env: { WEBSOCKET_PROTOCOL: 'lean' } })
    const socket = await connect(server)
    socket.subscribe('1', '{ hang }')
    await server.stage.hanging()
    socket.send({ type: 'complete', id: '1' })
    socket.subscribe('1', events)
    const source = await server.stage.source()
    server.stage.releaseAll()
    await settled(socket)
    source.push(1)
    await socket.frame('next', '1')
    source.end()
    await socket.frame('complete', '1')
    await settled(socket)
    expect(socket.frames.filter(({ id }) => id === '1')).toEqual([
      { id: '1', type: 'next', payload: { data: { events: { number: 1, text: 'event 1' } } } },
      { id: '1', type: 'complete' },
    ])
  })

  test('does not make room for more than a hundred at work', async () => {
    const server = await start()
    const socket = await connect(server)
    const ids = Array.from({ length: 100 }, (_, index) => `q${index}`)
    for (const id of ids) socket.subscribe(id, '{ hang }')
    await server.stage.hanging(100)
    for (const id of ids) socket.send({ type: 'complete', id })
    socket.subscribe('more', '{ me }')
    await socket.framesOf('more', 1)
    const [frame] = socket.frames.filter(({ id }) => id === 'more')
    expect(frame?.type === 'error' && frame.payload).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
  })
})
