import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { deriveCursorSecret } from '../../src/config/derived-secrets.ts'
import { secretsText } from '../../src/config/secret-lists.ts'
import { problemsOf, production, secret } from './environments.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('AUTH_JWT_SECRET has at least 32 bytes, not characters', () => {
  expect(problemsOf({ AUTH_JWT_SECRET: 'x'.repeat(31) })).toEqual(['AUTH_JWT_SECRET must have at least 32 bytes'])
  expect(readConfig({ AUTH_JWT_SECRET: 'é'.repeat(16) }).auth).toEqual({
    secrets: [bytes('é'.repeat(16))],
    clockToleranceSeconds: 5,
  })
})

test('AUTH_JWT_SECRET may be a list, of which the first signs and all verify', () => {
  const other = 'y'.repeat(32)
  expect(readConfig({ AUTH_JWT_SECRET: `${other}, ${secret},` }).auth).toMatchObject({
    secrets: [bytes(other), bytes(secret)],
  })
  expect(problemsOf({ AUTH_JWT_SECRET: `${secret},short` })).toEqual([
    'AUTH_JWT_SECRET must have at least 32 bytes in each part: a comma separates two secrets',
  ])
  expect(problemsOf({ AUTH_JWT_SECRET: ' , ' })).toEqual(['AUTH_JWT_SECRET names no secret'])
})

test('AUTH_CLOCK_TOLERANCE_SECONDS is a few seconds', () => {
  const toleranceOf = (given: string) =>
    readConfig({ AUTH_JWT_SECRET: secret, AUTH_CLOCK_TOLERANCE_SECONDS: given }).auth
  expect(toleranceOf('0')).toMatchObject({ clockToleranceSeconds: 0 })
  expect(toleranceOf('30')).toMatchObject({ clockToleranceSeconds: 30 })
  expect(problemsOf({ AUTH_CLOCK_TOLERANCE_SECONDS: '61' })).toEqual(['AUTH_CLOCK_TOLERANCE_SECONDS must be 0 to 60'])
})

test('AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE describe an identity provider', () => {
  const environment = { AUTH_JWKS_URL: 'https://id/keys', AUTH_ISSUER: 'https://id', AUTH_AUDIENCE: 'parley' }
  expect(readConfig({ ...environment, CURSOR_SECRET: 'shared' }).auth).toEqual({
    jwksUrl: 'https://id/keys',
    issuer: 'https://id',
    audience: 'parley',
    clockToleranceSeconds: 5,
  })
  expect(problemsOf({ AUTH_JWKS_URL: 'id/keys', CURSOR_SECRET: 'shared' })).toEqual([
    'AUTH_JWKS_URL must be http://… or https://…',
  ])
})

test('AUTH_USER_CLAIM names the claim that holds the user id', () => {
  const environment = { AUTH_JWKS_URL: 'https://id/keys', CURSOR_SECRET: 'shared' }
  expect(readConfig({ ...environment, AUTH_USER_CLAIM: 'https://id/uid' }).auth).toMatchObject({
    userClaim: 'https://id/uid',
  })
  expect(readConfig(environment).auth).not.toHaveProperty('userClaim')
})

test.each(['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_USER_CLAIM'])('%s without a key is no development mode', (name) => {
  expect(problemsOf({ [name]: 'https://id' })).toEqual([expect.stringContaining(name)])
})

test('CURSOR_SECRET is taken, or derived from the auth secret without being the same', () => {
  expect(readConfig({ CURSOR_SECRET: 'mine' }).cursorSecrets).toEqual([bytes('mine')])
  const { cursorSecrets } = readConfig({ AUTH_JWT_SECRET: secret })
  expect(cursorSecrets).toEqual([deriveCursorSecret(bytes(secret))])
  expect(cursorSecrets).not.toEqual([bytes(secret)])
  expect(readConfig({ AUTH_JWT_SECRET: secret }).cursorSecrets).toEqual(cursorSecrets)
})

test('CURSOR_SECRET may be a list, and name secrets that are no text', () => {
  expect(readConfig({ CURSOR_SECRET: 'new ,old\n' }).cursorSecrets).toEqual([bytes('new'), bytes('old\n')])
  expect(readConfig({ CURSOR_SECRET: 'new,base64:/wA=' }).cursorSecrets).toEqual([bytes('new'), Uint8Array.of(255, 0)])
  expect(problemsOf({ CURSOR_SECRET: 'new,base64:?' })).toEqual([
    'CURSOR_SECRET has a secret after base64: that is not base64',
  ])
  expect(problemsOf({ CURSOR_SECRET: ',' })).toEqual(['CURSOR_SECRET names no secret'])
})

test('cursors outlive the auth secret they were derived from, if they are pinned before it leaves the list', () => {
  const rotated = readConfig({ AUTH_JWT_SECRET: `${'y'.repeat(32)},${secret}` })
  expect(rotated.cursorSecrets).toEqual([deriveCursorSecret(bytes('y'.repeat(32))), deriveCursorSecret(bytes(secret))])
  expect(rotated.rotationWarning).toContain('cursor-secret')
  const pinned = secretsText(rotated.cursorSecrets ?? [bytes('')])
  const afterwards = readConfig({ AUTH_JWT_SECRET: 'y'.repeat(32), CURSOR_SECRET: pinned })
  expect(afterwards.cursorSecrets).toEqual(rotated.cursorSecrets)
  for (const calm of [afterwards, readConfig({ AUTH_JWT_SECRET: secret })])
    expect(calm).not.toHaveProperty('rotationWarning')
})

test.each([production.NODE_ENV, 'test', ''])(
  'CURSOR_SECRET is needed beside a key set alone, as nodes would make one each: NODE_ENV=%s',
  (NODE_ENV) => {
    const { AUTH_JWT_SECRET: _none, ...rest } = production
    const withKeys = { ...rest, NODE_ENV, AUTH_JWKS_URL: 'https://id/keys' }
    expect(problemsOf(withKeys)).toEqual([
      'CURSOR_SECRET is missing: AUTH_JWKS_URL alone gives no secret to derive it from',
    ])
    expect(problemsOf({ ...withKeys, CURSOR_SECRET: 'shared' })).toEqual([])
    expect(problemsOf({ ...withKeys, AUTH_JWT_SECRET: secret })).toEqual([])
  },
)

test('ALLOWED_ORIGINS is a list of origins', () => {
  expect(readConfig({ ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080/' }).allowedOrigins).toEqual([
    'https://a.example',
    'http://b.example:8080',
  ])
  expect(problemsOf({ ALLOWED_ORIGINS: 'a.example' })).toHaveLength(1)
  expect(problemsOf({ ALLOWED_ORIGINS: 'https://a.example/path' })).toHaveLength(1)
})
