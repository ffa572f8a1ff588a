import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { createUpgrader, type OwnedWebSocket } from '../../engine/websocket/owned-web-socket.ts'
import { createGraphqlWsProtocol } from '../../engine/websocket/protocol.graphql-ws.ts'
import { openLeanProtocol } from '../../engine/websocket/protocol.lean.ts'
import type { ProtocolName } from '../../engine/websocket/protocol.ts'
import { frameMaxBytes } from '../../protocol/limits.ts'
import { createDeadlineQueue } from '../../shared/deadline-queue.ts'
import { createOnceAMinute } from '../../shared/once-a-minute.ts'
import { timersOf } from '../../shared/timers.ts'
import type { Prepared } from '../execution/prepared.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { type Origins, ownOrigin } from '../http/origins.ts'
import { OpenSocket, type OpenSocketOptions } from './open-socket.ts'
import type { SocketClient, WebSocketDoor } from './websocket-operations.ts'

type WebSocketOptions = Omit<OpenSocketOptions, 'deadlines' | 'openSockets' | 'openProtocol' | keyof WebSocketDoor> & {
  /** What is served to sockets, by its path. */
  doors: Readonly<Record<string, WebSocketDoor>>
  config: { websocketProtocol: ProtocolName }
  origins: Origins
  clientAddress: ClientAddress
  randomId: () => string
}

type WebSockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes the sockets of those who are refused. */
  closeRefused(): void
  /** Ends all subscriptions, waits until their sources have let go, then closes the sockets. */
  close(code: number, reason: string): Promise<void>
  /** Cuts the sockets off that do not answer the close. */
  terminate(): void
}

const livenessCheckMs = 5000
/** A socket may be closed this much later than it is due. There may be ten thousand of them, and so there are fewer times to keep in order. */
const deadlineResolutionMs = 100

export function createWebSockets({ doors, ...given }: WebSocketOptions): WebSockets {
  const { config, origins, clientAddress, connectionLimits, clock, randomId, logger } = given
  const openSockets = new Set<OpenSocket>()
  const stopped = new AbortController()
  const deadlines = createDeadlineQueue(timersOf(clock), { resolutionMs: deadlineResolutionMs })
  const openProtocol = config.websocketProtocol === 'lean' ? openLeanProtocol : createGraphqlWsProtocol<Prepared>()
  const served = new Map(
    Object.entries(doors).map(([path, door]): [string, OpenSocketOptions] => [
      path,
      { ...given, ...door, openSockets, deadlines, openProtocol },
    ]),
  )
  const onceAMinute = createOnceAMinute(clock)
  const upgrader = createUpgrader({ maxPayload: frameMaxBytes })

  function open(
    options: OpenSocketOptions,
    socket: OwnedWebSocket,
    request: IncomingMessage,
    client: SocketClient,
  ): void {
    const opened = new OpenSocket(options, socket, request.socket, client)
    socket.owner = opened
    if (socket.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL)
      opened.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
  }

  /** Logs once a minute for each status, with the address that was refused last. */
  function turnAway(request: IncomingMessage, socket: Duplex, status: string, headers?: string): void {
    onceAMinute(status, (count) =>
      logger.warn({ address: clientAddress(request), status, count }, 'a socket was refused'),
    )
    refuse(socket, status, headers)
  }

  /** One timer serves all sockets. */
  async function checkLiveness(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(livenessCheckMs, stopped.signal)
      // After a stall of this node, it first reads what peers have sent meanwhile. They must not be taken for dead because of the stall.
      await new Promise(setImmediate)
      for (const each of openSockets) each.checkLiveness()
    }
  }
  void checkLiveness()

  return {
    upgrade(request, socket, head) {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') return turnAway(request, socket, '400 Bad Request')
      const [path = ''] = (request.url ?? '').split('?', 1)
      const options = served.get(path)
      if (!options) return turnAway(request, socket, '404 Not Found')
      if (!origins.allows(request)) return turnAway(request, socket, '403 Forbidden')
      if (stopped.signal.aborted) return turnAway(request, socket, '503 Service Unavailable')
      const address = clientAddress(request)
      const slot = connectionLimits.acquireSocket(address)
      if (!slot) return turnAway(request, socket, '429 Too Many Requests', 'Retry-After: 5\r\n')
      // The connection may break before the socket is open: then it has no owner that would release the slot.
      const release = () => slot.release()
      socket.once('close', release)
      upgrader.handleUpgrade(request, socket, head, (opened) => {
        socket.off('close', release)
        open(options, opened, request, { id: randomId(), origin: ownOrigin(request), address, slot })
      })
    },
    closeRefused() {
      for (const each of openSockets) each.closeIfRefused()
    },
    async close(code, reason) {
      stopped.abort()
      deadlines.close()
      await Promise.all(
        [...openSockets].map(async (each) => {
          await each.end()
          each.close(code, reason)
        }),
      )
    },
    terminate() {
      for (const each of openSockets) each.terminate()
    },
  }
}

function refuse(socket: Duplex, status: string, headers = ''): void {
  socket.on('error', () => socket.destroy())
  // The client cannot be trusted to close it, and Node's timeouts no longer run for a connection that was to be upgraded.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}Content-Length: 0\r\n\r\n`)
}
