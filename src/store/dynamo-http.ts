import { createRequire } from 'node:module'
import type { Dispatcher, Pool as UndiciPool } from 'undici'
import { idleSocketMs, socketsMax } from './dynamo-wire.ts'

// Requests over connections that are kept. One request is on a connection at a time, and none is ever sent twice from here:
// whoever lost an answer decides.

// Loading Undici as a whole would also put its own agent under the process's `fetch`.
const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof UndiciPool

export type HttpAnswer = { status: number; header: (name: string) => string | undefined; body: Buffer }
export type HttpLimits = { firstByteWithinMs: number; endWithinMs: number }
export type HttpPost = { path: string; headers: Record<string, string>; body: Uint8Array }
export type Http = ReturnType<typeof createHttp>

export function createHttp(origin: string, { connectTimeoutMs }: { connectTimeoutMs: number }) {
  const pool = new Pool(origin, {
    connections: socketsMax,
    pipelining: 1,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
    connectTimeout: connectTimeoutMs,
    // The limits of each exchange are its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  return {
    post: ({ path, headers, body }: HttpPost, limits: HttpLimits): Promise<HttpAnswer> =>
      new Promise((resolve, reject) => {
        pool.dispatch({ method: 'POST', path, headers, body }, new Exchange(limits, resolve, reject))
      }),
    /** What is under way still gets its answer. */
    close: (): Promise<void> => pool.close(),
  }
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
  readonly #limits: HttpLimits
  readonly #resolve: (answer: HttpAnswer) => void
  readonly #reject: (error: Error) => void

  constructor(limits: HttpLimits, resolve: (answer: HttpAnswer) => void, reject: (error: Error) => void) {
    this.#limits = limits
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = setTimeout(this.#onFirstLimit, limits.firstByteWithinMs)
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
    if (!this.#end()) return
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, header: (name) => headerOf(this.#headers, name), body })
  }

  onError(error: Error): void {
    if (this.#end()) this.#reject(error)
  }

  #onFirstLimit = (): void => {
    const { firstByteWithinMs, endWithinMs } = this.#limits
    if (this.#status < 200) this.#onLate()
    else this.#timer = setTimeout(this.#onLate, endWithinMs - firstByteWithinMs)
  }

  #onLate = (): void => {
    if (!this.#end()) return
    const error = new TimeoutError()
    this.#reject(error)
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
