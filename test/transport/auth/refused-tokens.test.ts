// What those hear, and what the log says, whose token is refused.

import { describe, expect, test } from 'vitest'
import type { AuthSettings } from '../../../src/config/config.ts'
import { bearer, createManualClock, openSocket, post, type Started, type StartOptions, secret, start } from '../kit.ts'

const auth: AuthSettings = { secrets: [secret], issuer: 'https://id', audience: 'parley' }
const good = { iss: 'https://id', aud: 'parley' }
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const withoutGraphiQL: StartOptions = { env: { GRAPHIQL: 'false' } }

/** What the doors answer to a token: the message over HTTP, and how the socket is closed. */
async function answers(server: Started, authorization: string) {
  const { errors, status } = await post(server, '{ me }', { authorization })
  const socket = await openSocket(server)
  return { status, message: errors?.[0]?.message, closed: await socket.init({ authorization }) }
}

const refusalsIn = ({ lines }: Started) => lines.filter(({ msg }) => msg === 'refused a token')

const faults: [claim: string, claims: Record<string, unknown>, reason: string, generic: string, closed: string][] = [
  ['exp', { exp: 1 }, '"exp" has passed', 'The token has expired.', 'Token expired'],
  ['exp', { exp: undefined }, '"exp" is missing', 'The token is not valid.', 'Token invalid'],
  ['exp', { exp: '7' }, '"exp" must be a number', 'The token is not valid.', 'Token invalid'],
  ['nbf', { nbf: inAnHour() }, '"nbf" is still to come', 'The token is not valid.', 'Token invalid'],
  ['iss', { iss: 'https://id/' }, '"iss" is not AUTH_ISSUER', 'The token is not valid.', 'Token invalid'],
  ['iss', { iss: undefined }, '"iss" is missing', 'The token is not valid.', 'Token invalid'],
  ['aud', { aud: ['other'] }, '"aud" does not hold AUTH_AUDIENCE', 'The token is not valid.', 'Token invalid'],
  ['sub', { sub: undefined }, '"sub" is missing', 'The token is not valid.', 'Token invalid'],
  ['sub', { sub: 'ann+chat@example.org' }, 'user id', 'The token\'s "sub" is not a user id.', 'Token invalid'],
]

test.each(faults)(
  'the log names %s of %j; clients hear no more than before',
  async (claim, claims, reason, generic, closed) => {
    const server = await start({ ...withoutGraphiQL, config: { auth } })
    const authorization = await bearer('ann', { claims: { ...good, ...claims } })
    expect(await answers(server, authorization)).toEqual({
      status: 401,
      message: generic,
      closed: { code: 4403, reason: closed },
    })
    expect(refusalsIn(server)).toEqual([
      expect.objectContaining({ level: 40, claim, reason: expect.stringContaining(reason) }),
    ])
  },
)

test.each(faults)(
  'development mode tells the client about %s of %j too',
  async (_claim, claims, reason, _generic, closed) => {
    const server = await start({ ...withoutGraphiQL, development: true, config: { auth } })
    const { message, closed: end } = await answers(server, await bearer('ann', { claims: { ...good, ...claims } }))
    expect(message).toContain(reason)
    expect(end).toEqual({ code: 4403, reason: expect.stringContaining(reason) })
    expect(end).toEqual({ code: 4403, reason: expect.stringContaining(closed) })
  },
)

test('a sub that breaks the rule for user ids is told the rule and the setting', async () => {
  const server = await start({ development: true })
  const { message, closed } = await answers(server, await bearer('ann+chat@example.org'))
  for (const text of ['"sub" is not a user id', 'AUTH_USER_CLAIM', '1 to 128 of A-Z a-z 0-9 . _ @ | : -'])
    expect(message).toContain(text)
  expect(closed).toEqual({ code: 4403, reason: expect.stringContaining('AUTH_USER_CLAIM') })
  expect(Buffer.byteLength((closed as { reason: string }).reason)).toBeLessThanOrEqual(123)
  expect(refusalsIn(server)).toMatchObject([{ claim: 'sub', reason: expect.stringContaining('AUTH_USER_CLAIM') }])
})

test('a wrong key is named in the log, and no line holds anything of a token', async () => {
  const server = await start(withoutGraphiQL)
  const authorization = await bearer('somebody', { key: new TextEncoder().encode('x'.repeat(32)) })
  await answers(server, authorization)
  await answers(server, await bearer('some+body'))
  expect(refusalsIn(server)).toMatchObject([{ reason: expect.stringContaining('AUTH_JWT_SECRET') }, { claim: 'sub' }])
  expect(JSON.stringify(server.lines)).not.toMatch(/eyJ|some\+body|somebody/)
})

test('the same reason is logged once a minute, with how many there were', async () => {
  const clock = createManualClock()
  const server = await start({ ...withoutGraphiQL, clock })
  const authorization = await bearer('ann', { claims: { exp: 1 } })
  for (let time = 0; time < 5; time += 1) await post(server, '{ me }', { authorization })
  await clock.advance(60_000)
  await post(server, '{ me }', { authorization })
  expect(refusalsIn(server).map(({ count }) => count)).toEqual([1, 5])
})

describe('AUTH_USER_CLAIM', () => {
  const server = () => start({ config: { auth: { secrets: [secret], userClaim: 'https://id/uid' } } })
  const claims = { sub: 'ann+chat@example.org', 'https://id/uid': 'ann' }

  test('names the claim that holds the user id, whatever sub says', async () => {
    expect(await post(await server(), '{ me }', { authorization: await bearer('x', { claims }) })).toMatchObject({
      data: { me: 'ann' },
    })
  })

  test.each([undefined, 'a+b', 7, 'dm_1'])('a token with %j in it is refused', async (uid) => {
    const node = await server()
    const authorization = await bearer('ann', { claims: { 'https://id/uid': uid } })
    expect(await answers(node, authorization)).toMatchObject({ status: 401, closed: { code: 4403 } })
    expect(refusalsIn(node)).toMatchObject([{ claim: 'https://id/uid' }])
  })
})

describe('a socket without a token', () => {
  const missing = 'Token missing: expected connectionParams.authorization = "Bearer <token>"'

  test.each([undefined, {}, { authorization: null }, { userId: 'ann' }])(
    '%j hears where it belongs',
    async (payload) => {
      const socket = await openSocket(await start(withoutGraphiQL))
      expect(await socket.init(payload)).toEqual({ code: 4403, reason: missing })
    },
  )

  test.each([
    ['token', (token: string) => ({ token })],
    ['authToken', (authToken: string) => ({ authToken })],
    ['access_token', (access_token: string) => ({ access_token })],
    ['headers.authorization', (token: string) => ({ headers: { authorization: token } })],
    ['headers.Authorization', (token: string) => ({ headers: { Authorization: token } })],
  ])('%s hears where it belongs, also where GraphiQL is served', async (name, paramsOf) => {
    for (const options of [withoutGraphiQL, { development: true }]) {
      const socket = await openSocket(await start(options))
      const closed = await socket.init(paramsOf(await bearer('ann')))
      const reason = `Token misplaced in connectionParams.${name}: expected connectionParams.authorization = "Bearer <token>"`
      expect(closed).toEqual({ code: 4403, reason })
    }
  })

  test('GraphiQL still connects without one', async () => {
    for (const payload of [undefined, {}, { headers: {} }]) {
      expect(await (await openSocket(await start())).init(payload)).toEqual({ type: 'connection_ack' })
    }
  })
})

test('a socket whose token expires is told so', async () => {
  const clock = createManualClock()
  const socket = await openSocket(await start({ clock }))
  await socket.init({ authorization: await bearer('ann', { expiresAtMs: clock.now() + 10_000 }) })
  await clock.advance(11_000)
  expect(await socket.closed()).toEqual({ code: 4403, reason: 'Token expired' })
})

test('sockets that are closed for their token are counted by the reason', async () => {
  const clock = createManualClock()
  const server = await start({ ...withoutGraphiQL, clock })
  const expiresAtMs = clock.now() + 10_000
  const given: [reason: string, params: Record<string, unknown> | undefined][] = [
    ['missing', undefined],
    ['misplaced', { token: 'any' }],
    ['malformed', { authorization: 'nonsense' }],
    ['invalid', { authorization: await bearer('some+body') }],
    ['expired', { authorization: await bearer('ann', { claims: { exp: 1 } }) }],
    ['lapsed', { authorization: await bearer('ann', { expiresAtMs }) }],
  ]
  for (const [reason, params] of given) {
    expect(await closesFor(server, reason)).toBe(0)
    const socket = await openSocket(server)
    await socket.init(params)
    if (reason === 'lapsed') await clock.advance(11_000)
    expect(await socket.closed()).toMatchObject({ code: 4403 })
    expect(await closesFor(server, reason)).toBe(1)
  }
})

async function closesFor({ url }: Started, reason: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^parley_token_closes_total{reason="${reason}"} (.*)$`, 'm').exec(text)?.[1])
}
