import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Readiness } from '../../../src/transport/http/health.ts'
import { asUser, bearer, createManualClock, post, type Started, start } from '../kit.ts'

const limit = 128 * 1024

/** Sends in pieces, without announcing the size. */
async function postChunked(server: Started, path: string, bytes: number): Promise<number | undefined> {
  const request = httpRequest(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: await bearer('alice') },
  })
  const answered = once(request, 'response')
  for (let sent = 0; sent < bytes; sent += 16 * 1024) request.write(' '.repeat(16 * 1024))
  request.end()
  const [response] = await answered
  response.resume()
  return response.statusCode
}

describe.each(['/graphql', '/messages', '/dev/token'])('the size of a body to %s', (path) => {
  const postOf = async (server: Started, body: string) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: await bearer('alice') },
      body,
    })

  test('128 KB is taken', async () => {
    const server = await start({ development: true })
    const response = await postOf(server, '{}'.padEnd(limit))
    expect(response.status).not.toBe(413)
  })

  test('more is 413, with an error of the usual shape', async () => {
    const server = await start({ development: true })
    const response = await postOf(server, '{}'.padEnd(limit + 1))
    expect(response.status).toBe(413)
    expect(JSON.stringify(await response.json())).toContain('"code":"BAD_USER_INPUT"')
  })

  test('so is more in pieces of unknown number', async () => {
    const server = await start({ development: true })
    expect(await postChunked(server, path, limit)).not.toBe(413)
    expect(await postChunked(server, path, 2 * limit)).toBe(413)
  })

  test('a client that goes on sending is cut off', async () => {
    const server = await start({ development: true })
    const request = httpRequest(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: await bearer('alice') },
    })
    // It is closed with an error or without, by whether the answer or the end of the connection comes first.
    request.on('error', () => undefined)
    const closed = new Promise((resolve) => request.once('close', resolve))
    const flood = () => {
      while (!request.destroyed && request.write(Buffer.alloc(256 * 1024)));
    }
    request.on('drain', flood)
    flood()
    await closed
  })
})

describe('other origins', () => {
  const origin = 'https://chat.example'
  const allowed = { env: { ALLOWED_ORIGINS: `${origin},https://two.example` } }
  const preflight = (server: Started, path: string, from: string) =>
    fetch(`${server.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-mine',
      },
    })

  test.each(['/graphql', '/messages'])('an allowed page may use %s', async (path) => {
    const server = await start(allowed)
    const asked = await preflight(server, path, origin)
    expect(asked.status).toBe(204)
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization,content-type,x-mine',
      vary: 'origin',
    })
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: { origin }, body: '{}' })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  })

  test.each([
    ['another page', allowed, 'https://evil.example'],
    ['any page, when none is allowed', {}, origin],
  ])('%s may not', async (_what, options, from) => {
    const server = await start(options)
    for (const path of ['/graphql', '/messages']) {
      expect((await preflight(server, path, from)).headers.get('access-control-allow-origin')).toBeNull()
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: { origin: from }, body: '{}' })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

describe('paths and methods', () => {
  test.each(['/nowhere', '/graphql/', '/health', '/constructor', '/__proto__', '//'])('%s is 404', async (path) => {
    const server = await start()
    const response = await fetch(server.url + path)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String), retryable: false },
    })
  })

  test.each([
    ['PUT', '/graphql', 'GET, POST'],
    ['DELETE', '/messages', 'POST'],
    ['GET', '/messages', 'POST'],
    ['POST', '/healthz', 'GET'],
    ['OPTIONS', '/healthz', 'GET'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const server = await start()
    const response = await fetch(server.url + path, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    expect(await response.json()).toMatchObject({ error: { retryable: false } })
  })
})

describe('health', () => {
  type Found = Awaited<ReturnType<Readiness['ask']>>
  const readinessOf = (ask: () => Promise<Found>): Readiness => ({ ask, last: () => ({ redis: true, dynamodb: true }) })
  const down = readinessOf(() => Promise.reject(new Error('down')))

  test('/healthz is 200 while the process lives, and says of which release it is', async () => {
    const server = await start({ readiness: down, env: { RELEASE: '1.2.3+build' } })
    const response = await fetch(`${server.url}/healthz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok', release: '1.2.3+build' })
    expect((await fetch(`${server.url}/healthz`, { method: 'HEAD' })).status).toBe(200)
  })

  test('/readyz is 200 when Redis and DynamoDB answer', async () => {
    const server = await start()
    const response = await fetch(`${server.url}/readyz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ready', redis: true, dynamodb: true })
  })

  test.each([
    { redis: { isFit: false, reason: 'full' }, dynamodb: { isFit: true } },
    { redis: { isFit: true }, dynamodb: { isFit: false, reason: 'denied' } },
  ])('/readyz is 503 and names the backend that fails, and why: %j', async (backends) => {
    const server = await start({ readiness: readinessOf(async () => backends) })
    const response = await fetch(`${server.url}/readyz`)
    expect(response.status).toBe(503)
    const failing = backends.redis.isFit ? 'dynamodb' : 'redis'
    expect(await response.json()).toEqual({
      status: 'unavailable',
      redis: backends.redis.isFit,
      dynamodb: backends.dynamodb.isFit,
      reasons: { [failing]: failing === 'redis' ? 'full' : 'denied' },
    })
  })

  test('/readyz is 503 when the check itself fails or hangs', async () => {
    const failing = await start({ readiness: down })
    expect((await fetch(`${failing.url}/readyz`)).status).toBe(503)
    const clock = createManualClock()
    const hanging = await start({ clock, readiness: readinessOf(() => new Promise(() => undefined)) })
    const answer = fetch(`${hanging.url}/readyz`)
    await clock.sleeper(2000)
    await clock.advance(2000)
    expect((await answer).status).toBe(503)
  })
})

test('/metrics is for Prometheus', async () => {
  const server = await start()
  const response = await fetch(`${server.url}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/)
  expect(await response.text()).toContain('process_cpu_seconds_total')
})

describe('development mode', () => {
  const askFor = (server: Started, body: unknown, type = 'application/json; charset=utf-8') =>
    fetch(`${server.url}/dev/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    })

  test('POST /dev/token gives a token that works', async () => {
    const server = await start({ development: true })
    const response = await askFor(server, { userId: 'carol', name: 'Carol' })
    expect(response.status).toBe(200)
    const { token } = (await response.json()) as { token: string }
    expect(await post(server, '{ me name }', { authorization: `Bearer ${token}` })).toMatchObject({
      data: { me: 'carol', name: 'Carol' },
    })
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded'])(
    'POST /dev/token answers 415 to what any page can have a browser send: %s',
    async (type) => {
      const server = await start({ development: true })
      expect((await askFor(server, { userId: 'carol' }, type)).status).toBe(415)
    },
  )

  test.each([{}, { userId: '' }, { userId: 'dm_x' }, { userId: 'a b' }, { userId: 7 }, { userId: 'x'.repeat(129) }])(
    'POST /dev/token answers 400 to a bad id: %j',
    async (body) => {
      const server = await start({ development: true })
      const response = await askFor(server, body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({
        error: { code: 'BAD_USER_INPUT', field: 'userId', retryable: false },
      })
    },
  )

  test('GET / is a page that asks nothing of any other host', async () => {
    const server = await start({ development: true })
    const response = await fetch(server.url)
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).toContain('<title>Parley</title>')
    expect(html).toContain('href="/graphql"')
    expect(html).toContain(`curl http://127.0.0.1:${server.port}/messages`)
    const outside = [...html.matchAll(/(?:src|href|url)\s*[=(]\s*["']?(https?:)?\/\//g)]
    expect(outside).toEqual([])
  })

  test('there is neither in any other mode', async () => {
    const server = await start()
    expect((await askFor(server, { userId: 'carol' })).status).toBe(404)
    expect((await fetch(server.url)).status).toBe(404)
  })

  test('the page does not repeat what a client calls the host', async () => {
    const server = await start({ development: true })
    const request = httpRequest(server.url, { headers: { host: '<script>' } }).end()
    const [response] = await once(request, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).not.toContain('<script>')
  })
})

test('the context of a resolver knows the viewer and nothing of HTTP', async () => {
  const seen: object[] = []
  const server = await start({
    createContext: (viewer) => {
      const context = { viewer }
      seen.push(context)
      return context
    },
  })
  await post(server, '{ me }', { authorization: await bearer('alice') })
  expect(seen).toEqual([{ viewer: expect.objectContaining({ userId: asUser('alice') }) }])
})
