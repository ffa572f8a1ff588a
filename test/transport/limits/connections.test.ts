import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createTokens } from '../../../packages/client/src/link/tokens.ts'
import { openWebSocketLink } from '../../../packages/client/src/link/websocket-link.ts'
import { readConfig } from '../../../src/config/config.ts'
import { createClientAddress } from '../../../src/transport/http/client-address.ts'
import { bearer, connect, createManualClock, openEvents, openSocket, type Started, start, token } from '../kit.ts'

const events = 'subscription { events { number } }'

/** 101, or the status the upgrade is refused with. */
async function knock(server: Started, address = '192.0.2.1') {
  const headers = { 'x-forwarded-for': address }
  const socket = new WebSocket(server.wsUrl, 'graphql-transport-ws', { headers })
  socket.on('error', () => undefined)
  const refused = once(socket, 'unexpected-response').then(([, response]) => response as IncomingMessage)
  const opened = once(socket, 'open').then(() => undefined)
  const response = await Promise.race([opened, refused])
  if (!response) return { status: 101, socket, retryAfter: undefined }
  socket.terminate()
  return { status: response.statusCode, socket, retryAfter: response.headers['retry-after'] }
}

const refusals = async ({ url }: Started, reason: string) =>
  (await (await fetch(`${url}/metrics`)).text()).includes(`parley_refusals_total{reason="${reason}"} 1`)

const proxied = (env: Record<string, string> = {}) => ({ env: { TRUSTED_PROXIES: '1', ...env } })

const connectionLimits = (override: Record<string, number>) => {
  const { traffic } = readConfig({ TRUSTED_PROXIES: '1' })
  return { config: { traffic: { ...traffic, connectionLimits: { ...traffic.connectionLimits, ...override } } } }
}

/** Tries until it succeeds: the server hears of a closed socket in its own time. */
async function eventually(attempt: () => Promise<boolean>): Promise<void> {
  while (!(await attempt()));
}

describe('sockets of an address', () => {
  test('beyond the limit are refused with 429, and those of others are not', async () => {
    const server = await start(proxied({ SOCKETS_PER_ADDRESS: '2' }))
    const first = await knock(server)
    expect([first.status, (await knock(server)).status]).toEqual([101, 101])
    expect(await knock(server)).toMatchObject({ status: 429, retryAfter: '5' })
    expect(await refusals(server, 'sockets_per_address')).toBe(true)
    const said = { msg: 'a socket was refused', address: '192.0.2.1', status: '429 Too Many Requests', count: 1 }
    expect(server.lines).toContainEqual(expect.objectContaining(said))
    expect((await knock(server, '192.0.2.2')).status).toBe(101)
    first.socket.terminate()
    await eventually(async () => (await knock(server)).status === 101)
    expect((await knock(server)).status).toBe(429)
  })

  test('of this very machine are not counted', async () => {
    const server = await start({ env: { SOCKETS_PER_ADDRESS: '1' } })
    for (let index = 0; index < 3; index += 1) expect((await knock(server)).status).toBe(101)
  })
})

describe('subscriptions of a user', () => {
  test('beyond the limit are refused, over all their sockets and event streams, and one that ends makes room', async () => {
    const server = await start(proxied({ SUBSCRIPTIONS_PER_USER: '3' }))
    const [one, other] = [await connect(server), await connect(server)]
    one.subscribe('1', events)
    one.subscribe('2', events)
    await server.stage.source(1)
    const stream = await openEvents(server, events)
    await server.stage.source(2)
    other.subscribe('3', events)
    const refused = await other.frame('error', '3')
    expect(refused.payload).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfterMs: 5000 } }])
    expect(await refusals(server, 'subscriptions_per_user')).toBe(true)
    const bob = await connect(server, 'bob')
    bob.subscribe('1', events)
    await server.stage.source(3)
    stream.disconnect()
    await eventually(async () => {
      const id = `again ${server.stage.sources.length} ${other.frames.length}`
      other.subscribe(id, events)
      const begun = server.stage.source(4).then(() => true)
      return Promise.race([begun, other.frame('error', id).then(() => false)])
    })
  })
})

describe('bad tokens of an address', () => {
  const bad = { authorization: 'Bearer a.b.c' }
  const ask = async ({ url }: Started, headers: Record<string, string>, path = '/graphql', address = '192.0.2.1') => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
      body: JSON.stringify({ query: '{ me }' }),
    })
    return response.status
  }
  const closeCode = async (server: Started, address: string) => {
    const socket = await openSocket(server, { headers: { 'x-forwarded-for': address } })
    await socket.init(bad)
    return (await socket.closed()).code
  }

  test('are refused beyond the limit, by every way in, and those of others are not', async () => {
    const server = await start(proxied({ BAD_TOKENS_PER_MINUTE: '3' }))
    expect([await ask(server, bad), await ask(server, bad, '/messages')]).toEqual([401, 401])
    expect(await closeCode(server, '192.0.2.1')).toBe(4403)
    expect([await ask(server, bad), await ask(server, bad, '/messages')]).toEqual([429, 429])
    expect(await closeCode(server, '192.0.2.1')).toBe(1013)
    expect(await ask(server, bad, '/graphql', '192.0.2.2')).toBe(401)
    const whence = { address: '192.0.2.1' }
    for (const line of [
      { msg: 'refused a token', ...whence },
      { msg: 'a socket was closed', ...whence, code: 4403, why: 'token' },
      { msg: 'a socket was closed', ...whence, code: 1013, why: 'later' },
    ])
      await expect.poll(() => server.lines).toContainEqual(expect.objectContaining(line))
  })

  test('do not keep out a token that is known to be good, nor those without one; a minute later all is well', async () => {
    const clock = createManualClock()
    const server = await start({ ...proxied({ BAD_TOKENS_PER_MINUTE: '2' }), clock })
    const good = { authorization: await bearer('alice') }
    expect(await ask(server, good)).toBe(200)
    for (const status of [401, 401, 429]) expect(await ask(server, bad)).toBe(status)
    expect(await refusals(server, 'bad_tokens')).toBe(true)
    expect(await ask(server, good)).toBe(200)
    expect(await ask(server, {})).toBe(200)
    expect(await ask(server, { authorization: await bearer('bob') })).toBe(429)
    await clock.advance(60_000)
    expect(await ask(server, { authorization: await bearer('bob') })).toBe(200)
  })

  test('are counted on while the time of day is set forward and back', async () => {
    const clock = createManualClock()
    const server = await start({ ...proxied({ BAD_TOKENS_PER_MINUTE: '1' }), clock })
    expect(await ask(server, bad)).toBe(401)
    for (const ms of [3_600_000, -7_200_000]) {
      clock.stepWall(ms)
      expect(await ask(server, bad)).toBe(429)
    }
  })

  test('of this very machine are not counted', async () => {
    const server = await start({ env: { BAD_TOKENS_PER_MINUTE: '1' } })
    for (let index = 0; index < 3; index += 1) expect(await ask(server, bad)).toBe(401)
  })
})

describe('sockets that have not introduced themselves', () => {
  test('are few per address, and an introduction makes room', async () => {
    const server = await start(connectionLimits({ uninitialisedPerAddress: 1 }))
    const { socket } = await knock(server)
    expect((await knock(server)).status).toBe(429)
    expect(await refusals(server, 'sockets_uninitialised')).toBe(true)
    expect((await knock(server, '192.0.2.2')).status).toBe(101)
    const payload = { authorization: await bearer('alice') }
    socket.send(JSON.stringify({ type: 'connection_init', payload }))
    await once(socket, 'message')
    expect((await knock(server)).status).toBe(101)
  })

  test('a refused token makes no room before its socket is gone', async () => {
    const server = await start(connectionLimits({ uninitialisedPerAddress: 1 }))
    const { socket } = await knock(server)
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: 'Bearer nonsense' } }))
    await once(socket, 'close')
    await eventually(async () => (await knock(server)).status === 101)
  })

  test('are not too many on a node, wherever they come from', async () => {
    const server = await start(connectionLimits({ uninitialised: 2 }))
    expect((await knock(server, '127.0.0.1')).status).toBe(101)
    expect((await knock(server, '192.0.2.1')).status).toBe(101)
    expect((await knock(server, '192.0.2.2')).status).toBe(429)
    expect((await knock(server, '127.0.0.1')).status).toBe(429)
  })

  test('a handshake that fails is not counted on', async () => {
    const server = await start(connectionLimits({ uninitialised: 1 }))
    const handshake = 'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
    for (let index = 0; index < 3; index += 1) {
      const peer = connectTcp(server.port, '127.0.0.1')
      peer.end(`${handshake}Sec-WebSocket-Version: 1\r\nSec-WebSocket-Key: x\r\n\r\n`)
      await once(peer.resume(), 'close')
    }
    await eventually(async () => (await knock(server)).status === 101)
  })
})

describe('sockets and streams of a user', () => {
  const two = { env: { SOCKETS_PER_USER: '2' } }

  test('beyond the limit a socket is told to try again later, and those of others are not', async () => {
    const server = await start(two)
    const first = await connect(server, 'alice')
    await connect(server, 'alice')
    const third = await openSocket(server)
    expect(await third.init({ authorization: await bearer('alice') })).toEqual({
      code: 1013,
      reason: 'Too many sockets of this user',
    })
    expect(await refusals(server, 'sockets_per_user')).toBe(true)
    await connect(server, 'bob')
    first.socket.terminate()
    await eventually(async () => {
      const again = await openSocket(server)
      return 'type' in (await again.init({ authorization: await bearer('alice') }))
    })
  })

  test('streams over HTTP count with the sockets, and give their slot back', async () => {
    const server = await start(two)
    await connect(server, 'alice')
    const stream = await openEvents(server, events)
    const source = await server.stage.source()
    const refused = await openEvents(server, events)
    expect(JSON.parse((await refused.next())?.data ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: expect.any(Number) } }],
    })
    expect(await refusals(server, 'streams_per_user')).toBe(true)
    stream.disconnect()
    await source.returned
    await openEvents(server, events)
    await server.stage.source(1)
  })

  test('a subscription that is refused by itself keeps no slot', async () => {
    const server = await start({ env: { SOCKETS_PER_USER: '1' } })
    for (let index = 0; index < 3; index += 1) {
      const stream = await openEvents(server, 'subscription { refused { number } }')
      expect((await stream.next())?.data).toContain('NOT_FOUND')
    }
  })

  test('a limit that nobody has set spares users on the same machine, and no others', async () => {
    const server = await start(connectionLimits({ perUser: 1 }))
    for (let index = 0; index < 3; index += 1) await connect(server, 'alice')
    for (let index = 0; index < 3; index += 1) await openEvents(server, events)
    await server.stage.source(2)
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const [first, second] = [await openSocket(server, { headers }), await openSocket(server, { headers })]
    expect(await first.init({ authorization: await bearer('alice') })).toMatchObject({ type: 'connection_ack' })
    expect(await second.init({ authorization: await bearer('alice') })).toMatchObject({ code: 1013 })
  })

  test('the client takes it for something that passes', async () => {
    const server = await start({ env: { SOCKETS_PER_USER: '1' } })
    await connect(server, 'alice')
    const opening = openWebSocketLink({
      url: () => `${server.url}/graphql`,
      tokens: createTokens(() => token('alice')),
      webSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    })
    await expect(opening).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
  })
})

describe('the address of a client', () => {
  const addressOf = (trustedProxies: number, remoteAddress: string, forwarded?: string) =>
    createClientAddress(trustedProxies)({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage)

  test.each([
    ['the socket, where no proxy is trusted', 0, '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['what one proxy wrote', 1, '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['what one proxy wrote, whatever the client did', 1, '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['what the first of two proxies wrote', 2, '10.0.0.1', '8.8.8.8, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['the socket, where there are fewer than trusted', 2, '10.0.0.1', '198.51.100.1', '10.0.0.1'],
    ['the socket, where there is no header', 1, '10.0.0.1', undefined, '10.0.0.1'],
    ['the socket, where there is nonsense', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['without the port', 1, '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['IPv4 by another name', 0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['of IPv6 the network', 0, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['the same in short', 0, '2001:DB8:1:2::9', undefined, '2001:db8:1:2::/64'],
    ['the same with zeros', 0, '2001:0db8:0001:0002::9', undefined, '2001:db8:1:2::/64'],
    ['a short network', 0, '2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['IPv6 with a port', 1, '10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['a link of its own', 0, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['this machine', 0, '::1', undefined, '::1'],
  ] as const)('%s', (_what, trustedProxies, remoteAddress, forwarded, expected) => {
    expect(addressOf(trustedProxies, remoteAddress, forwarded)).toBe(expected)
  })
})
