import type { Socket } from 'node:net'
import { CloseCode } from 'graphql-ws'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { Clock } from '../../ports/clock.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Deadline, DeadlineOwner, DeadlineQueue } from '../../shared/deadline-queue.ts'
import type { Place } from '../limits/places.ts'
import type { Refusals } from '../limits/refusals.ts'
import { Backlog } from './backlog.ts'
import { Conversation, type Peer } from './graphql-transport-ws.ts'
import { Outgoing } from './outgoing.ts'
import { type Connection, WebSocketOperations, type WebSocketOperationsOptions } from './websocket-operations.ts'

export type OpenSocketOptions = WebSocketOperationsOptions & {
  /** When sockets are to be closed: those that did not introduce themselves, and those whose token has expired. */
  deadlines: DeadlineQueue
  refusals: Refusals
  clock: Clock
  logger: Logger
}

const initialisedWithinMs = 3000
const reasonMaxBytes = 123

/** A socket and who is at its other end. There may be ten thousand of them, most of them silent: it holds little. */
export class OpenSocket implements Connection, Peer, DeadlineOwner {
  userId?: string
  /** Something was heard of it since the last beat. */
  heard = true
  readonly id: string
  readonly origin: string
  readonly address: string
  readonly backlog: Backlog
  readonly outgoing: Outgoing
  readonly #options: OpenSocketOptions
  readonly #socket: WebSocket
  readonly #place: Place
  readonly #openedAtMs: number
  readonly #conversation: Conversation
  /** By the monotonic clock: first until when it has to introduce itself, then when its token expires. */
  #dueAtMs: number
  #deadline: Deadline
  #leave: (() => void) | undefined
  #ending: Promise<void> | undefined

  constructor(
    options: OpenSocketOptions,
    socket: WebSocket,
    tcp: Socket,
    about: { id: string; origin: string; address: string; place: Place },
  ) {
    this.id = about.id
    this.origin = about.origin
    this.address = about.address
    this.#place = about.place
    this.#options = options
    this.#socket = socket
    this.#openedAtMs = options.clock.monotonic()
    this.backlog = new Backlog(socket, tcp, options.refusals)
    this.outgoing = new Outgoing(socket, tcp, this.backlog)
    this.#conversation = new Conversation(this, new WebSocketOperations(options, this))
    this.#dueAtMs = this.#openedAtMs + initialisedWithinMs
    this.#deadline = options.deadlines.add(this, this.#dueAtMs)
  }

  receive(data: Buffer, isBinary: boolean): void {
    this.heard = true
    if (this.#ending !== undefined) return
    if (isBinary) this.close(CloseCode.BadRequest, 'Expected a text frame')
    else this.#conversation.receive(data.toString())
  }

  pinged(): void {
    this.heard = true
    this.backlog.pinged()
  }

  close(code: number, reason: string): void {
    this.outgoing.flush()
    this.#socket.close(code, shortened(reason))
    void this.end()
  }

  /** Lets go of everything the socket has started. Not left to the close event: a dead peer would delay it. */
  end(): Promise<void> {
    this.#options.deadlines.remove(this.#deadline)
    this.#ending ??= this.#conversation.end()
    return this.#ending
  }

  broken(error: Error): void {
    this.#options.logger.debug({ connectionId: this.id, err: error }, 'a client broke the WebSocket protocol')
  }

  closed(code: number): void {
    const { clock, logger } = this.#options
    const durationMs = Math.round(clock.monotonic() - this.#openedAtMs)
    const line = { connectionId: this.id, userId: this.userId, code, why: whyClosed(code), durationMs }
    logger.info(line, 'a socket was closed')
    this.#leave?.()
    this.#place.leave()
    void this.end()
  }

  introduced(leave?: () => void, viewer?: Viewer): void {
    this.#place.initialised()
    if (this.#socket.readyState === this.#socket.CLOSED) leave?.()
    else this.#leave = leave
    if (this.#ending !== undefined) return
    this.#options.deadlines.remove(this.#deadline)
    if (!viewer) return
    this.#dueAtMs = this.#elapsedAt(viewer.expiresAtMs)
    this.#deadline = this.#options.deadlines.add(this, this.#dueAtMs)
  }

  onDue(): void {
    if (this.#ending !== undefined) return
    if (this.userId !== undefined && this.#options.clock.monotonic() >= this.#dueAtMs) this.#expired()
    else if (this.#conversation.isSilent)
      this.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
  }

  closeAtExpiry({ expiresAtMs }: Viewer): () => void {
    if (this.#ending !== undefined) return () => undefined
    const { deadlines } = this.#options
    const expiry = deadlines.add({ onDue: () => this.#expired() }, this.#elapsedAt(expiresAtMs))
    return () => void deadlines.remove(expiry)
  }

  /** A time of day as the monotonic clock will show it, unless the time of day is set meanwhile. */
  #elapsedAt(wallMs: number): number {
    const { clock } = this.#options
    return clock.monotonic() + wallMs - clock.now()
  }

  /** Called at each beat: a peer that is gone without a word is found at the second. */
  beat(): void {
    const backlog = this.backlog.beat()
    if (backlog === 'stuck') this.#options.refusals('slow_reader')
    // One that is not read from, because it has not read what is waiting for it, is not heard either.
    if (backlog === 'stuck' || (backlog === 'idle' && !this.heard)) this.#socket.terminate()
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
    this.heard = false
  }

  terminate(): void {
    this.#socket.terminate()
  }

  #expired(): void {
    if (this.#ending === undefined) this.close(CloseCode.Forbidden, 'The token has expired')
  }
}

/** In a word; the reason itself may be the client's own words. */
function whyClosed(code: number): string {
  if (code === CloseCode.Forbidden) return 'token'
  if (code >= 4000) return 'protocol'
  return closeReasons.get(code) ?? 'other'
}

const closeReasons = new Map([
  [1000, 'done'],
  [1001, 'left'],
  [1005, 'left'],
  [1006, 'lost'],
  [1009, 'too large'],
  [1012, 'drain'],
  [1013, 'later'],
])

/** A close frame holds no longer one, and ids may be of any length. */
function shortened(reason: string): string {
  if (Buffer.byteLength(reason) <= reasonMaxBytes) return reason
  // Cut inside a character, its last bytes would be no UTF-8.
  return Buffer.from(reason)
    .subarray(0, reasonMaxBytes - 3)
    .toString()
    .replace(/\uFFFD+$/, '')
}
