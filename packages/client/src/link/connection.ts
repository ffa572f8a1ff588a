import { backoffMs, createSleeper } from '../shared/backoff.ts'
import { asClientError, ClientError, networkError } from '../shared/client-error.ts'
import type { Network } from '../shared/network.ts'
import { createValue, type Observable } from '../shared/observable.ts'
import { within } from '../shared/within.ts'
import type { Ask, Link, Via } from './link.ts'

// Keeps the best link to the server that works: WebSocket first, then SSE, then polling. On a lesser link, the better transports are
// tried now and then, and replace it when they open.

/**
 * `connecting`: the client is opening a link. `syncing`: there is a link, and missed messages are arriving. `online`: everything the
 * server had is here. `offline`: no link opens; the next attempt comes by itself.
 */
export type ConnectionState = 'connecting' | 'syncing' | 'online' | 'offline'
/** `error` says why there is no link, if that is known. */
export type Connection = { state: ConnectionState; via?: Via; error?: ClientError }

/** Uses a link. Resolves with the reason when the link is of no use any more. */
export type Session = (link: Link, online: () => void, over: AbortSignal) => Promise<ClientError>

export type ConnectionOptions = {
  /** The transports, in the order of preference. */
  open: readonly (readonly [Via, () => Promise<Link>])[]
  http: Ask
  session: Session
  network: Network
  random: () => number
  /** Resolves when the persisted state is loaded. */
  ready: Promise<void>
}

const tryBetterEveryMs = 30_000
/** A link that lasted this long was good, so its end does not lengthen the backoff. */
const lastedMs = 5000
/** After this time the operation is sent by HTTP. */
const answerWithinMs = 5000

export function createConnection({ open, http, session, network, random, ready }: ConnectionOptions) {
  const status = createValue<Connection>({ state: 'connecting' })
  const sleeper = createSleeper()
  const closing = new AbortController()
  let current: Link | undefined
  let dropCurrent: (reason: ClientError) => void = () => undefined

  /** The next attempt is wanted at once. */
  let retryNow = false

  const isClosed = () => closing.signal.aborted

  function wake(): void {
    retryNow = true
    sleeper.wake()
  }

  async function run(): Promise<void> {
    let failures = 0
    let next: Link | undefined
    await ready
    while (!isClosed()) {
      if (!network.online()) {
        status.set({ state: 'offline', error: networkError('This device is offline.') })
        await sleeper.sleep(tryBetterEveryMs)
        continue
      }
      if (!next) status.set({ state: 'connecting' })
      try {
        retryNow = false
        const link = next ?? (await openBest(open))
        next = undefined
        if (isClosed()) {
          link.close()
          break
        }
        const { better, lasted, error } = await use(link)
        next = better
        if (better) continue
        retryNow = false
        failures = lasted ? 1 : failures + 1
        if (!isClosed()) status.set(lasted ? { state: 'connecting' } : { state: 'offline', error })
      } catch (error) {
        failures += 1
        if (!isClosed()) status.set({ state: 'offline', error: asClientError(error) })
      }
      if (!isClosed() && !retryNow) await sleeper.sleep(backoffMs(failures, random))
    }
    next?.close()
  }

  /** Returns the first link that opens. It stops at a refused token, which says nothing about the transport. */
  async function openBest(candidates: typeof open): Promise<Link> {
    let last: unknown = networkError('No transport is allowed.')
    for (const [, attempt] of candidates) {
      try {
        return await attempt()
      } catch (error) {
        last = error
        if (isClosed() || (error instanceof ClientError && error.code === 'UNAUTHENTICATED')) break
      }
    }
    throw last
  }

  async function use(link: Link): Promise<{ better?: Link; lasted: boolean; error: ClientError }> {
    const over = new AbortController()
    let lasted = false
    const timer = setTimeout(() => {
      lasted = true
    }, lastedMs)
    const dropped = new Promise<ClientError>((resolve) => {
      dropCurrent = resolve
    })
    const betterOne = lookForBetter(link.via, over.signal)
    current = link
    status.set({ state: 'syncing', via: link.via })
    const online = () => {
      if (!over.signal.aborted) status.set({ state: 'online', via: link.via })
    }
    try {
      const error = await Promise.race([session(link, online, over.signal), link.gone, dropped, betterOne.found])
      if (!(error instanceof ClientError)) return { better: error, lasted, error: networkError('Changing over.') }
      // The better link may have opened a moment too late.
      void betterOne.found.then((better) => better.close())
      return { lasted, error }
    } finally {
      clearTimeout(timer)
      over.abort()
      current = undefined
      link.close()
    }
  }

  function lookForBetter(via: Via, over: AbortSignal): { found: Promise<Link> } {
    const better = open.slice(
      0,
      open.findIndex(([each]) => each === via),
    )
    const found = new Promise<Link>((resolve) => {
      if (better.length === 0) return
      const timer = setInterval(async () => {
        const link = await openBest(better).catch(() => undefined)
        if (!link) return
        if (over.aborted) link.close()
        else resolve(link)
      }, tryBetterEveryMs)
      over.addEventListener('abort', () => clearInterval(timer))
    })
    return { found }
  }

  /** Every operation may be repeated. So if there is no socket, or no answer in time, it is sent by HTTP. */
  const ask: Ask = async (document, variables) => {
    if (isClosed()) throw networkError('Closed.')
    if (!network.online()) throw networkError('This device is offline.')
    if (current?.via !== 'websocket') return http(document, variables)
    try {
      return await within(answerWithinMs, current.ask(document, variables))
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'NETWORK' || isClosed()) throw error
      return http(document, variables)
    }
  }

  const stopWatching = network.subscribe(() => {
    if (network.online()) wake()
    else dropCurrent(networkError('This device is offline.'))
  })

  const running = run()

  return {
    status: status as Observable<Connection>,
    ask,
    /** Connects now, instead of when the backoff is over. */
    reconnect: wake,
    async close(): Promise<void> {
      stopWatching()
      closing.abort()
      dropCurrent(networkError('Closed.'))
      sleeper.wake()
      await running
      status.set({ state: 'offline' })
    },
  }
}
