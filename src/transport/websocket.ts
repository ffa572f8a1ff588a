import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../domain/ports.ts'
import { unavailable } from '../protocol/errors.ts'
import { frameMaxBytes } from '../protocol/limits.ts'
import { atExpiry } from './expiry.ts'
import type { Metrics } from './metrics.ts'
import type { Operations } from './operations.ts'
import { type Origins, ownOrigin } from './origins.ts'
import { type Connection, createWebSocketOperations, type WebSocketOperationsOptions } from './websocket-operations.ts'

export type WebSocketOptions = WebSocketOperationsOptions & {
  origins: Origins
  operations: Operations
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
  end(code: number, reason: string): Promise<void>
}

const beatMs = 5000
const badRequest = 4400
const forbidden = 4403
const internalServerError = 4500

export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { origins, operations, clock, randomId, logger, metrics } = options
  const protocol = createWebSocketOperations(options)
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

  function open(socket: WebSocket, request: IncomingMessage): void {
    const connectionId = randomId()
    const openedAtMs = clock.now()
    const expiries = new Set<AbortController>()
    let onMessage: (text: string) => Promise<void> = async () => undefined
    let ending: Promise<void> | undefined

    /** Lets go of everything the socket has started. Not left to the close event: a dead peer would delay it. */
    function end(code: number, reason: string): Promise<void> {
      for (const expiry of expiries) expiry.abort()
      ending ??= Promise.resolve().then(() => closed(code, reason))
      return ending
    }
    function close(code: number, reason: string): void {
      socket.close(code, reason)
      void end(code, reason)
    }
    const connection: Connection = {
      id: connectionId,
      origin: ownOrigin(request),
      close,
      closeAtExpiry(viewer) {
        if (ending !== undefined) return () => undefined
        const expiry = new AbortController()
        expiries.add(expiry)
        void atExpiry(clock, viewer.expiresAtMs, expiry.signal, () => close(forbidden, 'The token has expired'))
        return () => {
          expiry.abort()
          expiries.delete(expiry)
        }
      },
      operationTokens: new Map(),
    }
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        // Resolves when the frame is on its way: the next event is not taken from its source before. That a peer leaves in the
        // middle of an operation is nobody's bug: it ends the operation, and is not logged as an unexpected error.
        send: (data) =>
          new Promise((resolve, reject) => {
            if (socket.readyState !== socket.OPEN) return reject(unavailable(new Error('The socket is closed.')))
            socket.send(data, (error) => (error ? reject(unavailable(error)) : resolve()))
          }),
        close: (code = internalServerError, reason = '') => close(code, reason),
        onMessage: (listener) => {
          onMessage = listener
        },
      },
      connection,
    )

    async function receive(text: string): Promise<void> {
      try {
        await onMessage(text)
      } catch (error) {
        if (socket.readyState !== socket.OPEN) return
        // graphql-ws says so of `next`, `error` and `connection_ack`, which only a server may send.
        if (String(error).includes('Unexpected message of type')) return close(badRequest, 'Unexpected message')
        logger.error({ connectionId, err: error }, 'a socket failed')
        close(internalServerError, 'Internal server error')
      }
    }

    const open: OpenSocket = { heard: true, socket, end }
    const hear = () => {
      open.heard = true
    }
    sockets.add(open)
    metrics.sockets.inc()
    logger.info({ connectionId }, 'a socket was opened')
    socket.on('pong', hear)
    socket.on('message', (data) => {
      hear()
      if (ending === undefined) void receive(String(data))
    })
    socket.on('error', (error) => logger.debug({ connectionId, err: error }, 'a client broke the WebSocket protocol'))
    socket.once('close', (code, reason) => {
      sockets.delete(open)
      metrics.sockets.dec()
      const durationMs = clock.now() - openedAtMs
      const userId = connection.viewer?.userId
      logger.info({ connectionId, userId, code, why: whyClosed(code), durationMs }, 'a socket was closed')
      void end(code, String(reason))
    })
  }

  /** One timer for all: a peer that is gone without a word is found at the second beat. */
  async function beat(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(beatMs, stopped.signal)
      for (const open of sockets) {
        if (!open.heard) open.socket.terminate()
        else if (open.socket.readyState === open.socket.OPEN) open.socket.ping()
        open.heard = false
      }
    }
  }
  void beat()

  return {
    upgrade(request, socket, head) {
      const [path] = (request.url ?? '').split('?', 1)
      if (path !== '/graphql') return refuse(socket, '404 Not Found')
      if (!origins.allows(request)) return refuse(socket, '403 Forbidden')
      if (operations.draining) return refuse(socket, '503 Service Unavailable')
      server.handleUpgrade(request, socket, head, open)
    },
    async close(code, reason) {
      stopped.abort()
      await Promise.all(
        [...sockets].map(async ({ end, socket }) => {
          await end(code, reason)
          socket.close(code, reason)
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
  if (code === forbidden) return 'token'
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

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
