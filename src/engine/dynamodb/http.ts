import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecure } from 'node:tls'
import {
  createDeadlineQueue,
  type Deadline,
  type DeadlineOwner,
  type DeadlineQueue,
} from '../../shared/deadline-queue.ts'
import { systemTimers } from '../../shared/timers.ts'
import { type HttpResponse, ResponseReader } from './http-response.ts'
import { idleSocketMs, socketsMax } from './wire.ts'

// Sends requests over connections that are kept. One request is on a connection at a time, and none is ever sent twice from here: the caller
// that lost an answer decides. The error tells whether the server closed a kept connection before a byte of the answer came: it may have
// closed it while the request was on its way.

type HttpLimits = { firstByteWithinMs: number; endWithinMs: number }

/** Headers are ASCII, and have no line breaks. */
type HttpPost = {
  headers: Readonly<Record<string, string>>
  body: string
  limits: HttpLimits
  /** Whether it must be sent over a connection that was not used before. */
  fresh?: boolean
}

/** Waits for the response. It is called once, and never in the turn in which it sent the request. */
type ResponseHandler = {
  answered(answer: HttpResponse): void
  failed(error: Error): void
}

export type Http = ReturnType<typeof createHttp>

/** A server closes an idle connection at the time that it announces; a request that is sent then would be lost. */
const keepAliveMarginMs = 2000
const probeAfterMs = 60_000
/** The size of one read. All connections share the buffer: its bytes are parsed before the next read. */
const readBufferBytes = 64 * 1024

export function createHttp(url: URL, timers = systemTimers) {
  const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`
  const connections = new Set<Connection>()
  // The last one used is the first one used again, so that there are no more than are needed.
  const free: Connection[] = []
  let isClosed = false
  let onAllGone: (() => void) | undefined

  const pool: Pool = {
    exchanges: createDeadlineQueue(timers, { holdsProcess: true }),
    idle: createDeadlineQueue(timers),
    openSocket: createConnector(url),
    freed(connection) {
      if (isClosed) connection.drop()
      else free.push(connection)
    },
    gone(connection) {
      connections.delete(connection)
      const at = free.lastIndexOf(connection)
      if (at !== -1) free.splice(at, 1)
      if (isClosed && connections.size === 0) onAllGone?.()
    },
  }

  function take(nowMs: number, fresh: boolean): Connection {
    if (isClosed) throw new Error('The client is closed.')
    // If there is no room for one more connection, an idle one is closed.
    if (fresh && connections.size >= socketsMax) free[0]?.drop()
    for (let kept = fresh ? undefined : free.pop(); kept; kept = free.pop()) {
      if (kept.isUsable(nowMs)) return kept
      kept.drop()
    }
    if (connections.size >= socketsMax) throw new Error('All connections are in use.')
    const opened = new Connection(pool)
    connections.add(opened)
    return opened
  }

  return {
    /** Throws if the request cannot even be tried. */
    post({ headers, body, limits, fresh = false }: HttpPost, handler: ResponseHandler): void {
      const nowMs = timers.monotonic()
      const connection = take(nowMs, fresh)
      const length = Buffer.byteLength(body)
      let text = head
      for (const name in headers) text += `${name}: ${headers[name]}\r\n`
      text += `content-length: ${length}\r\n\r\n${body}`
      connection.send({ text, isAscii: length === body.length }, limits, handler, nowMs)
    },
    /** Requests under way still get their answers. */
    close(): Promise<void> {
      isClosed = true
      return new Promise((resolve) => {
        onAllGone = resolve
        for (const connection of free.splice(0)) connection.drop()
        if (connections.size === 0) resolve()
      })
    },
  }
}

type Pool = {
  /** The deadlines of exchanges. This queue keeps the process alive while requests are under way. */
  exchanges: DeadlineQueue
  /** The deadlines of idle connections. */
  idle: DeadlineQueue
  openSocket: Connect
  freed(connection: Connection): void
  gone(connection: Connection): void
}

class Connection implements DeadlineOwner {
  /** The deadline in `exchanges` while there is a handler, in `idle` otherwise. */
  #deadline: Deadline | undefined
  #idleUntilMs = Number.POSITIVE_INFINITY
  #endMs = 0
  #handler: ResponseHandler | undefined
  #isGone = false
  #requests = 0
  readonly #pool: Pool
  readonly #answer = new ResponseReader()
  readonly #socket: Socket

  constructor(pool: Pool) {
    this.#pool = pool
    const callback = (length: number, bytes: Uint8Array) => this.#read(bytes as Buffer, length)
    this.#socket = pool
      .openSocket({ buffer: readBuffer, callback })
      .setNoDelay(true)
      .setKeepAlive(true, probeAfterMs)
      // The deadline of a request under way keeps the process alive.
      .on('connect', () => this.#socket.unref())
      .on('end', () => this.#onEnd())
      .on('error', (error: Error) => this.#onClosed(error))
      .on('close', () => this.#onClosed())
  }

  isUsable(nowMs: number): boolean {
    return nowMs < this.#idleUntilMs && this.#socket.writable && !this.#socket.readableEnded
  }

  send(request: { text: string; isAscii: boolean }, limits: HttpLimits, handler: ResponseHandler, nowMs: number): void {
    this.#handler = handler
    this.#requests += 1
    this.#endMs = nowMs + limits.endWithinMs
    this.#answer.begin()
    if (this.#deadline) this.#pool.idle.remove(this.#deadline)
    this.#deadline = this.#pool.exchanges.add(this, nowMs + limits.firstByteWithinMs)
    this.#socket.write(request.text, request.isAscii ? 'latin1' : 'utf8')
  }

  /** An answer that has begun has the rest of the time to end. */
  onDue(): void {
    const { exchanges } = this.#pool
    if (!this.#handler) this.drop()
    else if (this.#answer.hasBegun && exchanges.monotonic() < this.#endMs)
      this.#deadline = exchanges.add(this, this.#endMs)
    else this.drop(new TimeoutError())
  }

  drop(error: Error = new Error('DynamoDB closed the connection.')): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#socket.destroy()
    this.#pool.gone(this)
    if (!this.#handler && this.#deadline) this.#pool.idle.remove(this.#deadline)
    this.#release()?.failed(error)
  }

  /** The other side, or something between, has closed the connection. */
  #onClosed(error?: Error): void {
    const isStale = this.#requests > 1 && !this.#answer.hasBegun
    this.drop(isStale ? new StaleConnectionError(error) : error)
  }

  #read(bytes: Buffer, length: number): boolean {
    if (!this.#handler) {
      this.drop()
      return false
    }
    let isComplete = false
    try {
      isComplete = this.#answer.read(bytes, length)
    } catch (error) {
      this.drop(error as Error)
    }
    if (isComplete) this.#onAnswer()
    return true
  }

  #onEnd(): void {
    if (this.#handler && this.#answer.readEnd()) this.#onAnswer()
    this.#onClosed()
  }

  /** Frees the connection first: the handler that gets the response may send another request at once. */
  #onAnswer(): void {
    const handler = this.#release()
    const { isLast, keepAliveMs = Number.POSITIVE_INFINITY } = this.#answer
    const idleMs = Math.min(idleSocketMs, keepAliveMs - keepAliveMarginMs)
    if (isLast || idleMs <= 0 || this.#socket.writableLength > 0) this.drop()
    else {
      const { idle } = this.#pool
      this.#idleUntilMs = idle.monotonic() + idleMs
      this.#deadline = idle.add(this, this.#idleUntilMs)
      this.#pool.freed(this)
    }
    handler?.answered(this.#answer)
  }

  #release(): ResponseHandler | undefined {
    const handler = this.#handler
    if (handler && this.#deadline) this.#pool.exchanges.remove(this.#deadline)
    this.#handler = undefined
    return handler
  }
}

type Connect = (onread: OnReadOpts) => Socket

function createConnector({ protocol, hostname, port }: URL): Connect {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port || (isSecure ? 443 : 80)) }
  if (!isSecure) return (onread) => connectPlain({ ...address, onread })
  const secure = { ...address, ALPNProtocols: ['http/1.1'], servername: isIP(host) === 0 ? host : '' }
  // A handshake that goes on from an earlier one costs both sides less.
  let session: Buffer | undefined
  return (onread) => {
    // Its types do not say that it accepts `onread` like a plain connection.
    const options: ConnectionOptions & { onread: OnReadOpts } = { ...secure, onread, ...(session && { session }) }
    return connectSecure(options).on('session', (fresh) => {
      session = fresh
    })
  }
}

const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes)

/** The server closed a kept connection before any byte of the answer. */
export class StaleConnectionError extends Error {
  override name = 'StaleConnectionError'
  constructor(cause: Error | undefined) {
    super(cause?.message ?? 'DynamoDB closed the connection.', { cause })
  }
}

class TimeoutError extends Error {
  override name = 'TimeoutError'
  constructor() {
    super('DynamoDB did not answer in time.')
  }
}
