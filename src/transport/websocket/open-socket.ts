import type { Socket } from 'node:net'
import { CloseCode } from 'graphql-ws'
import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import { pingFrame } from '../../engine/websocket/frames.ts'
import { Outgoing } from '../../engine/websocket/outgoing.ts'
import type { SocketOwner } from '../../engine/websocket/owned-web-socket.ts'
import type { OpenProtocol, Peer, ProtocolConnection } from '../../engine/websocket/protocol.ts'
import type { Metrics } from '../../observability/metrics.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { Deadline, DeadlineOwner } from '../../shared/deadline-queue.ts'
import type { Prepared } from '../execution/prepared.ts'
import { Backlog } from './backlog.ts'
import { type SocketClient, WebSocketOperations, type WebSocketOperationsOptions } from './websocket-operations.ts'

export type OpenSocketOptions = WebSocketOperationsOptions & {
  /** Holds every open socket of the node. */
  openSockets: Set<OpenSocket>
  openProtocol: OpenProtocol<Prepared>
  logger: Logger
  metrics: Metrics
}

const initialisedWithinMs = 3000
const reasonMaxBytes = 123
/** So many liveness checks in a row may find that the client was not heard, before it is pinged. */
const pingedAfterSilences = 4

/**
 * A socket owns the connection itself: what is written, what is not read yet, whether the client is still there. Its protocol owns the
 * messages, and its operations own who the client is; it calls both. There may be ten thousand sockets, most of them silent: it holds little.
 */
export class OpenSocket implements SocketOwner, Peer, DeadlineOwner {
  readonly outgoing: Outgoing
  readonly #options: OpenSocketOptions
  readonly #socket: WebSocket
  readonly #client: SocketClient
  readonly #openedAtMs: number
  readonly #backlog: Backlog
  readonly #operations: WebSocketOperations
  readonly #protocol: ProtocolConnection
  readonly #initDeadline: Deadline
  /** Whether anything came from the client since the last liveness check. */
  #heard = false
  /** At how many liveness checks in a row the client had not been heard since the last. */
  #silences = 0
  #ending: Promise<void> | undefined

  constructor(options: OpenSocketOptions, socket: WebSocket, tcp: Socket, client: SocketClient) {
    this.#options = options
    this.#socket = socket
    this.#client = client
    this.#openedAtMs = options.clock.monotonic()
    this.#backlog = new Backlog(socket, tcp, options.refusals)
    this.outgoing = new Outgoing(socket, tcp, this.#backlog, unavailable)
    this.#operations = new WebSocketOperations(options, client, this)
    this.#protocol = options.openProtocol(this, this.#operations)
    this.#initDeadline = options.deadlines.add(this, this.#openedAtMs + initialisedWithinMs)
    options.openSockets.add(this)
    options.metrics.sockets.inc()
    options.logger.info({ connectionId: client.id }, 'a socket was opened')
  }

  receive(data: Buffer, isBinary: boolean): void {
    this.#heard = true
    if (this.#ending !== undefined) return
    if (isBinary) this.close(CloseCode.BadRequest, 'Expected a text frame')
    else if (this.#protocol.receive(data.toString())) this.#backlog.notePing()
  }

  ponged(): void {
    this.#heard = true
  }

  pinged(): void {
    this.#heard = true
    this.#backlog.notePing()
  }

  broken(error: Error): void {
    this.#options.logger.debug({ connectionId: this.#client.id, err: error }, 'a client broke the WebSocket protocol')
  }

  close(code: number, reason: string): void {
    this.outgoing.flush()
    this.#socket.close(code, shortened(reason))
    void this.end()
  }

  /** Lets go of everything the socket has started. This does not wait for the close event, which a dead peer would delay. */
  end(): Promise<void> {
    this.#options.deadlines.remove(this.#initDeadline)
    this.#operations.end()
    this.#ending ??= this.#protocol.end()
    return this.#ending
  }

  closed(code: number): void {
    const { clock, logger, metrics, openSockets } = this.#options
    if (!openSockets.delete(this)) return
    metrics.sockets.dec()
    const { id: connectionId, address, slot } = this.#client
    const durationMs = Math.round(clock.monotonic() - this.#openedAtMs)
    const why = whyClosed(code)
    // Whom the node has turned away is known by their address alone.
    const whence = turnedAway.has(why) ? { address } : {}
    const line = { connectionId, userId: this.#operations.userId, ...whence, code, why, durationMs }
    logger.info(line, 'a socket was closed')
    this.#operations.socketClosed()
    slot.release()
    void this.end()
  }

  closeIfRefused(): void {
    this.#operations.closeIfRefused()
  }

  /** The client has had its time to send `connection_init`. */
  onDue(): void {
    if (this.#ending === undefined && !this.#protocol.isInitialised)
      this.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
  }

  /**
   * It is called every few seconds. A client that was heard not many calls ago is there, and is left alone: most sockets are silent most of the
   * time, and their pings are most of what they cost. One that was not is pinged, and has until the next call to answer.
   */
  checkLiveness(): void {
    const progress = this.#backlog.checkProgress()
    if (progress === 'stuck') this.#options.refusals('slow_reader')
    // A client that has not read what is waiting for it is not read from, so it is not heard either.
    const isHere = this.#heard || progress === 'moving'
    this.#silences = isHere ? 0 : this.#silences + 1
    this.#heard = false
    if (progress === 'stuck' || this.#silences > pingedAfterSilences) this.#socket.terminate()
    else if (this.#silences === pingedAfterSilences && this.#socket.readyState === this.#socket.OPEN)
      this.outgoing.post(pingFrame)
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

/** Says in a word why a socket was closed. The reason itself may hold words of the client. */
function whyClosed(code: number): string {
  if (code === CloseCode.Forbidden) return 'token'
  if (code >= 4000) return 'protocol'
  return closeReasons.get(code) ?? 'other'
}

const turnedAway: ReadonlySet<string> = new Set(['token', 'protocol', 'later', 'too large'])

const closeReasons = new Map([
  [1000, 'done'],
  [1001, 'left'],
  [1005, 'left'],
  [1006, 'lost'],
  [1009, 'too large'],
  [1012, 'drain'],
  [1013, 'later'],
])

/** Ids may be of any length, and a close frame holds no longer reason. */
function shortened(reason: string): string {
  if (Buffer.byteLength(reason) <= reasonMaxBytes) return reason
  // A cut inside a character would leave bytes that are no UTF-8.
  return Buffer.from(reason)
    .subarray(0, reasonMaxBytes - 3)
    .toString()
    .replace(/\uFFFD+$/, '')
}
