import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { WebSocket, WebSocketServer } from 'ws'

/** The owner of a socket is told here what happens to it. */
export type SocketOwner = {
  receive(data: Buffer, isBinary: boolean): void
  /** The client has answered a ping of ours, by a frame of WebSocket itself. */
  ponged(): void
  /** The client has sent a ping, by a frame of WebSocket itself. The library answers it. */
  pinged(): void
  /** The client broke the rules of WebSocket. The library closes the socket. */
  broken(error: Error): void
  closed(code: number): void
}

/**
 * It calls its owner directly: listeners would be a table of their own for each socket. It gets its owner in the turn in which it is opened.
 */
export class OwnedWebSocket extends WebSocket {
  owner: SocketOwner | undefined = undefined

  override emit(event: string | symbol, first?: unknown, second?: unknown): boolean {
    const { owner } = this
    if (!owner) return false
    if (event === 'message') owner.receive(first as Buffer, second as boolean)
    else if (event === 'pong') owner.ponged()
    else if (event === 'ping') owner.pinged()
    else if (event === 'error') owner.broken(first as Error)
    else if (event === 'close') owner.closed(first as number)
    return true
  }
}

/** Makes a server that only upgrades requests: it listens on no port, and keeps no list of its sockets. */
export const createUpgrader = ({ maxPayload }: { maxPayload: number }) =>
  new WebSocketServer<typeof OwnedWebSocket>({
    noServer: true,
    WebSocket: OwnedWebSocket,
    clientTracking: false,
    maxPayload,
    // Frames are written past the library (outgoing.ts), so they must not have to be compressed.
    perMessageDeflate: false,
    // A client that offers only other protocols must be given one of them, or it never hears of the close code 4406.
    handleProtocols: (offered) =>
      offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : ([...offered][0] ?? false),
  })
