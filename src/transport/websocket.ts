import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../ports/clock.ts'
import { frameMaxBytes } from '../protocol/limits.ts'
import { type Backlog, createBacklog } from './backlog.ts'
import type { ClientAddress } from './client-address.ts'
import { atExpiry } from './expiry.ts'
import { createConversation } from './graphql-transport-ws.ts'
import type { Metrics } from './metrics.ts'
import type { Operations } from './operations.ts'
import { type Origins, ownOrigin } from './origins.ts'
import { createOutgoing } from './outgoing.ts'
import type { Place, Places } from './places.ts'
import type { Refusals } from './refusals.ts'
import { type Connection, createWebSocketOperations, type WebSocketOperationsOptions } from './websocket-operations.ts'

export type WebSocketOptions = WebSocketOperationsOptions & {
  origins: Origins
  operations: Operations
  clientAddress: ClientAddress
  places: Places
  refusals: Refusals
  clock: Clock
  randomId: () => string
  logger: Logger
  metrics: Metrics
}

export type WebSockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends all subscriptions, waits until their sources have let go, then closes the sockets. */
  close(code: number, reason: string): Promise<void>
  /** For those who do not answer the close. */
  terminate(): void
}

type OpenSocket = {
  /** Something was heard of it since the last beat. */
  heard: boolean
  socket: WebSocket
  backlog: Backlog
  end(): Promise<void>
  close(code: number, reason: string): void
}

const beatMs = 5000
const initialisedWithinMs = 3000
const reasonMaxBytes = 123

export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { origins, operations, clientAddress, places, refusals, clock, randomId, logger, metrics } = options
  const serviceFor = createWebSocketOperations(options)
  const sockets = new Set<OpenSocket>()
  const stopped = new AbortController()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: frameMaxBytes,
    // A client that offers only others must get one of them, or it never hears of the close code 4406.
    handleProtocols: (offered) =>
      offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : ([...offered][0] ?? false),
  })

  function open(socket: WebSocket, request: IncomingMessage, place: Place, address: string): void {
    const connectionId = randomId()
    const openedAtMs = clock.now()
    const timers = new Set<AbortController>()
    const left: (() => void)[] = []
    let ending: Promise<void> | undefined

    /** Lets go of everything the socket has started. Not left to the close event: a dead peer would delay it. */
    function end(): Promise<void> {
      for (const timer of timers) timer.abort()
      ending ??= conversation.end()
      return ending
    }
    function close(code: number, reason: string): void {
      outgoing.flush()
      socket.close(code, shortened(reason))
      void end()
    }
    function createTimer(): { signal: AbortSignal; cancel: () => void } {
      const timer = new AbortController()
      timers.add(timer)
      const cancel = () => {
        timer.abort()
        timers.delete(timer)
      }
      return { signal: timer.signal, cancel }
    }
    const connection: Connection = {
      id: connectionId,
      origin: ownOrigin(request),
      address,
      close,
      closeAtExpiry(viewer) {
        if (ending !== undefined) return () => undefined
        const { signal, cancel } = createTimer()
        void atExpiry(clock, viewer.expiresAtMs, signal, () => close(CloseCode.Forbidden, 'The token has expired'))
        return cancel
      },
      introduced(leave) {
        place.initialised()
        if (!leave) return
        if (socket.readyState === socket.CLOSED) leave()
        else left.push(leave)
      },
    }
    const backlog = createBacklog(socket, request.socket, refusals)
    const outgoing = createOutgoing(socket, request.socket, backlog.grown)
    const conversation = createConversation({ ...outgoing, close, pinged: backlog.pinged }, serviceFor(connection))

    const open: OpenSocket = { heard: true, socket, backlog, end, close }
    const hear = () => {
      open.heard = true
    }
    sockets.add(open)
    metrics.sockets.inc()
    logger.info({ connectionId }, 'a socket was opened')
    socket.on('pong', hear)
    socket.on('ping', backlog.pinged)
    socket.on('message', (data, isBinary) => {
      hear()
      if (ending !== undefined) return
      if (isBinary) close(CloseCode.BadRequest, 'Expected a text frame')
      else conversation.receive(String(data))
    })
    socket.on('error', (error) => logger.debug({ connectionId, err: error }, 'a client broke the WebSocket protocol'))
    socket.once('close', (code) => {
      sockets.delete(open)
      metrics.sockets.dec()
      const { userId } = connection
      const durationMs = clock.now() - openedAtMs
      logger.info({ connectionId, userId, code, why: whyClosed(code), durationMs }, 'a socket was closed')
      for (const leave of left) leave()
      void end()
    })
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) {
      close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
      return
    }
    const { signal, cancel } = createTimer()
    void clock.sleep(initialisedWithinMs, signal).then(() => {
      cancel()
      if (ending !== undefined || !conversation.isSilent()) return
      close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
    })
  }

  /** One timer for all: a peer that is gone without a word is found at the second beat. */
  async function beat(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(beatMs, stopped.signal)
      // After a stall of this node, what peers have sent meanwhile is read first: they are not to be taken for dead for it.
      await new Promise(setImmediate)
      for (const open of sockets) {
        const backlog = open.backlog.beat()
        if (backlog === 'stuck') refusals('slow_reader')
        // One that is not read from, because it has not read what is waiting for it, is not heard either.
        if (backlog === 'stuck' || (backlog === 'idle' && !open.heard)) open.socket.terminate()
        else if (open.socket.readyState === open.socket.OPEN) open.socket.ping()
        open.heard = false
      }
    }
  }
  void beat()

  return {
    upgrade(request, socket, head) {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') return refuse(socket, '400 Bad Request')
      const [path] = (request.url ?? '').split('?', 1)
      if (path !== '/graphql') return refuse(socket, '404 Not Found')
      if (!origins.allows(request)) return refuse(socket, '403 Forbidden')
      if (operations.draining) return refuse(socket, '503 Service Unavailable')
      const address = clientAddress(request)
      const place = places.arrive(address)
      if (!place) return refuse(socket, '429 Too Many Requests', 'Retry-After: 5\r\n')
      // One that breaks before it is open is nobody's to count.
      socket.once('close', place.leave)
      server.handleUpgrade(request, socket, head, (opened) => open(opened, request, place, address))
    },
    async close(code, reason) {
      stopped.abort()
      await Promise.all(
        [...sockets].map(async (open) => {
          await open.end()
          open.close(code, reason)
        }),
      )
    },
    terminate() {
      for (const { socket } of sockets) socket.terminate()
    },
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

function refuse(socket: Duplex, status: string, headers = ''): void {
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}Content-Length: 0\r\n\r\n`)
}

/** A close frame holds no longer one, and ids may be of any length. */
function shortened(reason: string): string {
  if (Buffer.byteLength(reason) <= reasonMaxBytes) return reason
  // Cut inside a character, its last bytes would be no UTF-8.
  return Buffer.from(reason)
    .subarray(0, reasonMaxBytes - 3)
    .toString()
    .replace(/\uFFFD+$/, '')
}
