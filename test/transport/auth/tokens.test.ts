// Tokens that must not open any door: HTTP, WebSocket or REST. Each differs in one thing from a good one.

import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { codes, openSocket, post, type Started, secret, start } from '../kit.ts'

type Fields = Record<string, unknown>

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = (key: KeyObject, rest: Fields) => ({ ...key.export({ format: 'jwk' }), ...rest })
const published = { keys: [jwk(ec.publicKey, { kid: 'ec', alg: 'ES256' }), jwk(rsa.publicKey, { kid: 'rsa' })] }

const nowSeconds = Math.floor(Date.now() / 1000)
const good = { sub: 'alice', exp: nowSeconds + 600, iss: 'https://id.example', aud: 'parley' }
const goodText = JSON.stringify(good)

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)).toString('base64url')

const hmac = (hash: string, key: string | Uint8Array) => (input: string) =>
  createHmac(hash, key).update(input).digest('base64url')
const ecdsa = (key: KeyObject) => (input: string) =>
  signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')

/** Signed by hand: libraries refuse to make most of these. */
function made(header: Fields | string, payload: unknown, signature: (input: string) => string): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${signature(input)}`
}

const bySecret = (claims: unknown = good, header: Fields | string = { alg: 'HS256' }) =>
  made(header, claims, hmac('sha256', secret))
const byKey = (claims: unknown = good, header: Fields = { alg: 'ES256', kid: 'ec' }) =>
  made(header, claims, ecdsa(ec.privateKey))
const byRsa = (header: Fields, claims: unknown = good) =>
  made(header, claims, (input) => signBytes('sha256', Buffer.from(input), rsa.privateKey).toString('base64url'))
const byAttacker = (header: Fields) =>
  made({ alg: 'ES256', ...header }, { ...good, sub: 'admin' }, ecdsa(attacker.privateKey))

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A node that takes the shared secret and the keys of a provider, and insists on issuer and audience. */
async function startStrict(): Promise<Started> {
  const jwksUrl = await listen((_request, response) => response.end(JSON.stringify(published)))
  const env = { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: good.iss, AUTH_AUDIENCE: good.aud }
  const message = { id: 'msg_1', seq: 1, conversationId: 'dm_1', messageId: '1', clientMessageId: '1' }
  return start({
    env,
    sendMessage: async ({ userId }) => ({
      message: { ...message, senderId: userId, body: 'hi', sentAt: '2026-01-01T00:00:00.000Z' },
      duplicate: false,
    }),
  })
}

/** What each of the three doors makes of a token. */
async function doors(server: Started, token: string) {
  const authorization = `Bearer ${token}`
  const socket = await openSocket(server)
  const http = await post(server, '{ me }', { authorization })
  const headers = { authorization, 'content-type': 'application/json' }
  const rest = await fetch(`${server.url}/messages`, { method: 'POST', headers, body: '{}' })
  const { error } = (await rest.json()) as { error?: { code: string } }
  return {
    http: [http.status, ...codes(http)],
    rest: [rest.status, ...(error ? [error.code] : [])],
    ws: await socket.init({ authorization }),
  }
}

const refused = {
  http: [401, 'UNAUTHENTICATED'],
  rest: [401, 'UNAUTHENTICATED'],
  ws: { code: 4403, reason: expect.any(String) },
}

const pem = ec.publicKey.export({ type: 'spki', format: 'pem' }) as string
const rsaPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const rsaDer = rsa.publicKey.export({ type: 'spki', format: 'der' })
const [header = '', claims = '', signature = ''] = byKey().split('.')
const [hmacHeader = '', hmacClaims = '', hmacSignature = ''] = bySecret().split('.')

/** As ASN.1 has it, where JOSE wants the two numbers. */
const derSignature = signBytes('sha256', Buffer.from(`${header}.${claims}`), ec.privateKey).toString('base64url')

test.each<[what: string, token: string]>([
  // No signature.
  ['alg none, nothing signed', `${part({ alg: 'none' })}.${claims}.`],
  ['alg none, in capitals', `${part({ alg: 'NONE' })}.${claims}.`],
  ['alg none, with a signature', `${part({ alg: 'none' })}.${hmacClaims}.${hmacSignature}`],
  ['alg none, signed', made({ alg: 'none' }, good, hmac('sha256', secret))],
  ['the signature stripped', `${header}.${claims}.`],
  ['the signature and its dot stripped', `${header}.${claims}`],
  ['the signature cut', `${header}.${claims}.${signature.slice(0, -2)}`],
  ['the signature too long', `${header}.${claims}.${signature}AA`],
  ['the signature of another token', `${hmacHeader}.${part({ ...good, sub: 'admin' })}.${hmacSignature}`],
  ['a signature of zeros', `${header}.${claims}.${part(Buffer.alloc(64))}`],
  ['a signature as ASN.1', `${header}.${claims}.${derSignature}`],
  // Algorithms.
  ['HS384 by the right secret', made({ alg: 'HS384' }, good, hmac('sha384', secret))],
  ['HS512 by the right secret', made({ alg: 'HS512' }, good, hmac('sha512', secret))],
  ['hs256', bySecret(good, { alg: 'hs256' })],
  ['Es256', byKey(good, { alg: 'Es256', kid: 'ec' })],
  ['no alg', bySecret(good, { typ: 'JWT' })],
  ['alg in a list', bySecret(good, { alg: ['HS256'] })],
  ['alg null', bySecret(good, { alg: null })],
  ['RS256 said, HS256 done', bySecret(good, { alg: 'RS256', kid: 'rsa' })],
  ['HS256 beside another alg', bySecret(good, '{"alg":"HS256","alg":"none"}')],
  ['an alg the key is not for', byRsa({ alg: 'PS256', kid: 'rsa' })],
  // A public key as if it were the secret.
  ['HS256 by the PEM of an EC key', made({ alg: 'HS256', kid: 'ec' }, good, hmac('sha256', pem))],
  ['HS256 by the PEM of an RSA key', made({ alg: 'HS256', kid: 'rsa' }, good, hmac('sha256', rsaPem))],
  ['HS256 by that PEM, trimmed', made({ alg: 'HS256', kid: 'rsa' }, good, hmac('sha256', rsaPem.trim()))],
  ['HS256 by the DER', made({ alg: 'HS256', kid: 'rsa' }, good, hmac('sha256', rsaDer))],
  ['HS256 by the JWK', made({ alg: 'HS256', kid: 'ec' }, good, hmac('sha256', JSON.stringify(published.keys[0])))],
  ['HS256 by nothing', made({ alg: 'HS256' }, good, hmac('sha256', ''))],
  ['HS256 by a null', made({ alg: 'HS256' }, good, hmac('sha256', '\0'.repeat(32)))],
  // Names of keys.
  ['kid unknown', byKey(good, { alg: 'ES256', kid: 'other' })],
  ['kid of another key', byKey(good, { alg: 'ES256', kid: 'rsa' })],
  ['kid as a path', byKey(good, { alg: 'ES256', kid: '../../../../dev/null' })],
  ['kid as SQL', byKey(good, { alg: 'ES256', kid: "x' UNION SELECT 'key" })],
  ['kid as a command', byKey(good, { alg: 'ES256', kid: '|sleep 10' })],
  ['kid of 8,000 characters', byKey(good, { alg: 'ES256', kid: 'k'.repeat(8000) })],
  ['kid in a list', byKey(good, { alg: 'ES256', kid: ['ec'] })],
  ['kid as a number', byKey(good, { alg: 'ES256', kid: 0 })],
  ['kid __proto__', byKey(good, { alg: 'ES256', kid: '__proto__' })],
  ['kid constructor', byKey(good, { alg: 'ES256', kid: 'constructor' })],
  // A key of the attacker's own, in the token.
  ['jwk in the header', byAttacker({ jwk: jwk(attacker.publicKey, {}) })],
  ['jwk in the header, under a known kid', byAttacker({ kid: 'ec', jwk: jwk(attacker.publicKey, { kid: 'ec' }) })],
  [
    'x5c in the header',
    byAttacker({ kid: 'ec', x5c: [part(attacker.publicKey.export({ type: 'spki', format: 'der' }))] }),
  ],
  // What must be understood and is not.
  ['crit', bySecret(good, { alg: 'HS256', crit: ['exp2'], exp2: 1 })],
  ['crit, empty', bySecret(good, { alg: 'HS256', crit: [] })],
  ['crit that names alg', bySecret(good, { alg: 'HS256', crit: ['alg'] })],
  ['crit that is no list', bySecret(good, { alg: 'HS256', crit: 'exp' })],
  ['b64 false', bySecret(good, { alg: 'HS256', b64: false, crit: ['b64'] })],
  ['claims that are zipped', bySecret(deflateRawSync(goodText), { alg: 'HS256', zip: 'DEF' })],
  // Times.
  ['no exp', bySecret({ ...good, exp: undefined })],
  ['exp null', bySecret({ ...good, exp: null })],
  ['exp in quotes', bySecret({ ...good, exp: String(good.exp) })],
  ['exp in a list', bySecret({ ...good, exp: [good.exp] })],
  ['exp in the past', bySecret({ ...good, exp: nowSeconds - 10 })],
  ['exp of zero', bySecret({ ...good, exp: 0 })],
  ['exp below zero', bySecret({ ...good, exp: -good.exp })],
  ['exp beyond all numbers', bySecret(goodText.replace(String(good.exp), '1e999'))],
  ['nbf in the future', bySecret({ ...good, nbf: nowSeconds + 600 })],
  ['nbf in quotes', bySecret({ ...good, nbf: '0' })],
  ['iat in quotes', bySecret({ ...good, iat: '0' })],
  // Whose and for whom.
  ['no issuer', bySecret({ ...good, iss: undefined })],
  ['another issuer', bySecret({ ...good, iss: 'https://id.example.evil.com' })],
  ['the issuer with a slash', bySecret({ ...good, iss: `${good.iss}/` })],
  ['issuers in a list', bySecret({ ...good, iss: [good.iss] })],
  ['no audience', bySecret({ ...good, aud: undefined })],
  ['another audience', bySecret({ ...good, aud: 'parley2' })],
  ['other audiences', bySecret({ ...good, aud: ['a', 'b'] })],
  ['an empty list of audiences', bySecret({ ...good, aud: [] })],
  // Who.
  ['no sub', bySecret({ ...good, sub: undefined })],
  ['sub empty', bySecret({ ...good, sub: '' })],
  ['sub null', bySecret({ ...good, sub: null })],
  ['sub as a number', bySecret({ ...good, sub: 7 })],
  ['sub in a list', bySecret({ ...good, sub: ['alice'] })],
  ['sub with a space', bySecret({ ...good, sub: 'alice ' })],
  ['sub with a newline', bySecret({ ...good, sub: 'alice\n' })],
  ['sub with a NUL', bySecret({ ...good, sub: 'alice\0' })],
  ['sub with a #, which keys are joined by', bySecret({ ...good, sub: 'alice#1' })],
  ['sub of other letters', bySecret({ ...good, sub: 'аlice' })],
  ['sub like a conversation', bySecret({ ...good, sub: 'dm_1' })],
  ['sub of 129 characters', bySecret({ ...good, sub: 'a'.repeat(129) })],
  // What is no token.
  ['claims that are a list', bySecret([good])],
  ['claims that are null', bySecret('null')],
  ['claims that are no JSON', bySecret('{"sub":')],
  ['claims that are no UTF-8', bySecret(Buffer.from([0x7b, 0xff, 0x7d]))],
  ['a header that is a list', bySecret(good, '["HS256"]')],
  ['a header that is no JSON', bySecret(good, '{"alg":"HS256"')],
  ['a dot at the end', `${bySecret()}.`],
  ['a dot in front', `.${bySecret()}`],
  ['a fourth part', `${bySecret()}.AA`],
  ['dots alone', '...'],
  ['signs of base64, padded', `${bySecret()}=`],
  ['two tokens', `${bySecret()},${bySecret()}`],
])('%s', async (_what, token) => {
  expect(await doors(await startStrict(), token)).toEqual(refused)
})

test.each<[what: string, token: string]>([
  ['signed with the secret', bySecret()],
  ['signed with the EC key', byKey()],
  ['signed with the RSA key', byRsa({ alg: 'RS256', kid: 'rsa' })],
  ['without a kid, where one key fits', byKey(good, { alg: 'ES256' })],
  ['for several audiences', bySecret({ ...good, aud: ['other', 'parley'] })],
  ['with a kid that is called like an algorithm', byKey(good, { alg: 'ES256', kid: 'ec', note: 'HS256' })],
])('for comparison, a good one: %s', async (_what, token) => {
  expect(await doors(await startStrict(), token)).toEqual({
    http: [200],
    rest: [201],
    ws: { type: 'connection_ack' },
  })
})

test.each(['none', 'HS384', 'HS512'])('where there is a secret alone, %s is refused too', async (alg) => {
  const server = await start()
  expect(await doors(server, made({ alg }, good, hmac(alg === 'HS512' ? 'sha512' : 'sha384', secret)))).toEqual(refused)
})

test('of a claim that is there twice the last one counts, as RFC 7519 has it', async () => {
  const server = await startStrict()
  const authorization = `Bearer ${bySecret(goodText.replace('"sub"', '"sub":"admin","sub"'))}`
  expect(await post(server, '{ me }', { authorization })).toMatchObject({ data: { me: 'alice' } })
})

test('a token without a kid is refused where several keys could fit', async () => {
  const two = { keys: [jwk(ec.publicKey, { kid: 'one' }), jwk(attacker.publicKey, { kid: 'two' })] }
  const jwksUrl = await listen((_request, response) => response.end(JSON.stringify(two)))
  const server = await start({ config: { auth: { jwksUrl } } })
  expect(await doors(server, byKey(good, { alg: 'ES256' }))).toEqual(refused)
})

test('nobody is asked for a key because a token says so', async () => {
  const asked: string[] = []
  const own = { keys: [jwk(attacker.publicKey, { kid: 'evil', alg: 'ES256' })] }
  const evil = await listen((request, response) => {
    asked.push(request.url ?? '')
    response.end(JSON.stringify(own))
  })
  const server = await startStrict()
  for (const kid of ['evil', 'ec', `${evil}/kid`]) {
    for (const name of ['jku', 'x5u', 'iss', 'kid']) {
      expect(await doors(server, byAttacker({ kid, [name]: `${evil}/${name}` }))).toEqual(refused)
    }
  }
  expect(asked).toEqual([])
  // The trap itself works.
  await fetch(`${evil}/trap`)
  expect(asked).toEqual(['/trap'])
})

test.each([
  ['a newline at the end', (token: string) => `Bearer ${token}\n`],
  ['a newline within', (token: string) => `Bearer ${token.replace('.', '\n.')}`],
  ['a space at the end', (token: string) => `Bearer ${token} `],
  ['no scheme', (token: string) => token],
  ['another scheme', (token: string) => `Token ${token}`],
  ['the scheme twice', (token: string) => `Bearer Bearer ${token}`],
  ['a list', (token: string) => [`Bearer ${token}`]],
  ['an object', (token: string) => ({ token })],
  ['60 KB', () => `Bearer ${bySecret({ ...good, name: 'x'.repeat(44_000) })}`],
])('in connection_init, %s closes with 4403', async (_what, write) => {
  const socket = await openSocket(await startStrict())
  expect(await socket.init({ authorization: write(bySecret()) })).toMatchObject({ code: 4403 })
})

test('a token of 100 KB is too long for a frame, 1009, and for a header, 431', async () => {
  const server = await startStrict()
  const authorization = `Bearer ${bySecret({ ...good, name: 'x'.repeat(75_000) })}`
  expect(await (await openSocket(server)).init({ authorization })).toMatchObject({ code: 1009 })
  expect((await fetch(`${server.url}/messages`, { method: 'POST', headers: { authorization } })).status).toBe(431)
})

test('a token that is encrypted is none', async () => {
  const key = createPublicKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const encrypted = await new CompactEncrypt(new TextEncoder().encode(goodText))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'rsa' })
    .encrypt(key)
  expect(await doors(await startStrict(), encrypted)).toEqual(refused)
})
