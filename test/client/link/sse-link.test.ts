import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  MessageAddedDocument,
  TicksChangedDocument,
  ViewerDocument,
} from '../../../packages/client/src/generated/graphql.ts'
import type { HttpOptions } from '../../../packages/client/src/link/http.ts'
import type { Ask, Link } from '../../../packages/client/src/link/link.ts'
import { openSseLink } from '../../../packages/client/src/link/sse-link.ts'
import { createTokens } from '../../../packages/client/src/link/tokens.ts'
import { expectNoTimers, isDone, nameOf, queue, scriptedAsk, settled } from '../kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => void vi.useRealTimers())

const boundaryOf = (seq: number) => ({ ticksChanged: { conversationId: 'dm_1', userId: 'bob', lastDeliveredSeq: seq } })
const next = (payload: unknown) => `event: next\ndata: ${JSON.stringify(payload)}\n\n`
const complete = 'event: complete\ndata:\n\n'
const coded = (code: string, retryable = false) => ({ message: 'No.', extensions: { code, retryable } })

/** What there is to do comes in several turns of the loop: streams hand over from one to the next. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await settled()
}

type Request = {
  name: string
  variables: unknown
  token: string | undefined
  signal: AbortSignal
  /** The stream begins. */
  accept(): { say(text: string): Promise<void>; end(): Promise<void>; break(): Promise<void> }
  answer(response: Response): Promise<void>
  fail(error: unknown): Promise<void>
}

/** The test is the server. */
function scriptedFetch() {
  const requests = queue<Request>()
  const fetchIt = (_url: unknown, init: RequestInit = {}) =>
    new Promise<Response>((resolve, reject) => {
      const { query, variables } = JSON.parse(String(init.body))
      const signal = init.signal as AbortSignal
      const aborted = () => new DOMException('This operation was aborted', 'AbortError')
      signal.addEventListener('abort', () => reject(aborted()))
      requests.push({
        name: nameOf(query),
        variables,
        token: (init.headers as Record<string, string>).authorization,
        signal,
        accept() {
          let controller: ReadableStreamDefaultController<Uint8Array> | undefined
          const body = new ReadableStream<Uint8Array>({
            start(given) {
              controller = given
              signal.addEventListener('abort', () => given.error(aborted()))
            },
          })
          resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
          return {
            async say(text) {
              controller?.enqueue(new TextEncoder().encode(text))
              await turns()
            },
            async end() {
              controller?.close()
              await turns()
            },
            async break() {
              controller?.error(new TypeError('terminated'))
              await turns()
            },
          }
        },
        async answer(response) {
          resolve(response)
          await turns()
        },
        async fail(error) {
          reject(error)
          await turns()
        },
      })
    })
  return { fetch: fetchIt as typeof fetch, requests }
}

function options(fetchIt: typeof fetch, url = 'http://chat/graphql'): HttpOptions & { ask: Ask } {
  let given = 0
  return { url: () => url, tokens: createTokens(() => `t${++given}`), fetch: fetchIt, ask: scriptedAsk().ask }
}

/** A link that stands. */
async function opened() {
  const { fetch: fetchIt, requests } = scriptedFetch()
  const given = options(fetchIt)
  const opening = openSseLink(given)
  const probe = await requests.next()
  probe.accept()
  const link = await opening
  onTestFinished(() => link.close())
  return { ...given, link, requests, probe }
}

/** Its events, and how it ended. */
function followed(link: Link) {
  const events = queue<unknown>()
  const ends = queue<{ code: string; message: string }>()
  const stop = link.follow?.(TicksChangedDocument, {}, { event: events.push, end: ends.push }) ?? (() => undefined)
  return { events, ends, stop }
}

/** A stream that has begun. */
async function streaming() {
  const world = await opened()
  const sink = followed(world.link)
  const request = await world.requests.next()
  const stream = request.accept()
  await turns()
  return { ...world, ...sink, request, stream }
}

describe('a link by streams over HTTP', () => {
  it('is open when one stream was seen to begin, and lets go of that', async () => {
    const { link, probe, ask } = await opened()
    expect(probe).toMatchObject({ name: 'TicksChanged', token: 'Bearer t1' })
    expect(probe.signal.aborted).toBe(true)
    expect(link).toMatchObject({ via: 'sse', ask })
    await turns()
    expectNoTimers()
  })

  it('is not open before, and given up after 5 s', async () => {
    const { fetch: fetchIt, requests } = scriptedFetch()
    const outcome = openSseLink(options(fetchIt)).catch((error) => error)
    const probe = await requests.next()
    await vi.advanceTimersByTimeAsync(4999)
    expect(await isDone(outcome)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toMatchObject({ code: 'NETWORK', retryable: true })
    expect(probe.signal.aborted).toBe(true)
    await turns()
    expectNoTimers()
  })

  it.each([
    ['cannot be reached', (request: Request) => request.fail(new TypeError('fetch failed')), 'NETWORK'],
    ['answers without JSON', (request: Request) => request.answer(new Response('<h1>', { status: 502 })), 'NETWORK'],
    ['has no stream', (request: Request) => request.answer(new Response(null, { status: 204 })), 'NETWORK'],
    [
      'cannot answer now',
      (request: Request) => request.answer(Response.json({ errors: [coded('UNAVAILABLE', true)] }, { status: 503 })),
      'UNAVAILABLE',
    ],
  ])('does not open when the server %s', async (_what, refuse, code) => {
    const { fetch: fetchIt, requests } = scriptedFetch()
    const outcome = openSseLink(options(fetchIt)).catch((error) => error)
    await refuse(await requests.next())
    expect(await outcome).toMatchObject({ code, retryable: true })
    expectNoTimers()
  })

  it('does not open when the token is refused, and the token is replaced', async () => {
    const { fetch: fetchIt, requests } = scriptedFetch()
    const given = options(fetchIt)
    const outcome = openSseLink(given).catch((error) => error)
    await (await requests.next()).answer(Response.json({ errors: [coded('UNAUTHENTICATED')] }, { status: 401 }))
    expect(await outcome).toMatchObject({ code: 'UNAUTHENTICATED', retryable: false })
    expect(await given.tokens.get()).toBe('t2')
    expectNoTimers()
  })

  it('does not open without a token, nor without an address', async () => {
    const { fetch: fetchIt } = scriptedFetch()
    const none = createTokens(() => Promise.reject(new Error('none')))
    await expect(openSseLink({ ...options(fetchIt), tokens: none })).rejects.toMatchObject({ code: 'NETWORK' })
    const url = () => {
      throw new Error('not configured')
    }
    await expect(openSseLink({ ...options(fetchIt), url })).rejects.toThrow('not configured')
    await vi.advanceTimersByTimeAsync(60_000)
    expectNoTimers()
  })
})

describe('a stream', () => {
  it('asks for what it was told to, with the token', async () => {
    const { link, requests } = await opened()
    const after = [{ conversationId: 'dm_1', seq: 4 }]
    link.follow?.(MessageAddedDocument, { after }, { event: () => undefined, end: () => undefined })
    expect(await requests.next()).toMatchObject({ name: 'MessageAdded', variables: { after }, token: 'Bearer t1' })
  })

  it('brings its events in order, however they are cut into pieces', async () => {
    const { stream, events } = await streaming()
    const text = [1, 2, 3].map((seq) => next({ data: boundaryOf(seq) })).join('')
    await stream.say(text.slice(0, 30))
    await stream.say(`${text.slice(30)}:\n\n`)
    expect(events.rest()).toEqual([1, 2, 3].map(boundaryOf))
  })

  it.each([
    ['is ended by the server', (stream: { say(text: string): Promise<void> }) => stream.say(complete)],
    ['is cut', (stream: { break(): Promise<void> }) => stream.break()],
    ['just stops', (stream: { end(): Promise<void> }) => stream.end()],
    ['brings something else', (stream: { say(text: string): Promise<void> }) => stream.say('event: odd\ndata: 1\n\n')],
  ])('that %s says so once, and leaves no timer', async (_what, end) => {
    const { stream, ends } = await streaming()
    await end(stream)
    expect(ends.rest()).toMatchObject([{ code: 'NETWORK' }])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ends.rest()).toEqual([])
    expectNoTimers()
  })

  it('of which an event fails is over', async () => {
    const { stream, ends, events, request } = await streaming()
    await stream.say(next({ data: null, errors: [coded('SEQ_OUT_OF_RANGE')] }) + next({ data: boundaryOf(2) }))
    expect(ends.rest()).toMatchObject([{ code: 'SEQ_OUT_OF_RANGE', retryable: false }])
    expect(events.rest()).toEqual([])
    expect(request.signal.aborted).toBe(true)
    expectNoTimers()
  })

  it('that is refused says why', async () => {
    const { link, requests, tokens } = await opened()
    const { ends } = followed(link)
    await (await requests.next()).answer(Response.json({ errors: [coded('UNAUTHENTICATED')] }, { status: 401 }))
    expect(ends.rest()).toMatchObject([{ code: 'UNAUTHENTICATED' }])
    expect(await tokens.get()).toBe('t2')
    expectNoTimers()
  })

  it('that is stopped lets go of the request, and is silent from then on', async () => {
    const { stream, stop, request, events, ends } = await streaming()
    await stream.say(next({ data: boundaryOf(1) }))
    stop()
    expect(request.signal.aborted).toBe(true)
    await turns()
    expect(events.rest()).toEqual([boundaryOf(1)])
    expect(ends.rest()).toEqual([])
    expectNoTimers()
  })

  it('that is stopped before it has begun lets go of the request, too', async () => {
    const { link, requests } = await opened()
    const { stop, ends } = followed(link)
    const request = await requests.next()
    stop()
    stop()
    expect(request.signal.aborted).toBe(true)
    await turns()
    expect(ends.rest()).toEqual([])
    expectNoTimers()
  })

  it('is given 30 s of silence, counted from the last it said, if only that it is there', async () => {
    const { stream, ends, request } = await streaming()
    await vi.advanceTimersByTimeAsync(29_000)
    await stream.say(':\n\n')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(ends.rest()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends.rest()).toMatchObject([{ code: 'NETWORK', message: 'The stream fell silent.' }])
    expect(request.signal.aborted).toBe(true)
    expectNoTimers()
  })

  it('that never begins is given 30 s, too', async () => {
    const { link, requests } = await opened()
    const { ends } = followed(link)
    const request = await requests.next()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(ends.rest()).toMatchObject([{ code: 'NETWORK' }])
    expect(request.signal.aborted).toBe(true)
    await turns()
    expectNoTimers()
  })

  it('ends with the link, which tells nobody', async () => {
    const { link, request, ends } = await streaming()
    const other = followed(link)
    link.close()
    expect(request.signal.aborted).toBe(true)
    await turns()
    expect([...ends.rest(), ...other.ends.rest()]).toEqual([])
    expectNoTimers()
  })

  it('does not take others with it', async () => {
    const { link, requests, stream, events } = await streaming()
    const other = followed(link)
    await (await requests.next()).fail(new TypeError('fetch failed'))
    expect(other.ends.rest()).toHaveLength(1)
    await stream.say(next({ data: boundaryOf(1) }))
    expect(events.rest()).toEqual([boundaryOf(1)])
  })
})

describe('over a real server', () => {
  type Exchange = { request: IncomingMessage; response: ServerResponse }

  async function startServer() {
    const exchanges = queue<Exchange>()
    const server = createServer((request, response) => exchanges.push({ request, response }))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    const { port } = server.address() as AddressInfo
    return { exchanges, given: options(fetch, `http://127.0.0.1:${port}/graphql`) }
  }

  const begin = ({ response }: Exchange) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
  }

  it('events come in order, the server hears of a stop, and a lost connection ends the stream', async () => {
    const { exchanges, given } = await startServer()
    const opening = openSseLink(given)
    const probe = await exchanges.next()
    const probeClosed = once(probe.response, 'close')
    begin(probe)
    const link = await opening
    await probeClosed

    const first = followed(link)
    const one = await exchanges.next()
    expect(one.request.headers).toMatchObject({ authorization: 'Bearer t1', accept: 'text/event-stream' })
    begin(one)
    for (const seq of [1, 2]) one.response.write(next({ data: boundaryOf(seq) }))
    expect([await first.events.next(), await first.events.next()]).toEqual([1, 2].map(boundaryOf))
    const stopped = once(one.response, 'close')
    first.stop()
    await stopped

    const second = followed(link)
    const two = await exchanges.next()
    begin(two)
    two.response.write(next({ data: boundaryOf(3) }))
    expect(await second.events.next()).toEqual(boundaryOf(3))
    two.response.destroy()
    expect(await second.ends.next()).toMatchObject({ code: 'NETWORK' })
    expect(first.ends.rest()).toEqual([])
    link.close()
  })

  it('a refusal says why', async () => {
    const { exchanges, given } = await startServer()
    const outcome = openSseLink(given).catch((error) => error)
    const { response } = await exchanges.next()
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ errors: [coded('UNAUTHENTICATED')] }))
    expect(await outcome).toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

it('questions go by POST as ever', async () => {
  const { link, ask } = await opened()
  expect(link.ask).toBe(ask)
  expect(await isDone(link.ask(ViewerDocument, {}))).toBe(false)
  expect(await isDone(link.gone)).toBe(false)
})
