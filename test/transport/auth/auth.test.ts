import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AuthSettings } from '../../../src/config/config.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { createAuthenticate, createDevTokens } from '../../../src/transport/auth/auth.ts'
import { createKeySet } from '../../../src/transport/auth/key-set.ts'
import { asUser, bearer, createManualClock, realClock, secret, token } from '../kit.ts'

function authenticate({ jwksUrl, ...settings }: AuthSettings = { secrets: [secret] }, clock: Clock = realClock) {
  const keySet = jwksUrl === undefined ? undefined : createKeySet({ url: jwksUrl, clock })
  return createAuthenticate(settings, clock, { keySet })
}
const unauthenticated = { code: 'UNAUTHENTICATED' }

describe('a token signed with the shared secret', () => {
  test('says who the viewer is, what they are called and until when', async () => {
    const expiresAtMs = (Math.floor(Date.now() / 1000) + 60) * 1000
    const authorization = await bearer('auth0|42', { expiresAtMs, claims: { name: 'Ann' } })
    expect(await authenticate()(authorization)).toEqual({ userId: 'auth0|42', name: 'Ann', expiresAtMs })
  })

  test('may leave the name out, and a name that is no text is left out', async () => {
    expect(await authenticate()(await bearer('ann'))).not.toHaveProperty('name')
    expect(await authenticate()(await bearer('ann', { claims: { name: 7 } }))).not.toHaveProperty('name')
  })

  test.each([
    ['Ann\nadmin: hello', 'Ann admin: hello'],
    ['Ann \u202egnp\u202c', 'Ann gnp'],
    ['\u2067Ann', 'Ann'],
    ['Ann\u0000\u001b[31m', 'Ann [31m'],
  ])('of the name %j, what would change the text around it is left out', async (name, shown) => {
    expect(await authenticate()(await bearer('ann', { claims: { name } }))).toMatchObject({ name: shown })
  })

  test.each(['', '\n', '\u202e', ' \u200b'])('a name of nothing to see, such as %j, is none', async (name) => {
    expect(await authenticate()(await bearer('ann', { claims: { name } }))).not.toHaveProperty('name')
  })

  test('the scheme has no case', async () => {
    expect(await authenticate()(`bearer ${await token('ann')}`)).toMatchObject({ userId: 'ann' })
  })

  test.each([undefined, null])('nothing at all is nobody', async (nothing) => {
    expect(await authenticate()(nothing)).toBeUndefined()
  })

  test.each(['', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic YTpi', 'Bearer x.y.z', 42, {}])(
    'anything else is refused: %j',
    async (authorization) => {
      await expect(authenticate()(authorization)).rejects.toMatchObject(unauthenticated)
    },
  )

  test('is refused once it has expired', async () => {
    const clock = createManualClock()
    const authorization = await bearer('ann', { expiresAtMs: clock.now() + 10_000 })
    const check = createAuthenticate({ secrets: [secret] }, clock)
    await check(authorization)
    await clock.advance(11_000)
    await expect(check(authorization)).rejects.toMatchObject({ ...unauthenticated, message: 'The token has expired.' })
  })

  test.each([
    ['no exp', { exp: undefined }],
    ['no sub', { sub: undefined }],
    ['a sub that is no user id', { sub: 'dm_x' }],
    ['a sub that is no text', { sub: 7 }],
    ['a start in the future', { nbf: Math.floor(Date.now() / 1000) + 100 }],
  ])('is refused with %s', async (_what, claims) => {
    await expect(authenticate()(await bearer('ann', { claims }))).rejects.toMatchObject(unauthenticated)
  })

  test('is refused under another key or another algorithm', async () => {
    const other = new TextEncoder().encode('another secret of thirty-two bytes')
    await expect(authenticate()(await bearer('ann', { key: other }))).rejects.toMatchObject(unauthenticated)
    const longSecret = new Uint8Array(64).fill(7)
    const hs512 = await bearer('ann', { key: longSecret, alg: 'HS512' })
    await expect(authenticate({ secrets: [longSecret] })(hs512)).rejects.toMatchObject(unauthenticated)
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await token('ann')).split('.')[1]}.`
    await expect(authenticate()(`Bearer ${unsigned}`)).rejects.toMatchObject(unauthenticated)
  })

  test('must come from the issuer and be meant for the audience, where these are set', async () => {
    const check = authenticate({ secrets: [secret], issuer: 'https://id', audience: 'parley' })
    const claims = { iss: 'https://id', aud: ['parley', 'other'] }
    expect(await check(await bearer('ann', { claims }))).toMatchObject({ userId: 'ann' })
    for (const wrong of [{}, { ...claims, iss: 'https://evil' }, { ...claims, aud: 'other' }]) {
      await expect(check(await bearer('ann', { claims: wrong }))).rejects.toMatchObject(unauthenticated)
    }
  })
})

describe('a token of an identity provider', () => {
  async function provider() {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] }
    const server = createServer((_request, response) => response.end(JSON.stringify(keys))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const sign = (kid = 'k1') =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid })
        .setSubject('ann')
        .setExpirationTime('1h')
        .sign(privateKey)
    return { jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sign, publicKey, server }
  }

  test('is checked with the published key', async () => {
    const { jwksUrl, sign } = await provider()
    expect(await authenticate({ jwksUrl })(`Bearer ${await sign()}`)).toMatchObject({ userId: 'ann' })
  })

  test('is refused under a key that is not published, or an HMAC', async () => {
    const { jwksUrl, sign } = await provider()
    const check = authenticate({ jwksUrl })
    await expect(check(`Bearer ${await sign('k2')}`)).rejects.toMatchObject(unauthenticated)
    await expect(check(await bearer('ann'))).rejects.toMatchObject(unauthenticated)
  })

  test('is checked again after a minute, as its key may have been taken back', async () => {
    const clock = createManualClock()
    const { jwksUrl, sign, server } = await provider()
    const check = authenticate({ jwksUrl }, clock)
    const authorization = `Bearer ${await sign()}`
    await check(authorization)
    await clock.advance(60_000)
    const verified = vi.spyOn(crypto.subtle, 'verify')
    onTestFinished(() => verified.mockRestore())
    for (const ms of [0, 59_000]) {
      await clock.advance(ms)
      expect(await check(authorization)).toMatchObject({ userId: 'ann' })
    }
    expect(verified).toHaveBeenCalledTimes(1)
    await clock.advance(1000)
    expect(await check(authorization)).toMatchObject({ userId: 'ann' })
    expect(verified).toHaveBeenCalledTimes(2)
    server.close()
  })

  test('may live beside the shared secret', async () => {
    const { jwksUrl, sign } = await provider()
    const check = authenticate({ jwksUrl, secrets: [secret] })
    expect(await check(`Bearer ${await sign()}`)).toMatchObject({ userId: 'ann' })
    expect(await check(await bearer('bob'))).toMatchObject({ userId: 'bob' })
  })

  test('cannot be judged while the keys cannot be fetched: UNAVAILABLE', async () => {
    const { jwksUrl, sign, server } = await provider()
    server.close()
    await once(server, 'close')
    await expect(authenticate({ jwksUrl })(`Bearer ${await sign()}`)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

test('a development token is good for seven days', async () => {
  const clock = createManualClock()
  const authorization = `Bearer ${await createDevTokens(secret, clock).issue(asUser('ann'), { name: 'Ann' })}`
  const check = createAuthenticate({ secrets: [secret] }, clock)
  expect(await check(authorization)).toMatchObject({ userId: 'ann', name: 'Ann' })
  await clock.advance(7 * 24 * 3600 * 1000 - 2000)
  expect(await check(authorization)).toMatchObject({ userId: 'ann' })
  await clock.advance(3000)
  await expect(check(authorization)).rejects.toMatchObject(unauthenticated)
})
