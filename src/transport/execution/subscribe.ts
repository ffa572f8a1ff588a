// Opens, watches over and ends subscriptions. event-stream.ts turns their events into results.

import type { ExecutionResult } from 'graphql'
import { type Answer, answerOf } from '../../engine/graphql/answer.ts'
import { createSharedAnswers } from '../../engine/graphql/shared-answers.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Operation, OperationLog } from '../../observability/operation-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RefusedViewers } from '../../ports/restrictions.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { unauthenticated } from '../auth/auth.ts'
import { atExpiry } from '../auth/expiry.ts'
import { refusedViewer } from '../auth/refused-viewers.ts'
import type { ConnectionLimits } from '../limits/connection-limits.ts'
import { createDeadline } from '../limits/deadline.ts'
import { EventExecutor, type EventExecutorParts } from './event-executor.ts'
import type { EventStream } from './event-stream.ts'
import type { Operations } from './operations.ts'
import { type Outcome, operationOf } from './outcome.ts'
import type { OperationContext, Prepared } from './prepared.ts'
import type { Reference } from './reference.ts'
import { type Finished, Subscription, type SubscriptionParts } from './subscription.ts'

export type SubscriptionTransport = 'ws' | 'sse'

export type SubscribeOptions = {
  reference: Reference
  outcome: Outcome
  operations: Operations
  log: OperationLog
  metrics: Metrics
  connectionLimits: ConnectionLimits
  refusedViewers: RefusedViewers
  clock: Clock
  /** Called with each event of a subscription that is handed to its connection. */
  onDelivery: ((event: unknown, ids: OperationIds) => void) | undefined
}

export type Subscribe = {
  /** Never rejects: errors are in the answer. */
  subscribe(prepared: Prepared, transport: SubscriptionTransport): Promise<EventStream | Answer>
  /** Ends the subscriptions of those who are refused. Their sockets are closed elsewhere. */
  endRefused(): void
  /** Ends all subscriptions. Resolves when their sources have released everything. */
  endSubscriptions(error: unknown): Promise<void>
}

const eventDeadlineMs = 2500

export function createSubscribe(options: SubscribeOptions): Subscribe {
  const { reference, outcome, operations, log, metrics, connectionLimits, refusedViewers, clock, onDelivery } = options
  const { mapErrors, refused, problemsOf, errorsOf, traced } = outcome
  const streams = new Set<EventStream>()
  /** Those that no socket watches over. */
  const watched = new Map<EventStream, Viewer>()
  const inDeadline = createDeadline(clock, eventDeadlineMs)

  const eventParts: EventExecutorParts = {
    shared: createSharedAnswers(),
    reference,
    inDeadline: (given, { context }) =>
      inDeadline(given).catch((error) => answerOf({ errors: [errorsOf(context).toGraphQLError(error)] })),
  }

  const parts: SubscriptionParts = {
    clock,
    errorsOf,
    onDelivery,
    ended({ stream, transport, finished, release }, error) {
      streams.delete(stream)
      watched.delete(stream)
      release?.()
      metrics.subscriptions.dec({ transport })
      finished(error === undefined ? [] : problemsOf([error]))
    },
  }

  async function subscribe(prepared: Prepared, transport: SubscriptionTransport): Promise<EventStream | Answer> {
    const { plan, context } = prepared
    const operation: Operation = { ...operationOf(plan, context), transport }
    const finished = log(operation)
    const work = () => open(prepared, transport, finished)
    let opened: EventStream | ExecutionResult
    try {
      opened = await operations.start(traced ? () => traced(operation, context, work) : work, undefined)
    } catch (error) {
      opened = refused(context, error)
    }
    if (Symbol.asyncIterator in opened) return opened
    const result = mapErrors(context, opened)
    finished(problemsOf(result.errors))
    return answerOf(result)
  }

  async function open(prepared: Prepared, transport: SubscriptionTransport, finished: Finished) {
    const { context } = prepared
    const release = acquireSlots(context, transport)
    const source = await reference.subscribe(prepared).catch((error) => {
      release()
      throw error
    })
    if (!(Symbol.asyncIterator in source)) {
      release()
      return source
    }
    const executor = new EventExecutor(eventParts, prepared, source)
    const { stream } = new Subscription({ parts, source, executor, context, transport, finished, release })
    streams.add(stream)
    metrics.subscriptions.inc({ transport })
    watch(stream, context)
    return stream
  }

  function acquireSlots({ viewer, address = '' }: OperationContext, transport: SubscriptionTransport): () => void {
    if (!viewer) return () => undefined
    const releaseSubscription = connectionLimits.acquireSubscription(viewer.userId, address)
    if (!releaseSubscription) throw tooMany('subscriptions')
    // A WebSocket itself was counted when it was opened.
    if (transport === 'ws') return releaseSubscription
    const releaseStream = connectionLimits.acquireForUser(viewer.userId, address, 'streams_per_user')
    if (releaseStream) {
      return () => {
        releaseStream()
        releaseSubscription()
      }
    }
    releaseSubscription()
    throw tooMany('streams and sockets')
  }

  /** A WebSocket watches over its own subscriptions; nothing else does so for an HTTP exchange. */
  function watch(stream: EventStream, { transport, viewer, signal }: OperationContext): void {
    if (transport !== 'http') return
    const end = () => void stream.return()
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true, signal: stream.over })
    const expired = () => void stream.fail(unauthenticated('The token has expired.'))
    if (!viewer) return
    void atExpiry(clock, viewer.expiresAtMs, stream.over, expired)
    watched.set(stream, viewer)
    endIfRefused(stream, viewer)
  }

  function endIfRefused(stream: EventStream, viewer: Viewer): void {
    if (refusedViewers.refuses(viewer)) void stream.fail(refusedViewer())
  }

  return {
    subscribe,
    endRefused() {
      for (const [stream, viewer] of watched) endIfRefused(stream, viewer)
    },
    endSubscriptions: async (error) => {
      await Promise.all([...streams].map((stream) => stream.fail(error)))
    },
  }
}

const tooMany = (what: string) =>
  new ChatError('RATE_LIMITED', `This user has too many ${what} open.`, { retryAfterMs: 5000 })
