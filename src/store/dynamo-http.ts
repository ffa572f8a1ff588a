import { createRequire } from 'node:module'
import type { Dispatcher, Client as UndiciClient } from 'undici'
import { idleSocketMs, socketsMax } from './dynamo-wire.ts'

// Requests over connections that are kept. One request is on a connection at a time, and none is ever sent twice from here:
// whoever lost an answer decides.

// Loading Undici as a whole would also put its own agent under the process's `fetch`.
const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient

export type HttpAnswer = { status: number; header: (name: string) => string | undefined; body: Buffer }
export type HttpLimits = { firstByteWithinMs: number; endWithinMs: number }
export type HttpPost = { path: string; headers: Record<string, string>; body: Uint8Array }
export type Http = ReturnType<typeof createHttp>

export function createHttp(origin: string, { connectTimeoutMs }: { connectTimeoutMs: number }) {
  const connections: UndiciClient[] = []
  // The last one used is the first one used again, so that there are no more than are needed. Undici's own pool would open
  // a second one for a call that follows at once.
  const free: UndiciClient[] = []
  let isClosed = false

  function take(): UndiciClient {
    if (isClosed) throw new Error('The client is closed.')
    const kept = free.pop()
    if (kept) return kept
    if (connections.length >= socketsMax) throw new Error('All connections are in use.')
    const opened = new Client(origin, {
      keepAliveTimeout: idleSocketMs,
      keepAliveMaxTimeout: idleSocketMs,
      connectTimeout: connectTimeoutMs,
      // The limits of each exchange are its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    connections.push(opened)
    return opened
  }

  return {
    post: ({ path, headers, body }: HttpPost, limits: HttpLimits): Promise<HttpAnswer> =>
      new Promise((resolve, reject) => {
        const connection = take()
        const onFree = () => void free.push(connection)
        connection.dispatch({ method: 'POST', path, headers, body }, new Exchange({ limits, resolve, reject, onFree }))
      }),
    /** What is under way still gets its answer. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.all(connections.map((connection) => connection.close()))
    },
  }
}

type Wanted = {
  limits: HttpLimits
  resolve: (answer: HttpAnswer) => void
  reject: (error: Error) => void
  /** Perhaps later: a connection that is being made, and then not needed, is not free. */
  onFree: () => void
}

/**
 * The handler of a request as Undici takes it without wrapping it up: its newer form makes an object of every answer's headers,
 * a quarter of all the CPU of a put. Undici 8 will know the newer form only.
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
    this.#timer = setTimeout(this.#onFirstLimit, wanted.limits.firstByteWithinMs)
  }

  onConnect(abort: (error?: Error) => void): void {
    // It may have waited for its connection longer than it had.
    if (this.#isOver) abort(new TimeoutError())
    else this.#abort = abort
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

  #onFirstLimit = (): void => {
    const { firstByteWithinMs, endWithinMs } = this.#wanted.limits
    if (this.#status < 200) this.#onLate()
    else this.#timer = setTimeout(this.#onLate, endWithinMs - firstByteWithinMs)
  }

  #onLate = (): void => {
    if (!this.#end()) return
    const error = new TimeoutError()
    this.#wanted.reject(error)
    this.#abort?.(error)
  }

  /** Returns whether it was not over before. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#timer)
    return true
  }
}

class TimeoutError extends Error {
  override name = 'TimeoutError'
  constructor() {
    super('DynamoDB did not answer in time.')
  }
}

function headerOf(headers: readonly Buffer[], name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [found, value] = [headers[i], headers[i + 1]]
    if (found?.length === name.length && found.toString('latin1').toLowerCase() === name)
      return value?.toString('latin1')
  }
  return undefined
}
