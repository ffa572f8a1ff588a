import type { SubscribePayload } from 'graphql-ws'
import { loggedOperationId, type OperationIds } from '../../observability/operation-ids.ts'
import { ChatError, unavailable } from '../../protocol/errors.ts'
import { operationsPerSocketMax } from '../../protocol/limits.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Authenticate } from '../auth/auth.ts'
import type { ErrorMapper } from '../execution/errors.ts'
import type { GraphQL } from '../execution/graphql.ts'
import type { Operations } from '../execution/operations.ts'
import type { OperationContext, Prepared, Refusal } from '../execution/prepared.ts'
import type { Admission } from '../limits/admission.ts'
import type { Places } from '../limits/places.ts'
import type { Refusals } from '../limits/refusals.ts'
import type { Operation, Prepares, Service } from './graphql-transport-ws.ts'

/** What the operations need of a socket beside sending. */
export type Connection = {
  /** For the log. */
  readonly id: string
  userId?: string
  /** This server's address, as the client has it. */
  readonly origin: string
  /** The client's. */
  readonly address: string
  close(code: number, reason: string): void
  /**
   * Somebody has introduced themselves, and the socket is closed when their token expires. `left` is called when the socket is closed, or
   * at once if it is.
   */
  introduced(left?: () => void, viewer?: Viewer): void
  /** Closes the socket with 4403 when the token of an operation expires, unless the returned function is called before. */
  closeAtExpiry(viewer: Viewer): () => void
}

export type WebSocketOperationsOptions = {
  graphql: GraphQL
  authenticate: Authenticate
  admission: Admission
  places: Places
  refusals: Refusals
  operations: Operations
  errors: ErrorMapper
  /** GraphiQL opens its socket without a token and sends one with each operation. */
  acceptAnonymous: boolean
}

const tooManyRetryAfterMs = 1000
const tryAgainLater = 1013

/** Who may connect, and what becomes of an operation. One for each open socket. */
export class WebSocketOperations implements Service {
  readonly #options: WebSocketOperationsOptions
  readonly #connection: Connection
  /** Undefined on a socket that was opened anonymously, for GraphiQL. */
  #viewer: Viewer | undefined

  constructor(options: WebSocketOperationsOptions, connection: Connection) {
    this.#options = options
    this.#connection = connection
  }

  async connect(params: Record<string, unknown> | undefined): Promise<boolean> {
    const { authenticate, places, errors, acceptAnonymous } = this.#options
    const connection = this.#connection
    const authorization = authorizationIn(params)
    if (authorization === undefined) {
      if (acceptAnonymous) connection.introduced()
      return acceptAnonymous
    }
    try {
      const viewer = await authenticate(authorization, connection.address)
      if (!viewer) return false
      this.#viewer = viewer
      connection.userId = viewer.userId
      const left = places.seat(viewer.userId, connection.address, 'sockets_per_user')
      if (!left) {
        connection.close(tryAgainLater, 'Too many sockets of this user')
        return false
      }
      connection.introduced(left, viewer)
      return true
    } catch (error) {
      if (errors.about({ connectionId: connection.id }).toProblem(error).retryable)
        connection.close(tryAgainLater, 'Try again later')
      return false
    }
  }

  prepare(payload: SubscribePayload, operation: Operation): Prepares {
    const { operations, refusals } = this.#options
    const ids = { connectionId: this.#connection.id, operationId: loggedOperationId(operation.id) }
    try {
      if (operations.draining) throw unavailable()
      if (operation.position > operationsPerSocketMax) {
        refusals('operations_per_socket')
        throw tooManyOperations()
      }
      if (this.#viewer) return this.#admit(payload, this.#viewer, ids)
      return this.#operationViewer(operation, payload.extensions?.headers)
        .then((own) => this.#admit(payload, own, ids))
        .catch((error) => this.#refused(ids, error))
    } catch (error) {
      return this.#refused(ids, error)
    }
  }

  answer(prepared: Prepared) {
    return this.#options.graphql.execute(prepared)
  }

  follow(prepared: Prepared) {
    return this.#options.graphql.subscribe(prepared, 'ws')
  }

  explain(error: unknown) {
    return this.#options.errors.about({ connectionId: this.#connection.id }).toGraphQLError(error)
  }

  /** The token of GraphiQL's headers editor. */
  async #operationViewer(operation: Operation, headers: unknown): Promise<Viewer | undefined> {
    const own = await this.#options.authenticate(authorizationIn(headers), this.#connection.address)
    if (own) operation.release = this.#connection.closeAtExpiry(own)
    return own
  }

  #admit(payload: SubscribePayload, asks: Viewer | undefined, ids: OperationIds): Prepares {
    const { graphql, admission } = this.#options
    const { origin, address } = this.#connection
    const context: OperationContext = {
      transport: 'ws',
      viewer: asks,
      origin,
      address,
      ids,
      traceparent: payload.extensions?.traceparent,
    }
    const admitted = admission.admit(asks, address)
    if (admitted === undefined) return graphql.prepare(payload, context)
    return admitted.then(() => graphql.prepare(payload, context)).catch((error) => this.#refused(ids, error))
  }

  #refused(ids: OperationIds, error: unknown): Refusal {
    return { errors: [this.#options.errors.about(ids).toGraphQLError(error)] }
  }
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
