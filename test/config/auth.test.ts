import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { deriveCursorSecret } from '../../src/config/derived-secrets.ts'
import { problemsOf, production, secret } from './environments.ts'

test('AUTH_JWT_SECRET has at least 32 bytes, not characters', () => {
  expect(problemsOf({ AUTH_JWT_SECRET: 'x'.repeat(31) })).toEqual(['AUTH_JWT_SECRET must have at least 32 bytes'])
  expect(readConfig({ AUTH_JWT_SECRET: 'é'.repeat(16) }).auth).toEqual({
    secret: new TextEncoder().encode('é'.repeat(16)),
  })
})

test('AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE describe an identity provider', () => {
  const environment = { AUTH_JWKS_URL: 'https://id/keys', AUTH_ISSUER: 'https://id', AUTH_AUDIENCE: 'parley' }
  expect(readConfig({ ...environment, CURSOR_SECRET: 'shared' }).auth).toEqual({
    jwksUrl: 'https://id/keys',
    issuer: 'https://id',
    audience: 'parley',
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
  const bytes = new TextEncoder().encode(secret)
  expect(readConfig({ CURSOR_SECRET: 'mine' }).cursorSecret).toEqual(new TextEncoder().encode('mine'))
  const { cursorSecret } = readConfig({ AUTH_JWT_SECRET: secret })
  expect(cursorSecret).toEqual(deriveCursorSecret(bytes))
  expect(cursorSecret).not.toEqual(bytes)
  expect(readConfig({ AUTH_JWT_SECRET: secret }).cursorSecret).toEqual(cursorSecret)
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
