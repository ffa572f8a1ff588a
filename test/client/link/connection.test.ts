import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SendMessageDocument, ViewerDocument } from '../../../packages/client/src/generated/graphql.ts'
import { type ConnectionOptions, createConnection } from '../../../packages/client/src/link/connection.ts'
import type { Link, Via } from '../../../packages/client/src/link/link.ts'
import { ClientError, networkError } from '../../../packages/client/src/shared/client-error.ts'
import type { Network } from '../../../packages/client/src/shared/network.ts'
import { busy, deferred, expectNoTimers, isDone, microtasks, refused, scriptedAsk, settled } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type FakeLink = Link & { asks: ReturnType<typeof scriptedAsk>; closed: boolean; break(error?: ClientError): void }

function fakeLink(via: Via): FakeLink {
  const asks = scriptedAsk()
  let tellGone: (error: ClientError) => void = () => undefined
  const link: FakeLink = {
    via,
    ask: asks.ask,
    asks,
    closed: false,
    gone: new Promise((resolve) => {
      tellGone = resolve
    }),
    break: (error = networkError('Cut.')) => tellGone(error),
    close: () => {
      link.closed = true
    },
  }
  return link
}

type Attempt = { via: Via; succeed(): FakeLink; fail(error?: unknown): void }
type Stay = { link: Link; online(): void; over: AbortSignal; end(error?: ClientError): void }

function start(options: Partial<ConnectionOptions> & { transports?: Via[] } = {}) {
  const { transports = ['websocket', 'sse', 'polling'], ...rest } = options
  const attempts: Attempt[] = []
  const sessions: Stay[] = []
  const http = scriptedAsk()
  const listeners = new Set<() => void>()
  let hasNetwork = true
  const network: Network = {
    online: () => hasNetwork,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const attempt = (via: Via) => (): Promise<Link> =>
    new Promise((resolve, reject) =>
      attempts.push({
        via,
        succeed() {
          const link = fakeLink(via)
          resolve(link)
          return link
        },
        fail: (error = networkError('Blocked.')) => reject(error),
      }),
    )
  const connection = createConnection({
    open: transports.map((via) => [via, attempt(via)] as const),
    http: http.ask,
    session: (link, online, over) =>
      new Promise((resolve) => {
        sessions.push({ link, online, over, end: (error = networkError('Ended.')) => resolve(error) })
      }),
    network,
    random: () => 0,
    ready: Promise.resolve(),
    ...rest,
  })
  const states: string[] = []
  connection.status.subscribe(() => {
    const { state, via } = connection.status.get()
    states.push(via ? `${state} ${via}` : state)
  })

  /** The one that waits for its outcome. */
  const latest = (): Attempt => {
    const last = attempts.at(-1)
    if (!last) throw new Error('Nothing was tried.')
    return last
  }

  return {
    connection,
    attempts,
    sessions,
    http,
    states,
    listeners,
    latest,
    tried: () => attempts.map(({ via }) => via),
    async succeed(): Promise<FakeLink> {
      const link = latest().succeed()
      await settled()
      return link
    },
    async fail(error?: unknown): Promise<void> {
      latest().fail(error)
      await settled()
    },
    async setNetwork(there: boolean): Promise<void> {
      hasNetwork = there
      for (const listener of listeners) listener()
      await settled()
    },
  }
}

/** Every transport fails once. */
async function failAll({ fail }: { fail(): Promise<void> }): Promise<void> {
  for (let i = 0; i < 3; i += 1) await fail()
}

describe('a way to the server', () => {
  it('is looked for when what was kept is there, and not before', async () => {
    const kept = deferred()
    const { connection, tried } = start({ ready: kept.promise })
    await settled()
    expect(connection.status.get()).toEqual({ state: 'connecting' })
    expect(tried()).toEqual([])
    kept.resolve()
    await settled()
    expect(tried()).toEqual(['websocket'])
  })

  it('is a WebSocket, then SSE, then polling', async () => {
    const { tried, fail, succeed, connection } = start()
    await settled()
    await fail()
    await fail()
    expect(connection.status.get()).toEqual({ state: 'connecting' })
    await succeed()
    expect(tried()).toEqual(['websocket', 'sse', 'polling'])
    expect(connection.status.get()).toEqual({ state: 'syncing', via: 'polling' })
  })

  it('is taken from those that are allowed, in their order', async () => {
    const { tried, fail, connection } = start({ transports: ['polling', 'sse'] })
    await settled()
    await fail()
    await fail()
    expect(tried()).toEqual(['polling', 'sse'])
    expect(connection.status.get().state).toBe('offline')
  })

  it('cannot be found where none is allowed', async () => {
    const { connection } = start({ transports: [] })
    await settled()
    expect(connection.status.get()).toMatchObject({ state: 'offline', error: { code: 'NETWORK' } })
    await connection.close()
    expectNoTimers()
  })

  it('is not sought elsewhere because a token was refused', async () => {
    const { tried, fail, connection } = start()
    await settled()
    await fail(refused('UNAUTHENTICATED'))
    expect(tried()).toEqual(['websocket'])
    expect(connection.status.get()).toMatchObject({ state: 'offline', error: { code: 'UNAUTHENTICATED' } })
    await vi.advanceTimersByTimeAsync(250)
    expect(tried()).toEqual(['websocket', 'websocket'])
  })

  it('is connecting, syncing, online, and after the end offline', async () => {
    const { connection, states, succeed, sessions } = start()
    await settled()
    await succeed()
    sessions[0]?.online()
    await connection.close()
    expect(states).toEqual(['connecting', 'syncing websocket', 'online websocket', 'offline'])
  })

  it('that ends before anything came through is offline, and says why', async () => {
    const { connection, succeed, sessions } = start()
    await settled()
    const link = await succeed()
    const error = new ClientError('Emptied.', { code: 'NOT_FOUND', retryable: false })
    sessions[0]?.end(error)
    await settled()
    expect(connection.status.get()).toEqual({ state: 'offline', error })
    expect(link.closed).toBe(true)
    expect(sessions[0]?.over.aborted).toBe(true)
  })

  it('that has broken is closed, and its session is over', async () => {
    const { succeed, sessions, connection } = start()
    await settled()
    const link = await succeed()
    link.break()
    await settled()
    expect(link.closed).toBe(true)
    expect(sessions[0]?.over.aborted).toBe(true)
    sessions[0]?.online()
    expect(connection.status.get().state).toBe('offline')
  })

  it('whose session throws is as good as broken', async () => {
    const { connection, succeed, tried } = start({ session: () => Promise.reject(new Error('odd')) })
    await settled()
    const link = await succeed()
    expect(connection.status.get()).toMatchObject({ state: 'offline', error: { code: 'NETWORK', message: 'odd' } })
    expect(link.closed).toBe(true)
    await vi.advanceTimersByTimeAsync(250)
    expect(tried()).toHaveLength(2)
  })
})

describe('the next attempt', () => {
  it('comes later each time, and never more than 30 s', async () => {
    const world = start()
    await settled()
    for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      await failAll(world)
      const before = world.attempts.length
      expect(world.connection.status.get().state).toBe('offline')
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(world.attempts).toHaveLength(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(world.attempts).toHaveLength(before + 1)
      expect(world.connection.status.get().state).toBe('connecting')
    }
  })

  it.each([
    [0, 15_000],
    [0.5, 22_500],
    [1, 30_000],
  ])('with a random of %d comes after %d ms when many have failed', async (random, pauseMs) => {
    const world = start({ random: () => random })
    await settled()
    for (let i = 0; i < 10; i += 1) {
      await failAll(world)
      if (i < 9) world.connection.reconnect()
      await settled()
    }
    const before = world.attempts.length
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    expect(world.attempts).toHaveLength(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(world.attempts).toHaveLength(before + 1)
  })

  it('comes soon after a link that lasted, and the connection is not called offline for it', async () => {
    const world = start()
    await settled()
    for (let i = 0; i < 6; i += 1) {
      await failAll(world)
      world.connection.reconnect()
      await settled()
    }
    const link = await world.succeed()
    await vi.advanceTimersByTimeAsync(5000)
    link.break()
    await settled()
    expect(world.connection.status.get()).toEqual({ state: 'connecting' })
    const before = world.attempts.length
    await vi.advanceTimersByTimeAsync(249)
    expect(world.attempts).toHaveLength(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(world.attempts).toHaveLength(before + 1)
  })

  it('comes later and later when links open and do not last', async () => {
    const { succeed, attempts, connection } = start()
    await settled()
    for (const pauseMs of [250, 500, 1000]) {
      const link = await succeed()
      await vi.advanceTimersByTimeAsync(4999)
      link.break()
      await settled()
      expect(connection.status.get().state).toBe('offline')
      const before = attempts.length
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(attempts).toHaveLength(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(attempts).toHaveLength(before + 1)
    }
  })

  it('comes at once when the user says so', async () => {
    const world = start()
    await settled()
    await failAll(world)
    world.connection.reconnect()
    await settled()
    expect(world.attempts).toHaveLength(4)
    expect(world.connection.status.get().state).toBe('connecting')
  })

  it('comes at once when the network says that something has changed', async () => {
    const world = start()
    await settled()
    await failAll(world)
    await world.setNetwork(true)
    expect(world.attempts).toHaveLength(4)
  })

  it('comes at once, too, when that was said while the last one was still failing', async () => {
    const world = start()
    await settled()
    await world.fail()
    world.connection.reconnect()
    await world.fail()
    await world.fail()
    expect(world.tried()).toEqual(['websocket', 'sse', 'polling', 'websocket'])
    await failAll(world)
    expect(world.attempts).toHaveLength(6)
  })

  it('does not come sooner for what was said before there was anything to wait for', async () => {
    const { connection, succeed, attempts } = start()
    await settled()
    const link = await succeed()
    connection.reconnect()
    link.break()
    await settled()
    expect(attempts).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(250)
    expect(attempts).toHaveLength(2)
  })
})

describe('without a network', () => {
  it('nothing is tried until there is one', async () => {
    const { connection, setNetwork, tried } = start({ ready: new Promise((resolve) => setTimeout(resolve, 10)) })
    await setNetwork(false)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(connection.status.get()).toMatchObject({ state: 'offline', error: { code: 'NETWORK' } })
    expect(tried()).toEqual([])
    await setNetwork(true)
    expect(tried()).toEqual(['websocket'])
    expect(connection.status.get().state).toBe('connecting')
  })

  it('the link is dropped at once, however long its end would take to notice', async () => {
    const { connection, setNetwork, succeed, sessions, tried } = start()
    await settled()
    const link = await succeed()
    sessions[0]?.online()
    await vi.advanceTimersByTimeAsync(60_000)
    await setNetwork(false)
    expect(link.closed).toBe(true)
    expect(sessions[0]?.over.aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(500)
    expect(connection.status.get().state).toBe('offline')
    await setNetwork(true)
    expect(tried()).toEqual(['websocket', 'websocket'])
  })

  it('nobody is asked anything', async () => {
    const { connection, setNetwork, succeed, http } = start()
    await settled()
    const link = await succeed()
    await setNetwork(false)
    await expect(connection.ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
    expect([...http.all, ...link.asks.all]).toEqual([])
  })
})

describe('a better way', () => {
  it('is tried now and then, and taken over when it opens', async () => {
    const { connection, fail, succeed, sessions, tried, states } = start()
    await settled()
    await fail()
    const sse = await succeed()
    sessions[0]?.online()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(tried()).toEqual(['websocket', 'sse'])
    await vi.advanceTimersByTimeAsync(1)
    expect(tried()).toEqual(['websocket', 'sse', 'websocket'])
    expect(sse.closed).toBe(false)
    const socket = await succeed()
    expect(sse.closed).toBe(true)
    expect(sessions[0]?.over.aborted).toBe(true)
    expect(sessions[1]?.link).toBe(socket)
    expect(connection.status.get()).toEqual({ state: 'syncing', via: 'websocket' })
    expect(states).not.toContain('offline')
    await vi.advanceTimersByTimeAsync(120_000)
    expect(tried()).toHaveLength(3)
  })

  it('that does not open leaves everything as it is, and is tried again', async () => {
    const { fail, succeed, sessions, tried, connection } = start()
    await settled()
    await fail()
    await fail()
    await succeed()
    sessions[0]?.online()
    await vi.advanceTimersByTimeAsync(30_000)
    await fail()
    await fail()
    expect(tried()).toEqual(['websocket', 'sse', 'polling', 'websocket', 'sse'])
    expect(connection.status.get()).toEqual({ state: 'online', via: 'polling' })
    await vi.advanceTimersByTimeAsync(30_000)
    expect(tried().slice(5)).toEqual(['websocket'])
  })

  it('that opens when the lesser one has gone is closed', async () => {
    const { fail, succeed, latest, attempts } = start()
    await settled()
    await fail()
    const sse = await succeed()
    await vi.advanceTimersByTimeAsync(30_000)
    const attempt = latest()
    sse.break()
    await settled()
    const late = attempt.succeed()
    await settled()
    expect(late.closed).toBe(true)
    expect(attempts).toHaveLength(3)
  })

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'that opens %d steps after the lesser one has gone is used or closed',
    async (steps) => {
      const { fail, succeed, latest, sessions } = start()
      await settled()
      await fail()
      const sse = await succeed()
      await vi.advanceTimersByTimeAsync(30_000)
      sse.break()
      await microtasks(steps)
      const late = latest().succeed()
      await settled()
      expect(late.closed || sessions.at(-1)?.link === late).toBe(true)
    },
  )

  it('that has gone before it was used is as good as none', async () => {
    const { fail, succeed, latest, connection, tried } = start()
    await settled()
    await fail()
    await succeed()
    await vi.advanceTimersByTimeAsync(30_000)
    const socket = latest().succeed()
    socket.break()
    await settled()
    expect(socket.closed).toBe(true)
    expect(connection.status.get().state).toBe('offline')
    await vi.advanceTimersByTimeAsync(500)
    expect(tried().slice(3)).toEqual(['websocket'])
  })
})

describe('a question', () => {
  const input = { clientMessageId: 'id1', to: { userId: 'bob' }, body: 'hi' }

  it('goes over the WebSocket', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    const answer = connection.ask(SendMessageDocument, { input })
    await link.asks.answer({ sendMessage: 'stored' })
    expect(await answer).toEqual({ sendMessage: 'stored' })
    expect(http.all).toHaveLength(0)
    expect(link.asks.all).toMatchObject([{ name: 'SendMessage', variables: { input } }])
  })

  it('without an answer in 5 s goes by HTTP, as it was', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    const answer = connection.ask(SendMessageDocument, { input })
    await vi.advanceTimersByTimeAsync(4999)
    expect(http.all).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(http.all).toMatchObject([{ name: 'SendMessage', variables: { input } }])
    await http.answer({ sendMessage: 'stored' })
    expect(await answer).toEqual({ sendMessage: 'stored' })
    await link.asks.fail()
    await link.asks.all[0]?.answer({ sendMessage: 'late' })
    expect(await answer).toEqual({ sendMessage: 'stored' })
  })

  it('whose socket is lost goes by HTTP at once, as it was', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    const answer = connection.ask(SendMessageDocument, { input })
    await link.asks.fail(networkError('Cut.'))
    await http.answer({ sendMessage: 'stored' })
    expect(await answer).toEqual({ sendMessage: 'stored' })
    expect(http.all[0]?.variables).toEqual({ input })
  })

  it.each([refused('FORBIDDEN'), busy(100), new TypeError('odd')])(
    'that was answered with an error is not repeated (%s)',
    async (error) => {
      const { connection, succeed, http } = start()
      await settled()
      const link = await succeed()
      const answer = connection.ask(SendMessageDocument, { input }).catch((reason) => reason)
      await link.asks.fail(error)
      expect(await answer).toBe(error)
      expect(http.all).toHaveLength(0)
    },
  )

  it('fails when HTTP fails, too', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    const answer = connection.ask(SendMessageDocument, { input }).catch((reason) => reason)
    await link.asks.fail()
    await http.fail(busy())
    expect(await answer).toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('goes by HTTP while there is no link, and over one that is no socket', async () => {
    const { connection, fail, succeed, http } = start()
    await settled()
    void connection.ask(ViewerDocument, {})
    await fail()
    const sse = await succeed()
    void connection.ask(ViewerDocument, {})
    await settled()
    expect(http.all).toHaveLength(2)
    expect(sse.asks.all).toHaveLength(0)
  })

  it('goes by HTTP again when the socket has gone', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    link.break()
    await settled()
    void connection.ask(ViewerDocument, {})
    await settled()
    expect(http.all).toHaveLength(1)
    expect(link.asks.all).toHaveLength(0)
  })

  it('after the end is asked of nobody', async () => {
    const { connection, succeed, http } = start()
    await settled()
    const link = await succeed()
    const pending = connection.ask(ViewerDocument, {}).catch((reason) => reason)
    await connection.close()
    await link.asks.fail()
    expect(await pending).toMatchObject({ code: 'NETWORK' })
    await expect(connection.ask(ViewerDocument, {})).rejects.toMatchObject({ code: 'NETWORK' })
    expect(http.all).toHaveLength(0)
  })
})

describe('when it is closed', () => {
  /** Closed, offline, nothing left behind, and no other attempt ever. */
  async function expectClosed({ connection, listeners, attempts }: ReturnType<typeof start>, closing: Promise<void>) {
    expect(await isDone(closing)).toBe(true)
    expect(connection.status.get()).toEqual({ state: 'offline' })
    expectNoTimers()
    expect(listeners.size).toBe(0)
    const before = attempts.length
    connection.reconnect()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(attempts).toHaveLength(before)
    expect(connection.status.get()).toEqual({ state: 'offline' })
  }

  it('before what was kept is there, nothing is tried', async () => {
    const kept = deferred()
    const world = start({ ready: kept.promise })
    const closing = world.connection.close()
    kept.resolve()
    await expectClosed(world, closing)
    expect(world.attempts).toHaveLength(0)
  })

  it('during an attempt that fails, no other follows', async () => {
    const world = start()
    await settled()
    const closing = world.connection.close()
    await world.fail()
    await expectClosed(world, closing)
    expect(world.attempts).toHaveLength(1)
  })

  it('during an attempt that succeeds, the link is closed and not used', async () => {
    const world = start()
    await settled()
    const closing = world.connection.close()
    const link = await world.succeed()
    await expectClosed(world, closing)
    expect(link.closed).toBe(true)
    expect(world.sessions).toHaveLength(0)
    expect(world.states).not.toContain('syncing websocket')
  })

  it('while syncing, the link is closed', async () => {
    const world = start()
    await settled()
    const link = await world.succeed()
    await expectClosed(world, world.connection.close())
    expect(link.closed).toBe(true)
    expect(world.sessions[0]?.over.aborted).toBe(true)
  })

  it('while online over the least of the ways, the link is closed', async () => {
    const world = start()
    await settled()
    await world.fail()
    await world.fail()
    const link = await world.succeed()
    world.sessions[0]?.online()
    await expectClosed(world, world.connection.close())
    expect(link.closed).toBe(true)
  })

  it('while a better way is tried, that is closed when it opens', async () => {
    const world = start()
    await settled()
    await world.fail()
    await world.succeed()
    await vi.advanceTimersByTimeAsync(30_000)
    const attempt = world.latest()
    const closing = world.connection.close()
    const late = attempt.succeed()
    await expectClosed(world, closing)
    expect(late.closed).toBe(true)
  })

  it.each([0, 1, 2, 3, 4, 5, 6])('%d steps after a better way has opened, both are closed', async (steps) => {
    const world = start()
    await settled()
    await world.fail()
    const sse = await world.succeed()
    await vi.advanceTimersByTimeAsync(30_000)
    const socket = world.latest().succeed()
    await microtasks(steps)
    await expectClosed(world, world.connection.close())
    expect([sse.closed, socket.closed]).toEqual([true, true])
  })

  it('in the pause before the next attempt, it does not come', async () => {
    const world = start()
    await settled()
    await failAll(world)
    await expectClosed(world, world.connection.close())
  })

  it('without a network, it does not wait for one', async () => {
    const world = start({ ready: new Promise((resolve) => setTimeout(resolve, 10)) })
    await world.setNetwork(false)
    await vi.advanceTimersByTimeAsync(45_000)
    await expectClosed(world, world.connection.close())
  })

  it('twice, that does no harm', async () => {
    const world = start()
    await settled()
    await world.succeed()
    await world.connection.close()
    await expectClosed(world, world.connection.close())
  })
})
