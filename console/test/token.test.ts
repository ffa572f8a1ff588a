import { expect, test } from 'vitest'
import { readToken } from '../src/session/token.ts'

const nowMs = 1_700_000_000_000
const jwt = (claims: object) => `eyJ.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const good = { sub: 'Büro', scope: 'orders parley:admin', exp: nowMs / 1000 + 60 }

test('the service and the end are read', () => {
  expect(readToken(jwt(good), nowMs)).toEqual({ text: jwt(good), service: 'Büro', expiresAtMs: nowMs + 60_000 })
})

test.each(['Bearer ', 'bearer  ', 'Authorization: Bearer ', ' \n'])(
  'what is pasted with it is left out: "%s"',
  (before) => {
    expect(readToken(`${before}${jwt(good)}\n`, nowMs).text).toBe(jwt(good))
  },
)

test.each([
  ['', /This is no token/],
  ['a.b', /This is no token/],
  ['eyJ.bm90IGpzb24.c2ln', /This is no token/],
  [jwt({ ...good, exp: nowMs / 1000 }), /expired on/],
  [jwt({ sub: 'alice' }), /a user’s token/],
  [jwt({ ...good, scope: 'parley:administrator' }), /“parley:administrator”/],
])('what cannot open the console is said before the server is asked: %#', (pasted, why) => {
  expect(() => readToken(pasted, nowMs)).toThrow(why)
})
