import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { WebSocket, WebSocketServer } from 'ws'
import type { Metrics } from '../../observability/metrics.ts'
import { frameMaxBytes } from '../../protocol/limits.ts'
import type { Operations } from '../execution/operations.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { type Origins, ownOrigin } from '../http/origins.ts'
import { createAlarms } from '../limits/alarms.ts'
import type { Place, Places } from '../limits/places.ts'
import { OpenSocket, type OpenSocketOptions } from './open-socket.ts'

export type WebSocketOptions = Omit<OpenSocketOptions, 'alarms'> & {
  origins: Origins
  operations: Operations
  clientAddress: ClientAddress
  places: Places
  randomId: () => string
  metrics: Metrics
}

export type WebSockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Ends all subscriptions, waits until their sources have let go, then closes the sockets. */
  close(code: number, reason: string): Promise<void>
  /** For those who do not answer the close. */
  terminate(): void
}

const beatMs = 5000

export function createWebSockets(given: WebSocketOptions): WebSockets {
  const { origins, operations, clientAddress, places, clock, randomId, logger, metrics } = given
  const sockets = new Set<OpenSocket>()
  const stopped = new AbortController()
  const options = { ...given, alarms: createAlarms(clock, stopped.signal) }
  const server = new WebSocketServer<typeof Client>({
    noServer: true,
    WebSocket: Client,
    clientTracking: false,
    maxPayload: frameMaxBytes,
    // Frames are written past the library, see outgoing.ts: they must not have to be compressed.
    perMessageDeflate: false,
    // A client that offers only others must get one of them, or it never hears of the close code 4406.
    handleProtocols: (offered) =>
      offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : ([...offered][0] ?? false),
  })

  function open(socket: Client, request: IncomingMessage, place: Place, address: string): void {
    const id = randomId()
    const open = new OpenSocket(options, socket, request.socket, { id, origin: ownOrigin(request), address, place })
    sockets.add(open)
    metrics.sockets.inc()
    logger.info({ connectionId: id }, 'a socket was opened')
    socket.owner = open
    socket.onClosed = onClosed
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL)
      open.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
  }

  function onClosed(owner: OpenSocket, code: number): void {
    if (!sockets.delete(owner)) return
    metrics.sockets.dec()
    owner.closed(code)
  }

  /** One timer for all. */
  async function beat(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(beatMs, stopped.signal)
      // After a stall of this node, what peers have sent meanwhile is read first: they are not to be taken for dead for it.
      await new Promise(setImmediate)
      for (const open of sockets) open.beat()
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
      const leave = () => place.leave()
      socket.once('close', leave)
      server.handleUpgrade(request, socket, head, (opened) => {
        socket.off('close', leave)
        open(opened, request, place, address)
      })
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
      for (const open of sockets) open.terminate()
    },
  }
}

/** Tells its owner what happens to it, directly: listeners would be a table of their own for each socket. */
class Client extends WebSocket {
  owner: OpenSocket | undefined = undefined
  onClosed: ((owner: OpenSocket, code: number) => void) | undefined = undefined

  override emit(event: string | symbol, first?: unknown, second?: unknown): boolean {
    const { owner } = this
    if (!owner) return false
    if (event === 'message') owner.receive(first as Buffer, second as boolean)
    else if (event === 'pong') owner.heard = true
    else if (event === 'ping') owner.pinged()
    else if (event === 'error') owner.broken(first as Error)
    else if (event === 'close') this.onClosed?.(owner, first as number)
    return true
  }
}

function refuse(socket: Duplex, status: string, headers = ''): void {
  socket.on('error', () => socket.destroy())
  // Not left to the client: Node's clocks no longer run for a connection that was to be upgraded.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}Content-Length: 0\r\n\r\n`)
}
