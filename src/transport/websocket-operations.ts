import type { GraphQLError } from 'graphql'
import { type Context, makeServer, type Server } from 'graphql-ws'
import { ChatError, unavailable } from '../protocol/errors.ts'
import { operationsPerSocketMax } from '../protocol/limits.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Authenticate } from './auth.ts'
import type { ErrorMapper } from './errors.ts'
import type { GraphQL } from './graphql.ts'
import { loggedOperationId } from './operation-ids.ts'
import type { Operations } from './operations.ts'

/** What the protocol needs of a socket beside sending. */
export type Connection = {
  /** Undefined on a socket that was opened anonymously, for GraphiQL. */
  viewer?: Viewer
  /** For the log. */
  readonly id: string
  /** This server's address, as the client has it. */
  readonly origin: string
  close(code: number, reason: string): void
  /** Closes the socket with 4403 when the token expires, unless the returned function is called before. */
  closeAtExpiry(viewer: Viewer): () => void
  /** Per operation that brought its own token: calls the expiry off. */
  readonly operationTokens: Map<string, () => void>
}

export type WebSocketOperationsOptions = {
  graphql: GraphQL
  authenticate: Authenticate
  operations: Operations
  errors: ErrorMapper
  /** GraphiQL opens its socket without a token and sends one with each operation. */
  acceptAnonymous: boolean
}

const tooManyRetryAfterMs = 1000
const tryAgainLater = 1013

/** graphql-transport-ws: who may connect, and what becomes of an operation. */
export function createWebSocketOperations(options: WebSocketOperationsOptions): Server<Connection> {
  const { graphql, authenticate, operations, errors, acceptAnonymous } = options
  type Socket = Context<Record<string, unknown> | undefined, Connection>

  async function connect({ connectionParams, extra: connection }: Socket): Promise<boolean> {
    const authorization = authorizationIn(connectionParams)
    if (authorization === undefined) return acceptAnonymous
    try {
      const viewer = await authenticate(authorization)
      if (!viewer) return false
      connection.viewer = viewer
      connection.closeAtExpiry(viewer)
      return true
    } catch (error) {
      if (errors.about({ connectionId: connection.id }).toProblem(error).retryable)
        connection.close(tryAgainLater, 'Try again later')
      return false
    }
  }

  /** The token of GraphiQL's headers editor. */
  async function operationViewer({ extra: connection }: Socket, id: string, headers: unknown) {
    const viewer = await authenticate(authorizationIn(headers))
    if (viewer) connection.operationTokens.set(id, connection.closeAtExpiry(viewer))
    return viewer
  }

  function forgetToken({ extra: { operationTokens } }: Socket, id: string): void {
    operationTokens.get(id)?.()
    operationTokens.delete(id)
  }

  return makeServer<Record<string, unknown> | undefined, Connection>({
    execute: graphql.execute,
    subscribe: graphql.subscribe,
    onConnect: connect,
    // A throw in here would close the socket and with it every other operation.
    async onSubscribe(socket, id, { query, operationName, variables, extensions }) {
      const ids = { connectionId: socket.extra.id, operationId: loggedOperationId(id) }
      try {
        if (operations.draining) throw unavailable()
        if (Object.keys(socket.subscriptions).length > operationsPerSocketMax) throw tooManyOperations()
        const viewer = socket.extra.viewer ?? (await operationViewer(socket, id, extensions?.headers))
        const prepared = await graphql.prepare({
          query,
          operationName,
          variables,
          viewer,
          origin: socket.extra.origin,
          ids,
          traceparent: extensions?.traceparent,
        })
        if (Array.isArray(prepared)) forgetToken(socket, id)
        return prepared
      } catch (error) {
        return [errors.about(ids).toGraphQLError(error)]
      }
    },
    onError: ({ extra: { id: connectionId } }, _id, _request, list) =>
      list.map((error: GraphQLError) =>
        errors
          .about({ connectionId })
          .toGraphQLError(error.originalError ?? error)
          .toJSON(),
      ),
    onComplete: forgetToken,
  })
}

const tooManyOperations = () =>
  new ChatError('RATE_LIMITED', `A socket runs at most ${operationsPerSocketMax} operations at a time.`, {
    retryAfterMs: tooManyRetryAfterMs,
  })

/** Header names have no case. */
function authorizationIn(headers: unknown): unknown {
  const entries = Object.entries((headers ?? {}) as Record<string, unknown>)
  return entries.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
}
