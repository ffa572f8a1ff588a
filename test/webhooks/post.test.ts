import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createWebhookPost } from '../../src/webhooks/post.ts'
import { listen } from '../kit/services/listen.ts'
import { startRawServer } from '../kit/services/raw-server.ts'
import { waitUntil } from '../kit/wait-until.ts'
import { realClock } from '../transport/kit.ts'

// How one event is posted, on real sockets.

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

type Options = Partial<Parameters<typeof createWebhookPost>[0]>
function createPost(options: Options = {}) {
  const made = createWebhookPost({ allowed: 'loopback', clock: realClock, timeoutMs: 20_000, ...options })
  undo.push(made.close)
  const secrets = [made.newSecret(), made.newSecret()]
  return { ...made, secrets, to: (url: string) => made.post({ url, secrets, id: 'evt_1', body: '{"id":"evt_1"}' }) }
}

async function startEndpoint(answer: (response: ServerResponse, request: IncomingMessage, text: string) => void) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    asked.push(`${request.method} ${request.url}`)
    answer(response, request, text)
  })
  const { origin, stop } = await listen(server)
  undo.push(stop)
  return { url: `${origin}/parley`, asked, server }
}

/** A name server that says what it is told to. */
function names(found: () => string[]) {
  const asked: string[] = []
  const resolve: NonNullable<Options['resolve']> = (hostname, _options, done) => {
    asked.push(hostname)
    done(
      null,
      found().map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { asked, resolve }
}

describe('a request', () => {
  it('is signed with each secret, as the public library verifies it', async () => {
    const { to, secrets } = createPost()
    const verified: unknown[] = []
    const { url } = await startEndpoint((response, { headers }, text) => {
      for (const secret of secrets) verified.push(new Webhook(secret).verify(text, headers as Record<string, string>))
      expect(() => new Webhook('whsec_AAAA').verify(text, headers as Record<string, string>)).toThrow()
      response.end()
    })
    expect(await to(url)).toMatchObject({ ok: true })
    expect(verified).toEqual([{ id: 'evt_1' }, { id: 'evt_1' }])
  })

  it.each([301, 302, 303, 307, 308])('that is answered with %i is not taken, and leads nowhere', async (status) => {
    const { to } = createPost()
    const { url, asked } = await startEndpoint((response) => response.writeHead(status, { location: '/other' }).end())
    expect(await to(url)).toMatchObject({ ok: false, status })
    expect(asked).toEqual(['POST /parley'])
  })

  it.each([
    ['120', 120_000],
    ['99999999', 86_400_000],
    ['soon', undefined],
  ])('that is answered with Retry-After: %s', async (header, retryAfterMs) => {
    const { to } = createPost()
    const { url } = await startEndpoint((response) => response.writeHead(503, { 'retry-after': header }).end())
    expect(await to(url)).toEqual({
      ok: false,
      status: 503,
      error: 'status 503',
      tookMs: expect.any(Number),
      ...(retryAfterMs && { retryAfterMs }),
    })
  })

  it('whose answer does not end is taken by its status, and its connection is not kept', async () => {
    const { to } = createPost()
    let sentBytes = 0
    let isClosed = false
    const { url } = await startEndpoint((response) => {
      response.on('close', () => {
        isClosed = true
      })
      response.writeHead(200)
      const more = () => {
        if (isClosed) return
        sentBytes += 65_536
        response.write(Buffer.alloc(65_536), () => setImmediate(more))
      }
      more()
    })
    expect(await to(url)).toMatchObject({ ok: true })
    await waitUntil(async () => isClosed)
    expect(sentBytes).toBeLessThan(50_000_000)
  })

  it('that nobody answers is over in time', async () => {
    const { to } = createPost({ timeoutMs: 200 })
    const silent = await startRawServer(() => undefined)
    undo.push(silent.stop)
    expect(await to(silent.origin)).toMatchObject({ ok: false, error: 'no answer in time' })
    await waitUntil(async () => silent.open() === 0)
  })

  it('that meets a connection which the endpoint has just closed is made once more', async () => {
    const { to } = createPost()
    let requests = 0
    const server = await startRawServer((socket) => {
      requests += 1
      if (requests === 2) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
    undo.push(server.stop)
    expect(await to(server.origin)).toMatchObject({ ok: true })
    // The connection is kept when its answer has been read.
    await new Promise(setImmediate)
    expect(await to(server.origin)).toMatchObject({ ok: true })
    expect(requests).toBe(3)
  })

  it('quotes nothing of what it was answered', async () => {
    const { to } = createPost()
    const { url } = await startEndpoint((response) => response.writeHead(500, 'credentials').end('credentials'))
    expect(JSON.stringify(await to(url))).not.toContain('credentials')
  })
})

describe('an address', () => {
  it('is looked at again when it is connected to: a name that has been turned inside gets nothing', async () => {
    const { url, asked } = await startEndpoint((response) => response.end())
    const { port } = new URL(url)
    let found = ['93.184.215.14']
    const dns = names(() => found)
    for (const allowed of ['public', 'loopback'] as const) {
      const { to, problemOf } = createPost({ allowed, ...dns })
      found = ['93.184.215.14']
      expect(await problemOf(`https://rebound.example:${port}/`)).toBeUndefined()
      found = allowed === 'public' ? ['127.0.0.1'] : ['10.0.0.1']
      const before = dns.asked.length
      expect(await to(`https://rebound.example:${port}/`)).toMatchObject({ ok: false, error: inside })
      // It is looked up once: the address that was looked at is the one to connect to.
      expect(dns.asked.length - before).toBe(1)
    }
    expect(asked).toEqual([])
  })

  it('is refused where one of several leads inside', async () => {
    const dns = names(() => ['93.184.215.14', '::ffff:10.0.0.1'])
    const { to, problemOf } = createPost({ allowed: 'public', ...dns })
    expect(await problemOf('https://mixed.example/')).toContain('private network')
    expect(await to('https://mixed.example/')).toMatchObject({ ok: false, error: inside })
  })

  it.each([
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://localhost/',
    'https://10.0.0.1.nip.internal/',
  ])('%s is refused when it is set', async (url) => {
    const { problemOf, to } = createPost({ allowed: 'public', ...names(() => ['127.0.0.1']) })
    expect(await problemOf(url)).toContain('private network')
    expect(await to(url)).toMatchObject({ ok: false, error: inside })
  })

  it('is asked for once more where the connection has arrived, whatever has found it', async () => {
    const { url, asked } = await startEndpoint((response) => response.end())
    const { port } = new URL(url)
    // A resolver that says something else to whoever connects than to whoever looks.
    let calls = 0
    const resolve: NonNullable<Options['resolve']> = (_name, _options, done) => {
      const answer = [{ address: '93.184.215.14', family: 4 }]
      calls += 1
      // The list is changed after it was looked at.
      done(null, Object.assign(answer, { every: () => true, 0: { address: '127.0.0.1', family: 4 } }))
    }
    const { to } = createPost({ allowed: 'public', resolve })
    expect(await to(`http://turned.example:${port}/`)).toMatchObject({ ok: false, error: inside })
    expect(calls).toBe(1)
    expect(asked).toEqual([])
  })
})

const inside = 'the address leads into a private network'
