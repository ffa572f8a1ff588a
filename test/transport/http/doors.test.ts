// Who is let in by which door, and what those hear who are not. The tables are meant to be read.

import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { AttachmentId } from '../../../src/protocol/ids.ts'
import type { MediaFiles } from '../../../src/transport/http/media.ts'
import type { SendMessage } from '../../../src/transport/http/rest.ts'
import { bearer, type Started, type StartOptions, start } from '../kit.ts'

type Headers = Record<string, string>

const allowedOrigin = 'https://chat.example'
const allowed: StartOptions = { env: { ALLOWED_ORIGINS: `${allowedOrigin},https://with-port.example:8443` } }
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const text = { 'content-type': 'text/plain;charset=UTF-8' }
const fromForeignPage = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
const query = JSON.stringify({ query: '{ __typename }' })
const mutation = JSON.stringify({ query: 'mutation { hang }' })

/** With the headers as given: fetch would not let them through. */
async function ask(server: Started, method: string, path: string, headers: Headers = {}, body = '') {
  const request = httpRequest(`${server.url}${path}`, { method, headers: { ...headers, connection: 'close' } })
  const answered = once(request, 'response')
  request.end(body)
  const [response] = await answered
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return {
    status: response.statusCode as number,
    headers: response.headers as Headers,
    body: Buffer.concat(chunks).toString(),
  }
}

// ---------------------------------------------------------------- what a page can have a browser send unasked

const sent: SendMessage = async (_viewer, { clientMessageId }) => ({
  message: {
    id: 'msg_1',
    seq: 1,
    conversationId: 'dm_1',
    messageId: '1',
    clientMessageId: String(clientMessageId),
    senderId: 'alice',
    body: 'hi',
    sentAt: '2026-01-01T00:00:00.000Z',
  },
  duplicate: false,
})

const userId = '{"userId":"alice"}'
const asForm = `query=${encodeURIComponent('mutation { hang }')}`
const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const ownPage = (server: Started) => ({ origin: `http://127.0.0.1:${server.port}`, 'sec-fetch-site': 'same-origin' })

type Sender = [who: string, method: string, path: string, headers: Headers, body: string, status: number]

test.each<Sender>([
  // Simple requests, which need no preflight: refused by their content type, whoever sends them.
  ['a program, a form', 'POST', '/graphql', form, asForm, 415],
  ['a program, text', 'POST', '/graphql', text, query, 415],
  ['a program, a form with files', 'POST', '/graphql', { 'content-type': 'multipart/form-data; boundary=x' }, '', 415],
  ['a program, no content type', 'POST', '/graphql', {}, query, 415],
  ['a program, another kind of GraphQL', 'POST', '/graphql', { 'content-type': 'application/graphql' }, '{ me }', 415],
  ['a program, nearly JSON', 'POST', '/graphql', { 'content-type': 'application/json-seq' }, query, 415],
  [
    'a program, text that speaks of JSON',
    'POST',
    '/graphql',
    { 'content-type': 'text/plain; application/json' },
    query,
    415,
  ],
  ['a program, compressed', 'POST', '/graphql', { ...json, 'content-encoding': 'gzip' }, query, 415],
  ['a program, compressed', 'POST', '/dev/token', { ...json, 'content-encoding': 'br' }, userId, 415],
  ['a program, as it is', 'POST', '/graphql', { ...json, 'content-encoding': 'Identity' }, query, 200],
  ['a program, JSON', 'POST', '/graphql', { 'content-type': 'Application/JSON; charset=utf-8' }, query, 200],
  // And by whose they are.
  ['a foreign page, a form', 'POST', '/graphql', { ...fromForeignPage, ...form }, asForm, 403],
  ['a foreign page, JSON', 'POST', '/graphql', { ...fromForeignPage, ...json }, mutation, 403],
  ['a foreign page that hides', 'POST', '/graphql', { ...json, 'sec-fetch-site': 'cross-site' }, query, 403],
  ['a page of a neighbour', 'POST', '/graphql', { ...json, 'sec-fetch-site': 'same-site' }, query, 403],
  ['a page in a sandbox', 'POST', '/graphql', { ...json, origin: 'null' }, query, 403],
  ['a foreign page, text', 'POST', '/messages', { ...fromForeignPage, ...text }, '{}', 403],
  ['a foreign page, text', 'POST', '/dev/token', { ...fromForeignPage, ...text }, userId, 403],
  ['a page in a sandbox, text', 'POST', '/dev/token', { ...text, origin: 'null' }, userId, 403],
  ['a foreign page', 'GET', '/graphql?query={__typename}', fromForeignPage, '', 403],
  ['a foreign page, by an image', 'GET', '/graphql?query={__typename}', image, '', 403],
  ['a foreign page, by an image', 'GET', '/metrics', image, '', 403],
  // A link may be followed: it shows what it shows, and a mutation is none.
  ['a link on a foreign page', 'GET', '/graphql?query={__typename}', link, '', 200],
  ['a link on a foreign page', 'GET', '/graphql', { ...link, accept: 'text/html' }, '', 200],
  ['a link on a foreign page, to a mutation', 'GET', '/graphql?query=mutation{hang}', link, '', 405],
  ['a form on a foreign page', 'POST', '/dev/token', { ...link, ...form }, userId, 403],
  // Everybody else.
  [
    'an allowed page',
    'POST',
    '/graphql',
    { ...json, origin: allowedOrigin, 'sec-fetch-site': 'cross-site' },
    query,
    200,
  ],
  ['an allowed page', 'GET', '/graphql?query={__typename}', { origin: allowedOrigin }, '', 200],
  ['an address typed in', 'GET', '/graphql?query={__typename}', { 'sec-fetch-site': 'none' }, '', 200],
  ['a program', 'GET', '/graphql?query={__typename}', {}, '', 200],
  ['a program, a mutation', 'GET', '/graphql?query=mutation{hang}', {}, '', 405],
  ['a program, no content type', 'POST', '/dev/token', {}, userId, 415],
  ['a program, no content type', 'POST', '/messages', {}, '{}', 415],
  ['a program, text', 'POST', '/dev/token', text, userId, 415],
  ['a program, text', 'POST', '/messages', text, '{}', 415],
  ['a program with no token', 'POST', '/messages', json, '{}', 401],
])('%s: %s %s %j', async (_who, method, path, headers, body, status) => {
  const server = await start({ development: true, ...allowed })
  const answer = await ask(server, method, path, headers, body)
  expect(answer.status).toBe(status)
  if (status === 403) expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'FORBIDDEN', retryable: false } })
})

test('its own pages use all of it', async () => {
  const server = await start({ development: true, sendMessage: sent })
  const own = { ...ownPage(server), ...json, authorization: await bearer('alice') }
  expect((await ask(server, 'POST', '/graphql', own, query)).status).toBe(200)
  expect((await ask(server, 'POST', '/dev/token', own, userId)).status).toBe(200)
  expect((await ask(server, 'POST', '/messages', own, '{"clientMessageId":"1"}')).status).toBe(201)
})

// ---------------------------------------------------------------- origins

/** PORT stands for the server's own. */
const origins: [origin: string, isAllowed: boolean][] = [
  [allowedOrigin, true],
  ['HTTPS://CHAT.EXAMPLE', true],
  ['https://with-port.example:8443', true],
  ['https://with-port.example', false],
  ['https://with-port.example:8444', false],
  ['https://chat.example:8443', false],
  ['http://chat.example', false],
  ['https://chat.example.evil.com', false],
  ['https://evil.com/chat.example', false],
  ['https://chat.example@evil.com', false],
  ['https://evil.com@chat.example', false],
  ['https://evil-chat.example', false],
  ['https://sub.chat.example', false],
  ['https://chat.example.', false],
  ['https://chat.example/', false],
  ['https://chat.example, https://evil.com', false],
  ['https://chat.example https://evil.com', false],
  ['https://chat%2eexample', false],
  ['*', false],
  ['', false],
  ['null', false],
  ['NULL', false],
  ['file://', false],
  ['file:///etc/passwd', false],
  ['data:', false],
  ['chat.example', false],
  ['http://127.0.0.1:PORT', true],
  ['https://127.0.0.1:PORT', true],
  ['http://127.0.0.1:PORT/', false],
  ['http://evil@127.0.0.1:PORT', false],
  ['ftp://127.0.0.1:PORT', false],
  ['http://localhost:PORT', false],
  ['http://127.0.0.1', false],
]

test.each(origins)('a socket and a request of the origin %s: %s', async (given, isAllowed) => {
  const server = await start(allowed)
  const origin = given.replace('PORT', String(server.port))
  const socket = new WebSocket(server.wsUrl, ['graphql-transport-ws'], { headers: { origin } })
  const outcome = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
  ])
  socket.on('error', () => undefined).terminate()
  expect(outcome).toBe(isAllowed ? 101 : 403)
  const { status, headers } = await ask(server, 'POST', '/graphql', { ...json, origin }, query)
  expect(status).toBe(isAllowed ? 200 : 403)
  const isListed = isAllowed && !given.includes('PORT')
  expect(headers['access-control-allow-origin']).toBe(isListed ? origin : undefined)
  expect(headers['access-control-allow-credentials']).toBeUndefined()
})

test.each(['/graphql', '/messages'])('an allowed page hears what it may do with %s', async (path) => {
  const server = await start(allowed)
  const asking = { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' }
  const { status, headers } = await ask(server, 'OPTIONS', path, { ...asking, origin: allowedOrigin })
  expect([status, access(headers)]).toEqual([
    204,
    {
      'access-control-allow-origin': allowedOrigin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-expose-headers': 'retry-after, x-request-id',
      'access-control-max-age': '600',
    },
  ])
  expect(headers.vary).toBe('origin')
  for (const origin of ['https://evil.example', 'null']) {
    const refused = await ask(server, 'OPTIONS', path, { ...asking, origin })
    expect([refused.status, access(refused.headers), refused.headers.vary]).toEqual([204, {}, 'origin'])
  }
})

test.each(['/dev/token', '/metrics', '/healthz', '/nowhere'])('nobody from elsewhere may read %s', async (path) => {
  const server = await start({ development: true, ...allowed })
  for (const method of ['OPTIONS', 'GET', 'POST']) {
    expect(access((await ask(server, method, path, { origin: allowedOrigin })).headers)).toEqual({})
  }
})

const access = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

// ---------------------------------------------------------------- DNS rebinding

test.each([
  ['localhost', true],
  ['localhost:4000', true],
  ['app.localhost:4000', true],
  ['127.0.0.1:4000', true],
  ['[::1]:4000', true],
  ['192.168.1.7', true],
  ['parley:4000', true],
  ['mine.local', true],
  ['host.docker.internal:4000', true],
  ['chat.example', true],
  ['evil.example', false],
  ['evil.example:4000', false],
  ['evil.example.', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['a b', false],
])('tokens are handed out to anybody under the name %s: %s', async (host, isFamiliar) => {
  const server = await start({ development: true, ...allowed })
  const { status, body } = await ask(server, 'POST', '/dev/token', { ...json, host }, userId)
  expect([status, body.includes('eyJ')]).toEqual(isFamiliar ? [200, true] : [403, false])
  for (const path of ['/', '/graphql']) {
    const page = await ask(server, 'GET', path, { host, accept: 'text/html' })
    expect([path, page.status, page.body.includes('Bearer eyJ')]).toEqual([path, 200, isFamiliar])
  }
})

// ---------------------------------------------------------------- headers

const file = { id: '1' as AttachmentId, key: 'attachments/1', contentType: 'text/plain', byteSize: 2, name: 'a.txt' }
const mediaFiles: MediaFiles = {
  accept: (_method, queried) => (queried.has('signed') ? file : undefined),
  write: async () => true,
  read: async () => ({ byteSize: 2, bytes: () => Readable.from(['hi']) }),
}

test.each<[method: string, path: string, status: number, headers?: Headers, body?: string]>([
  ['GET', '/', 200],
  ['GET', '/graphql', 200, { accept: 'text/html' }],
  ['GET', '/graphql?query={__typename}', 200],
  ['GET', '/graphql?query=mutation{hang}', 405],
  ['POST', '/graphql', 200, json, query],
  ['POST', '/graphql', 400, json, '{'],
  ['POST', '/graphql', 401, { ...json, authorization: 'Bearer x' }, query],
  ['POST', '/graphql', 413, { ...json, 'content-length': '9999999' }],
  ['POST', '/graphql', 415, text, query],
  ['POST', '/graphql', 403, fromForeignPage],
  ['PUT', '/graphql', 405],
  ['OPTIONS', '/graphql', 204, { origin: allowedOrigin }],
  ['POST', '/messages', 401, json],
  ['POST', '/dev/token', 200, json, userId],
  ['POST', '/dev/token', 400, json, '{}'],
  ['GET', '/media', 403],
  ['GET', '/media?signed', 200],
  ['GET', '/healthz', 200],
  ['HEAD', '/healthz', 200],
  ['GET', '/readyz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/nowhere', 404],
])('%s %s, %i, says what browsers should know', async (method, path, status, headers, body) => {
  const server = await start({ development: true, mediaFiles, ...allowed })
  const answer = await ask(server, method, path, headers, body)
  expect(answer.status).toBe(status)
  const isGraphiQL = headers?.accept === 'text/html'
  const { 'content-security-policy': policy = '', ...others } = answer.headers
  expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/)
  expect(others).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': path === '/media?signed' ? 'cross-origin' : 'same-origin',
    'permissions-policy': expect.stringContaining('camera=()'),
    'cache-control': path === '/media?signed' ? 'private, max-age=3600' : isGraphiQL ? 'private, no-cache' : 'no-store',
  })
  for (const telltale of ['x-powered-by', 'server', 'via']) expect(others[telltale]).toBeUndefined()
  expect(others.etag !== undefined).toBe(isGraphiQL)
})

// ---------------------------------------------------------------- HTTP that is none

/** Sends these bytes and returns what comes back until the server hangs up. */
async function sendBytes({ port }: Started, bytes: string): Promise<string> {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  // Closed with an error or without: `once` of node:events would throw the error.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(bytes)
  await closed
  return received
}

const host = 'Host: localhost\r\nConnection: close\r\n'
const upgrade = 'Host: localhost\r\nConnection: Upgrade\r\n'
const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const strict = 'Accept: application/graphql-response+json\r\n'
const typename = 'query=%7B__typename%7D'
const post = `POST /graphql HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
const withLength = `Content-Length: ${query.length}\r\n`

test.each<[what: string, bytes: string, answer: string]>([
  // Paths: exactly these, in exactly this writing.
  ['a slash at the end', `GET /graphql/?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a slash too many', `GET //graphql?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a letter in code', `GET /%67raphql?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a NUL in code', `GET /graphql%00?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a detour', `GET /x/../graphql?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a detour to a file', `GET /assets/../../../../etc/passwd HTTP/1.1\r\n${host}\r\n`, '404'],
  ['capitals', `GET /GraphQL?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a parameter of the path', `GET /graphql;x=1?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['a whole address: this is no proxy', `GET http://evil.example/graphql?${typename} HTTP/1.1\r\n${host}\r\n`, '404'],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, '404'],
  ['no path', `GET ?${typename} HTTP/1.1\r\n${host}\r\n`, '400'],
  ['a broken code in the query', `GET /graphql?query=%E0%A4%A HTTP/1.1\r\n${host}${strict}\r\n`, '400'],
  ['a question mark alone', `GET /graphql? HTTP/1.1\r\n${host}\r\n`, '400'],
  // Methods.
  ['TRACE', `TRACE /graphql HTTP/1.1\r\n${host}\r\n`, '405'],
  ['DELETE', `DELETE /graphql HTTP/1.1\r\n${host}\r\n`, '405'],
  ['a method of caches', `PURGE /graphql HTTP/1.1\r\n${host}\r\n`, '405'],
  ['CONNECT: hung up on', `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`, ''],
  ['no method at all', `\0\0\0\0 /graphql HTTP/1.1\r\n${host}\r\n`, '400'],
  ['a method nobody knows', `STEAL /graphql HTTP/1.1\r\n${host}\r\n`, '400'],
  ['methods in small letters', `get /graphql HTTP/1.1\r\n${host}\r\n`, '400'],
  // Versions and hosts.
  ['HTTP/1.0, which has no Host', `GET /graphql?${typename} HTTP/1.0\r\n\r\n`, '200'],
  ['HTTP/1.1 without Host', `GET /graphql?${typename} HTTP/1.1\r\nConnection: close\r\n\r\n`, '400'],
  ['HTTP/3.0', `GET /graphql HTTP/3.0\r\n${host}\r\n`, '400'],
  ['the first line of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', '400'],
  ['a Host that is none', `GET /graphql?${typename} HTTP/1.1\r\nHost: <script>\r\nConnection: close\r\n\r\n`, '200'],
  // Sizes.
  ['an endless address', `GET /graphql?${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, '431'],
  ['an endless header', `GET /graphql HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
  // Where one request ends and the next begins.
  ['two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n${query}`, '400'],
  ['a length and pieces', `${post}${withLength}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, '400'],
  ['pieces of another kind', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, '400'],
  ['a negative length', `${post}Content-Length: -1\r\n\r\n`, '400'],
  ['a length in words', `${post}Content-Length: many\r\n\r\n`, '400'],
  ['a piece of no size', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, '400'],
  ['a header with a space before its colon', `${post}X : 1\r\n\r\n`, '400'],
  ['a folded header', `${post}X: 1\r\n  2\r\n\r\n`, '400'],
  ['a NUL in a header', `${post}X: a\0b\r\n\r\n`, '400'],
  // Expectations.
  ['Expect: 100-continue', `${post}${withLength}Expect: 100-continue\r\n\r\n${query}`, '100 200'],
  ['another expectation', `${post}${withLength}Expect: miracles\r\n\r\n${query}`, '417'],
  // Upgrades.
  ['an upgrade to HTTP/2', `GET /graphql HTTP/1.1\r\n${upgrade}Upgrade: h2c\r\n\r\n`, '400'],
  ['an upgrade to nothing known', `GET /nowhere HTTP/1.1\r\n${upgrade}Upgrade: gopher\r\n\r\n`, '400'],
  ['a socket elsewhere', `GET /messages HTTP/1.1\r\n${upgrade}Upgrade: websocket\r\n${key}\r\n`, '404'],
  ['a socket in other writing', `GET /%67raphql HTTP/1.1\r\n${upgrade}Upgrade: websocket\r\n${key}\r\n`, '404'],
  ['a socket by POST', `POST /graphql HTTP/1.1\r\n${upgrade}Upgrade: websocket\r\n${key}\r\n`, '405'],
  ['a socket without a key', `GET /graphql HTTP/1.1\r\n${upgrade}Upgrade: websocket\r\n\r\n`, '400'],
])('%s', async (_what, bytes, expected) => {
  const server = await start()
  const answer = await sendBytes(server, bytes)
  expect([...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status).join(' ')).toBe(expected)
  expect(answer).not.toMatch(/HPE_|llhttp|node_modules|node:|\.ts:|\.js:|\wError:|x-powered-by|<script>|evil\.example/i)
  expect((await ask(server, 'POST', '/graphql', json, query)).status).toBe(200)
})
