// Subscriptions: how they are opened, watched over and ended. What becomes of their events is in event-stream.ts.

import type { ExecutionResult } from 'graphql'
import { type Answer, answerOf } from '../../engine/graphql/answer.ts'
import { createSharedAnswers } from '../../engine/graphql/shared-answers.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Operation, OperationLog } from '../../observability/operation-log.ts'
import type { Clock } from '../../ports/clock.ts'
import { ChatError } from '../../protocol/errors.ts'
import { unauthenticated } from '../auth/auth.ts'
import { atExpiry } from '../auth/expiry.ts'
import { createDeadline } from '../limits/deadline.ts'
import type { Places } from '../limits/places.ts'
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
  places: Places
  clock: Clock
  /** Told of each event of a subscription that is handed to its connection. */
  onDelivery: ((event: unknown, ids: OperationIds) => void) | undefined
}

export type Subscribe = {
  /** Never rejects: what goes wrong is in the answer. */
  subscribe(prepared: Prepared, transport: SubscriptionTransport): Promise<EventStream | Answer>
  /** Ends all subscriptions; resolves when their sources have let go of everything. */
  endSubscriptions(error: unknown): Promise<void>
}

const eventDeadlineMs = 2500

export function createSubscribe(options: SubscribeOptions): Subscribe {
  const { reference, outcome, operations, log, metrics, places, clock, onDelivery } = options
  const { mapErrors, refused, problemsOf, errorsOf, traced } = outcome
  const streams = new Set<EventStream>()
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
    ended({ stream, transport, finished, leave }, error) {
      streams.delete(stream)
      leave?.()
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
    const leave = seatOf(context, transport)
    const source = await reference.subscribe(prepared).catch((error) => {
      leave()
      throw error
    })
    if (!(Symbol.asyncIterator in source)) {
      leave()
      return source
    }
    const executor = new EventExecutor(eventParts, prepared, source)
    const { stream } = new Subscription({ parts, source, executor, context, transport, finished, leave })
    streams.add(stream)
    metrics.subscriptions.inc({ transport })
    watch(stream, context)
    return stream
  }

  function seatOf({ viewer, address = '' }: OperationContext, transport: SubscriptionTransport): () => void {
    if (!viewer) return () => undefined
    const end = places.subscription(viewer.userId, address)
    if (!end) throw tooMany('subscriptions')
    // A WebSocket has its seat for all it carries.
    if (transport === 'ws') return end
    const leave = places.seat(viewer.userId, address, 'streams_per_user')
    if (leave) {
      return () => {
        leave()
        end()
      }
    }
    end()
    throw tooMany('streams and sockets')
  }

  /** A WebSocket watches over its own subscriptions; an HTTP exchange has nobody else to do so. */
  function watch(stream: EventStream, { transport, viewer, signal }: OperationContext): void {
    if (transport !== 'http') return
    const end = () => void stream.return()
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true, signal: stream.over })
    const expired = () => void stream.fail(unauthenticated('The token has expired.'))
    if (viewer) void atExpiry(clock, viewer.expiresAtMs, stream.over, expired)
  }

  return {
    subscribe,
    endSubscriptions: async (error) => {
      await Promise.all([...streams].map((stream) => stream.fail(error)))
    },
  }
}

const tooMany = (what: string) =>
  new ChatError('RATE_LIMITED', `This user has too many ${what} open.`, { retryAfterMs: 5000 })
