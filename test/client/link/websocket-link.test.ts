import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import {
  SendMessageDocument,
  TicksChangedDocument,
  ViewerDocument,
} from '../../../packages/client/src/generated/graphql.ts'
import type { Link } from '../../../packages/client/src/link/link.ts'
import { createTokens } from '../../../packages/client/src/link/tokens.ts'
import { openWebSocketLink, type WebSocketLinkOptions } from '../../../packages/client/src/link/websocket-link.ts'
import { expectNoTimers, queue } from '../kit.ts'

// Real sockets; only the clock is the test's. The test is the server, frame by frame.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

// biome-ignore lint/suspicious/noExplicitAny: whatever the client has sent.
type Frame = any
type Peer = Awaited<ReturnType<typeof startServer>>['peers'] extends { next(): Promise<infer P> } ? P : never

/** Sockets come in one by one, and so do their frames. */
async function startServer() {
  const server = createHttpServer()
  const sockets = new WebSocketServer({ server, handleProtocols: ([first]) => first ?? false })
  const peers = queue<ReturnType<typeof peerOf>>()
  sockets.on('connection', (socket) => peers.push(peerOf(socket)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets.clients) socket.terminate()
    await closed(server)
  })
  return { url: urlOf(server), peers, server, sockets }
}

function peerOf(socket: WebSocket) {
  const frames = queue<Frame>()
  socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  return {
    socket,
    frames,
    /** With its code. */
    closed: once(socket, 'close').then(([code]) => code as number),
    say: (frame: Frame) => socket.send(JSON.stringify(frame)),
  }
}

const urlOf = (server: { address(): unknown }) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`

async function closed(server: Server | ReturnType<typeof createServer>): Promise<void> {
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

function options(url: string): WebSocketLinkOptions & { fetched: string[] } {
  const fetched: string[] = []
  const tokens = createTokens(() => {
    fetched.push(`t${fetched.length + 1}`)
    return fetched.at(-1) ?? ''
  })
  return { url: () => url, tokens, webSocket: WebSocket as unknown as typeof globalThis.WebSocket, fetched }
}

/** A link that stands, and the server's side of it. */
async function connected() {
  const server = await startServer()
  const given = options(server.url)
  const opening = openWebSocketLink(given)
  const peer = await server.peers.next()
  const init = await peer.frames.next()
  peer.say({ type: 'connection_ack' })
  const link = await opening
  onTestFinished(() => link.close())
  return { ...server, ...given, link, peer, init }
}

/** What the server hears of an operation. */
async function subscribed(peer: Peer) {
  const { type, id, payload } = await peer.frames.next()
  expect(type).toBe('subscribe')
  return {
    id,
    payload,
    next: (of: Frame) => peer.say({ type: 'next', id, payload: of }),
    error: (errors: Frame[]) => peer.say({ type: 'error', id, payload: errors }),
    complete: () => peer.say({ type: 'complete', id }),
  }
}

const viewer = { viewer: { id: 'alice', name: null } }
const boundaryOf = (seq: number) => ({ ticksChanged: { conversationId: 'dm_1', userId: 'bob', lastDeliveredSeq: seq } })
const coded = (code: string, retryable = false) => ({ message: 'No.', extensions: { code, retryable } })

/** Its events, and how it ended. */
function followed(link: Link) {
  const events = queue<unknown>()
  const ends = queue<{ code: string }>()
  const stop = link.follow?.(TicksChangedDocument, {}, { event: events.push, end: ends.push }) ?? (() => undefined)
  return { events, ends, stop }
}

describe('a WebSocket', () => {
  it('opens with the token, and is the link', async () => {
    const { link, init } = await connected()
    expect(init).toEqual({ type: 'connection_init', payload: { authorization: 'Bearer t1' } })
    expect(link.via).toBe('websocket')
  })

  it('is closed in order, and leaves no timer', async () => {
    const { link, peer } = await connected()
    link.close()
    expect(await peer.closed).toBe(1000)
    await link.gone
    expectNoTimers()
  })

  it('that the server closes is gone', async () => {
    const { link, peer } = await connected()
    peer.socket.close(1012, 'Restarting')
    expect(await link.gone).toMatchObject({ code: 'NETWORK', message: 'The WebSocket was closed (1012 Restarting).' })
    await peer.closed
    expectNoTimers()
  })

  it('that breaks is gone', async () => {
    const { link, peer } = await connected()
    peer.socket.terminate()
    expect(await link.gone).toMatchObject({ code: 'NETWORK', retryable: true })
    expectNoTimers()
  })

  it('whose token is not accepted any more is gone, and the token is replaced', async () => {
    const { link, peer, tokens, fetched } = await connected()
    peer.socket.close(4403, 'The token has expired')
    expect(await link.gone).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await tokens.get()).toBe('t2')
    expect(fetched).toEqual(['t1', 't2'])
  })

  it('is asked every 10 s whether it is alive, and stays while it answers', async () => {
    const { link, peer } = await connected()
    let gone = false
    void link.gone.then(() => {
      gone = true
    })
    for (let i = 0; i < 3; i += 1) {
      vi.advanceTimersByTime(10_000)
      expect(await peer.frames.next()).toEqual({ type: 'ping' })
      peer.say({ type: 'pong' })
      // Its answer comes after the pong, so the pong was heard.
      const answer = link.ask(ViewerDocument, {})
      const asked = await subscribed(peer)
      asked.next({ data: viewer })
      asked.complete()
      await answer
    }
    expect(gone).toBe(false)
  })

  it('that does not answer that for 5 s is gone', async () => {
    const { link, peer } = await connected()
    vi.advanceTimersByTime(10_000)
    expect(await peer.frames.next()).toEqual({ type: 'ping' })
    let gone = false
    void link.gone.then(() => {
      gone = true
    })
    vi.advanceTimersByTime(4999)
    await Promise.resolve()
    expect(gone).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await link.gone).toMatchObject({ code: 'NETWORK' })
    expect(await peer.closed).toBe(4499)
  })
})

describe('a WebSocket that does not open', () => {
  it('because nobody listens fails at once', async () => {
    const { server, url } = await startServer()
    await closed(server)
    await expect(openWebSocketLink(options(url))).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
    expectNoTimers()
  })

  it('because something in between refuses it fails at once', async () => {
    const server = createHttpServer()
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => closed(server))
    await expect(openWebSocketLink(options(urlOf(server)))).rejects.toMatchObject({ code: 'NETWORK' })
    expectNoTimers()
  })

  it('because the token is refused says so, and the token is replaced', async () => {
    const { url, peers } = await startServer()
    const given = options(url)
    const opening = openWebSocketLink(given).catch((error) => error)
    const peer = await peers.next()
    peer.socket.close(4403, 'Forbidden')
    expect(await opening).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await given.tokens.get()).toBe('t2')
    await peer.closed
    expectNoTimers()
  })

  it('because something in between says nothing is given up after 5 s', async () => {
    const server = createServer((socket) => socket.resume())
    const accepted = once(server, 'connection') as Promise<[Socket]>
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => closed(server))
    const outcome = openWebSocketLink(options(urlOf(server))).catch((error) => error)
    const [socket] = await accepted
    const left = once(socket, 'close')
    vi.advanceTimersByTime(4999)
    expect(await Promise.race([outcome, Promise.resolve('waiting')])).toBe('waiting')
    vi.advanceTimersByTime(1)
    expect(await outcome).toMatchObject({ code: 'NETWORK' })
    await left
    expectNoTimers()
  })

  it('because the server does not answer is given up after 5 s, and closed', async () => {
    const { url, peers } = await startServer()
    const outcome = openWebSocketLink(options(url)).catch((error) => error)
    const peer = await peers.next()
    await peer.frames.next()
    vi.advanceTimersByTime(5000)
    expect(await outcome).toMatchObject({ code: 'NETWORK' })
    expect(await peer.closed).toBe(4499)
  })

  it('because the application has no token fails', async () => {
    const given = { ...options('http://127.0.0.1:1'), tokens: createTokens(() => Promise.reject(new Error('no'))) }
    await expect(openWebSocketLink(given)).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
    expectNoTimers()
  })

  it('because there is none here says so', async () => {
    vi.stubGlobal('WebSocket', undefined)
    const given = { ...options('http://127.0.0.1:1'), webSocket: undefined }
    await expect(openWebSocketLink(given)).rejects.toMatchObject({ code: 'NETWORK' })
    expectNoTimers()
  })

  it.each([
    ['cannot be told', { url: () => raise('not configured') }],
    ['is none', { url: () => 'graphql' }],
  ])('because its address %s fails, and no more', async (_what, { url }) => {
    await expect(openWebSocketLink({ ...options(''), url })).rejects.toThrow()
    vi.advanceTimersByTime(60_000)
    expectNoTimers()
  })
})

function raise(message: string): never {
  throw new Error(message)
}

describe('a question', () => {
  const input = { clientMessageId: 'id1', to: { userId: 'bob' }, body: 'hi' }

  it('goes out with its variables and gets its answer', async () => {
    const { link, peer } = await connected()
    const answer = link.ask(SendMessageDocument, { input })
    const asked = await subscribed(peer)
    expect(asked.payload).toEqual({ query: SendMessageDocument.toString(), variables: { input } })
    asked.next({ data: viewer })
    asked.complete()
    expect(await answer).toEqual(viewer)
  })

  it('that fails is told the reason, whether it comes with the answer or instead of it', async () => {
    const { link, peer } = await connected()
    const first = link.ask(ViewerDocument, {}).catch((error) => error)
    const asked = await subscribed(peer)
    asked.next({ data: null, errors: [coded('FORBIDDEN')] })
    asked.complete()
    expect(await first).toMatchObject({ code: 'FORBIDDEN', retryable: false })
    const second = link.ask(ViewerDocument, {}).catch((error) => error)
    ;(await subscribed(peer)).error([coded('UNAVAILABLE', true)])
    expect(await second).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
  })

  it('that ends without an answer is a failure of the network', async () => {
    const { link, peer } = await connected()
    const answer = link.ask(ViewerDocument, {}).catch((error) => error)
    ;(await subscribed(peer)).complete()
    expect(await answer).toMatchObject({ code: 'NETWORK' })
  })

  it.each([1001, 1011, 4403, 4500])(
    'whose socket is closed with %d has failed for want of a network: it may be asked elsewhere',
    async (code) => {
      const { link, peer } = await connected()
      const answer = link.ask(ViewerDocument, {}).catch((error) => error)
      await subscribed(peer)
      peer.socket.close(code)
      expect(await answer).toMatchObject({ code: 'NETWORK', retryable: true })
    },
  )

  it('that is on its way when the link is closed is a failure of the network', async () => {
    const { link, peer } = await connected()
    const answer = link.ask(ViewerDocument, {}).catch((error) => error)
    await subscribed(peer)
    link.close()
    expect(await answer).toMatchObject({ code: 'NETWORK' })
  })

  it('after the end fails, and opens no other socket', async () => {
    const { link, peer, peers, url } = await connected()
    peer.socket.terminate()
    await link.gone
    const answer = link.ask(ViewerDocument, {}).catch((error) => error)
    const { ends, stop } = followed(link)
    const stopped = followed(link)
    stopped.stop()
    link.close()
    expect(await answer).toMatchObject({ code: 'NETWORK' })
    expect(await ends.next()).toMatchObject({ code: 'NETWORK' })
    stop()
    expect(stopped.ends.rest()).toEqual([])
    // Whoever had come to the server before would be first.
    const own = new WebSocket(url().replace('http', 'ws'), 'own')
    const open = once(own, 'open')
    expect((await peers.next()).socket.protocol).toBe('own')
    await open
    own.terminate()
    expectNoTimers()
  })
})

describe('a stream', () => {
  it('brings its events in order, until the server ends it', async () => {
    const { link, peer } = await connected()
    const { events, ends } = followed(link)
    const { next, complete } = await subscribed(peer)
    for (const seq of [1, 2, 3]) next({ data: boundaryOf(seq) })
    complete()
    expect(await ends.next()).toMatchObject({ code: 'NETWORK' })
    expect(events.rest()).toEqual([1, 2, 3].map(boundaryOf))
    expect(ends.rest()).toEqual([])
  })

  it('that is stopped tells the server, and is silent from then on', async () => {
    const { link, peer } = await connected()
    const { events, ends, stop } = followed(link)
    const { id, next } = await subscribed(peer)
    next({ data: boundaryOf(1) })
    await events.next()
    stop()
    expect(await peer.frames.next()).toEqual({ type: 'complete', id })
    next({ data: boundaryOf(2) })
    link.close()
    await link.gone
    expect(events.rest()).toEqual([])
    expect(ends.rest()).toEqual([])
  })

  it('that fails says why, once', async () => {
    const { link, peer } = await connected()
    const { ends } = followed(link)
    ;(await subscribed(peer)).error([coded('SEQ_OUT_OF_RANGE')])
    expect(await ends.next()).toMatchObject({ code: 'SEQ_OUT_OF_RANGE', retryable: false })
    peer.socket.terminate()
    await link.gone
    expect(ends.rest()).toEqual([])
  })

  it('of which an event fails is over, and the server is told', async () => {
    const { link, peer } = await connected()
    const { ends, events } = followed(link)
    const { id, next } = await subscribed(peer)
    next({ data: null, errors: [coded('UNAVAILABLE', true)] })
    next({ data: boundaryOf(2) })
    expect(await ends.next()).toMatchObject({ code: 'UNAVAILABLE' })
    expect(await peer.frames.next()).toEqual({ type: 'complete', id })
    expect(events.rest()).toEqual([])
  })

  it.each([
    [1012, 'NETWORK'],
    [4403, 'UNAUTHENTICATED'],
  ])('ends when its socket is closed with %d: %s', async (code, reason) => {
    const { link, peer } = await connected()
    const { ends } = followed(link)
    await subscribed(peer)
    peer.socket.close(code)
    expect(await ends.next()).toMatchObject({ code: reason })
  })
})
