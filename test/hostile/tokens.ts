import { base64url, SignJWT } from 'jose'
import { testSecret } from '../kit/person.ts'

/** Each is a value of `authorization`. All of them get 401 UNAUTHENTICATED by POST, GET, SSE and REST, and 4403 on a WebSocket. */
type TokenRow = [what: string, authorization: () => Promise<string>]

const secret = new TextEncoder().encode(testSecret)
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const encode = (value: unknown) => base64url.encode(JSON.stringify(value))
const sign = (
  claims: Record<string, unknown>,
  { alg = 'HS256', key = secret, ...header }: Record<string, unknown> = {},
) => new SignJWT(claims).setProtectedHeader({ alg: String(alg), ...header }).sign(key as Uint8Array)
const bearer = (claims: () => Record<string, unknown>, header?: Record<string, unknown>) => async () =>
  `Bearer ${await sign({ exp: inAnHour(), ...claims() }, header)}`
const alice = () => ({ sub: 'alice' })

export const tokens: TokenRow[] = [
  ['nothing after Bearer', async () => 'Bearer'],
  ['nonsense', async () => 'Bearer nonsense'],
  ['two dots', async () => 'Bearer ..'],
  ['another scheme', async () => 'Basic YWxpY2U6cGFzc3dvcmQ='],
  ['no scheme', async () => sign({ sub: 'alice', exp: inAnHour() })],
  ['two tokens', async () => `${await bearer(alice)()} ${await bearer(alice)()}`],
  ['a token of 8,000 letters', async () => `Bearer ${'x'.repeat(8000)}`],
  ['expired', bearer(() => ({ sub: 'alice', exp: inAnHour() - 7200 }))],
  ['expired since for ever', bearer(() => ({ sub: 'alice', exp: 0 }))],
  ['exp before 1970', bearer(() => ({ sub: 'alice', exp: -1 }))],
  ['exp as text', bearer(() => ({ sub: 'alice', exp: '9999999999' }))],
  ['no exp', bearer(() => ({ sub: 'alice', exp: undefined }))],
  ['not valid yet', bearer(() => ({ sub: 'alice', nbf: inAnHour() }))],
  ['no sub', bearer(() => ({}))],
  ['an empty sub', bearer(() => ({ sub: '' }))],
  ['a sub that is a number', bearer(() => ({ sub: 7 }))],
  ['a sub that is a list', bearer(() => ({ sub: ['alice'] }))],
  ['a sub with a space', bearer(() => ({ sub: 'a b' }))],
  ['a sub with a NUL', bearer(() => ({ sub: 'alice\0' }))],
  ['a sub with a line end', bearer(() => ({ sub: 'alice\n' }))],
  ['a sub that is a direct chat', bearer(() => ({ sub: 'dm_x' }))],
  ['a sub that is a group', bearer(() => ({ sub: 'grp_1' }))],
  ['a sub of 129 letters', bearer(() => ({ sub: 'x'.repeat(129) }))],
  ['a sub that only looks like one', bearer(() => ({ sub: '\u0430lice' }))],
  ['another secret', bearer(alice, { key: new TextEncoder().encode('another secret of at least thirty-two bytes') })],
  ['another algorithm with the right secret', bearer(alice, { alg: 'HS512' })],
  ['no algorithm', async () => `Bearer ${encode({ alg: 'none' })}.${encode({ sub: 'alice', exp: inAnHour() })}.`],
  [
    'no algorithm, in capitals',
    async () => `Bearer ${encode({ alg: 'NONE' })}.${encode({ sub: 'alice', exp: inAnHour() })}.`,
  ],
  ['no signature', async () => (await bearer(alice)()).replace(/\.[^.]*$/, '.')],
  [
    'claims that were changed',
    async () => {
      const [header, , signature] = (await sign({ sub: 'alice', exp: inAnHour() })).split('.')
      return `Bearer ${header}.${encode({ sub: 'bob', exp: inAnHour() })}.${signature}`
    },
  ],
  ['five parts', async () => `Bearer ${encode({ alg: 'dir', enc: 'A128GCM' })}....`],
  ['claims that are a list', async () => `Bearer ${encode({ alg: 'HS256' })}.${encode([])}.AAAA`],
  [
    'a header that is critical',
    async () => {
      const token = await sign({ sub: 'alice', exp: inAnHour() })
      return `Bearer ${encode({ alg: 'HS256', crit: ['exp'] })}.${token.split('.').slice(1).join('.')}`
    },
  ],
]
