import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher, Client as UndiciClient } from 'undici'
import { idleSocketMs, socketsMax } from './dynamo-wire.ts'

// Requests over connections that are kept. One request is on a connection at a time, and none is ever sent twice from here:
// whoever lost an answer decides.

// Loading Undici as a whole would also put its own agent under the process's `fetch`.
const require = createRequire(import.meta.url)
const Client = require('undici/lib/dispatcher/client.js') as typeof UndiciClient
const connectorOf = require('undici/lib/core/connect.js') as (options: object) => Connect

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket
type Connection = { client: UndiciClient; drop(): void }

export type HttpAnswer = { status: number; header: (name: string) => string | undefined; body: Buffer }
export type HttpLimits = { firstByteWithinMs: number; endWithinMs: number }
export type HttpPost = { path: string; headers: Record<string, string>; body: Uint8Array }
export type Http = ReturnType<typeof createHttp>

export function createHttp(origin: string) {
  const connect = connectorOf({})
  const connections = new Set<Connection>()
  // The last one used is the first one used again, so that there are no more than are needed. Undici's own pool would open
  // a second one for a call that follows at once.
  const free: Connection[] = []
  let isClosed = false

  function take(): Connection {
    if (isClosed) throw new Error('The client is closed.')
    const kept = free.pop()
    if (kept) return kept
    if (connections.size >= socketsMax) throw new Error('All connections are in use.')
    const opened = open()
    connections.add(opened)
    return opened
  }

  /** It connects with its first request, and again whenever it has to. */
  function open(): Connection {
    let socket: Socket | undefined
    const client = new Client(origin, {
      connect: (options, callback) => {
        socket = connect(options, callback)
      },
      keepAliveTimeout: idleSocketMs,
      keepAliveMaxTimeout: idleSocketMs,
      // The limits of each exchange are its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const drop = () => {
      socket?.destroy(new TimeoutError())
      void client.destroy()
    }
    return { client, drop }
  }

  return {
    post: ({ path, headers, body }: HttpPost, limits: HttpLimits): Promise<HttpAnswer> =>
      new Promise((resolve, reject) => {
        const connection = take()
        const onFree = () => {
          if (connections.has(connection)) free.push(connection)
        }
        const onStuck = () => {
          connections.delete(connection)
          connection.drop()
        }
        const exchange = new Exchange({ limits, resolve, reject, onFree, onStuck })
        connection.client.dispatch({ method: 'POST', path, headers, body }, exchange)
      }),
    /** What is under way still gets its answer. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...connections].map(({ client }) => client.close()))
    },
  }
}

type Wanted = {
  limits: HttpLimits
  resolve: (answer: HttpAnswer) => void
  reject: (error: Error) => void
  onFree: () => void
  /** It was not even sent, as there is no connection yet. */
  onStuck: () => void
}

/**
 * The handler of a request as Undici takes it without wrapping it up: its newer form makes an object of every answer's headers
 * and adds a quarter to the CPU of a put. Undici 8 will know the newer form only.
 */
class Exchange implements Dispatcher.DispatchHandler {
  #status = 0
  #headers: Buffer[] = []
  #chunks: Buffer[] = []
  #isOver = false
  #abort: ((error: Error) => void) | undefined
  #timer: NodeJS.Timeout
  readonly #wanted: Wanted

  constructor(wanted: Wanted) {
    this.#wanted = wanted
    this.#timer = setTimeout(onFirstLimit, wanted.limits.firstByteWithinMs, this)
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status
    this.#headers = headers
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    return true
  }

  onComplete(): void {
    this.#wanted.onFree()
    if (!this.#end()) return
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#wanted.resolve({ status: this.#status, header: (name) => headerOf(this.#headers, name), body })
  }

  onError(error: Error): void {
    this.#wanted.onFree()
    if (this.#end()) this.#wanted.reject(error)
  }

  /** An answer that has begun has the rest of the time to end. */
  onFirstLimit(): void {
    const { firstByteWithinMs, endWithinMs } = this.#wanted.limits
    if (this.#status < 200) this.onLate()
    else this.#timer = setTimeout(onLate, endWithinMs - firstByteWithinMs, this)
  }

  onLate(): void {
    if (!this.#end()) return
    const error = new TimeoutError()
    this.#wanted.reject(error)
    if (this.#abort) this.#abort(error)
    else this.#wanted.onStuck()
  }

  /** Returns whether it was not over before. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#timer)
    return true
  }
}

const onFirstLimit = (exchange: Exchange): void => exchange.onFirstLimit()
const onLate = (exchange: Exchange): void => exchange.onLate()

class TimeoutError extends Error {
  override name = 'TimeoutError'
  constructor() {
    super('DynamoDB did not answer in time.')
  }
}

function headerOf(headers: readonly Buffer[], name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const found = headers[i]
    if (found?.length !== name.length || found.toString('latin1').toLowerCase() !== name) continue
    return headers[i + 1]?.toString('latin1')
  }
  return undefined
}
