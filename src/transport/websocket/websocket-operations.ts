import { CloseCode, type SubscribePayload } from 'graphql-ws'
import type {
  CloseReason,
  Judged,
  Peer,
  ProtocolOperations,
  StartedOperation,
} from '../../engine/websocket/protocol.ts'
import type { Metrics, TokenCloseReason } from '../../observability/metrics.ts'
import { loggedOperationId, type OperationIds } from '../../observability/operation-ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RefusedViewers } from '../../ports/restrictions.ts'
import { ChatError, unavailable } from '../../protocol/errors.ts'
import { operationsPerSocketMax } from '../../protocol/limits.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Deadline, DeadlineOwner, DeadlineQueue } from '../../shared/deadline-queue.ts'
import type { Authenticate } from '../auth/auth.ts'
import { RefusedToken } from '../auth/refused-token.ts'
import { refusedViewer } from '../auth/refused-viewers.ts'
import type { ErrorMapper } from '../execution/errors.ts'
import type { GraphQL } from '../execution/graphql.ts'
import type { Operations } from '../execution/operations.ts'
import type { OperationContext, Prepared, Refusal } from '../execution/prepared.ts'
import type { Admission } from '../limits/admission.ts'
import type { ConnectionLimits, ConnectionSlot } from '../limits/connection-limits.ts'
import type { Refusals } from '../limits/refusals.ts'
import { misplacedToken, missingTokenReason } from './misplaced-token.ts'

/** This is known of the client when its socket is opened. */
export type SocketClient = {
  /** The id of the connection, for the log. */
  readonly id: string
  /** The address of this server, as the client has it. */
  readonly origin: string
  /** The address of the client. */
  readonly address: string
  readonly slot: ConnectionSlot
}

/** What is served at one path, and to whom. */
export type WebSocketDoor = {
  graphql: GraphQL
  authenticate: Authenticate
  /** GraphiQL opens its socket without a token and sends one with each operation. */
  acceptAnonymous: boolean
  admission: Admission
}

export type WebSocketOperationsOptions = WebSocketDoor & {
  connectionLimits: ConnectionLimits
  refusals: Refusals
  metrics: Pick<Metrics, 'tokenCloses'>
  operations: Operations
  errors: ErrorMapper
  refusedViewers: RefusedViewers
  clock: Clock
  /** Closes sockets that have sent no `connection_init`, and those whose token has expired. */
  deadlines: DeadlineQueue
}

type MaybePrepared = Judged<Prepared> | Promise<Judged<Prepared>>

const tooManyRetryAfterMs = 1000
const tryAgainLater = 1013

/**
 * Decides who may connect, and runs their operations. It knows who the client is, and when their token expires. There is one for each socket.
 */
export class WebSocketOperations implements ProtocolOperations<Prepared>, DeadlineOwner {
  readonly #options: WebSocketOperationsOptions
  readonly #client: SocketClient
  readonly #peer: Pick<Peer, 'close'>
  /** It is undefined on a socket that was opened anonymously, for GraphiQL. */
  #viewer: Viewer | undefined
  /** Of a socket that was opened anonymously: the viewers of the operations that run. */
  #operationViewers: Set<Viewer> | undefined
  #expiry: Deadline | undefined
  /** Gives back the slot of this user. */
  #releaseUser: (() => void) | undefined
  #state: 'open' | 'ended' | 'closed' = 'open'

  constructor(options: WebSocketOperationsOptions, client: SocketClient, peer: Pick<Peer, 'close'>) {
    this.#options = options
    this.#client = client
    this.#peer = peer
  }

  get userId(): string | undefined {
    return this.#viewer?.userId
  }

  async connect(params: Record<string, unknown> | undefined): Promise<'accepted' | CloseReason> {
    const { authenticate, connectionLimits, errors, acceptAnonymous } = this.#options
    const { id, address, slot } = this.#client
    const authorization = authorizationIn(params)
    if (authorization === undefined) {
      const misplaced = misplacedToken(params)
      if (misplaced !== undefined || !acceptAnonymous) return this.#tokenMissing(misplaced)
      slot.initialised()
      return 'accepted'
    }
    try {
      const viewer = await authenticate(authorization, address)
      if (!viewer) return this.#tokenMissing(undefined)
      this.#viewer = viewer
      this.#assertAccepted(viewer)
      const release = connectionLimits.acquireForUser(viewer.userId, address, 'sockets_per_user')
      if (!release) return { code: tryAgainLater, reason: 'Too many sockets of this user' }
      this.#accept(viewer, release)
      return 'accepted'
    } catch (error) {
      if (error instanceof RefusedToken) return this.#forbidden(error.kind, error.closeReason)
      const { retryable } = errors.about({ connectionId: id }).toProblem(error)
      return retryable ? { code: tryAgainLater, reason: 'Try again later' } : this.#forbidden('other', 'Forbidden')
    }
  }

  prepare(payload: SubscribePayload, operation: StartedOperation): MaybePrepared {
    const { operations, refusals } = this.#options
    const ids = { connectionId: this.#client.id, operationId: loggedOperationId(operation.id) }
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

  execute(prepared: Prepared) {
    return this.#options.graphql.execute(prepared)
  }

  subscribe(prepared: Prepared) {
    return this.#options.graphql.subscribe(prepared, 'ws')
  }

  toGraphQLError(error: unknown) {
    return this.#options.errors.about({ connectionId: this.#client.id }).toGraphQLError(error)
  }

  /** The token of the socket, or of one of its operations, has expired. */
  onDue(): void {
    if (this.#state === 'open') this.#closeForbidden('lapsed', 'Token expired')
  }

  /** Somebody may be refused who was not before. */
  closeIfRefused(): void {
    const { refusedViewers } = this.#options
    const viewers = [...(this.#viewer ? [this.#viewer] : []), ...(this.#operationViewers ?? [])]
    if (this.#state === 'open' && viewers.some((viewer) => refusedViewers.refuses(viewer))) {
      this.#closeForbidden('banned', refusedViewer().closeReason)
    }
  }

  /** The socket closes: its token need not be watched any more. */
  end(): void {
    if (this.#state === 'open') this.#state = 'ended'
    if (this.#expiry) this.#options.deadlines.remove(this.#expiry)
  }

  /** The socket is closed: it no longer counts for its user. */
  socketClosed(): void {
    this.#state = 'closed'
    this.#releaseUser?.()
  }

  /** A viewer who was refused between the check of their token and their place on this socket would not be found there. */
  #assertAccepted(viewer: Viewer): void {
    if (this.#options.refusedViewers.refuses(viewer)) throw refusedViewer()
  }

  #tokenMissing(misplaced: string | undefined): CloseReason {
    return this.#forbidden(misplaced === undefined ? 'missing' : 'misplaced', missingTokenReason(misplaced))
  }

  #forbidden(counted: TokenCloseReason, reason: string): CloseReason {
    this.#options.metrics.tokenCloses.inc({ reason: counted })
    return { code: CloseCode.Forbidden, reason }
  }

  #closeForbidden(counted: TokenCloseReason, reason: string): void {
    const { code } = this.#forbidden(counted, reason)
    this.#peer.close(code, reason)
  }

  #accept(viewer: Viewer, release: () => void): void {
    this.#client.slot.initialised()
    if (this.#state === 'closed') release()
    else this.#releaseUser = release
    if (this.#state === 'open') this.#expiry = this.#closeAt(viewer.expiresAtMs)
  }

  /** Returns the viewer of the token in GraphiQL's headers editor. The socket is closed if that token expires while the operation runs. */
  async #operationViewer(operation: StartedOperation, headers: unknown): Promise<Viewer | undefined> {
    const own = await this.#options.authenticate(authorizationIn(headers), this.#client.address)
    if (own && this.#state === 'open') {
      const expiry = this.#closeAt(own.expiresAtMs)
      this.#operationViewers ??= new Set()
      const viewers = this.#operationViewers.add(own)
      operation.release = () => {
        this.#options.deadlines.remove(expiry)
        viewers.delete(own)
      }
      this.#assertAccepted(own)
    }
    return own
  }

  /** The deadline is on the monotonic clock: it does not move if the time of day is set meanwhile. */
  #closeAt(wallMs: number): Deadline {
    const { clock, deadlines } = this.#options
    return deadlines.add(this, clock.monotonic() + wallMs - clock.now())
  }

  #admit(payload: SubscribePayload, viewer: Viewer | undefined, ids: OperationIds): MaybePrepared {
    const { graphql, admission } = this.#options
    const { origin, address } = this.#client
    const context: OperationContext = {
      transport: 'ws',
      viewer,
      origin,
      address,
      ids,
      traceparent: payload.extensions?.traceparent,
    }
    const admitted = admission.admit(viewer, address)
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
