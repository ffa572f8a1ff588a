import type { GraphQLError } from 'graphql'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ErrorMapper } from './errors.ts'
import type { EventExecutor } from './event-executor.ts'
import { EventStream, type EventStreamOptions } from './event-stream.ts'
import type { OperationContext } from './prepared.ts'

export type Finished = ReturnType<OperationLog>

const noIds: OperationIds = {}

/** What all subscriptions of a node have in common. */
export type SubscriptionParts = {
  clock: Clock
  errorsOf: (context: OperationContext) => ErrorMapper
  /** Called with each event that is handed to its connection. */
  onDelivery: ((event: unknown, ids: OperationIds) => void) | undefined
  ended(subscription: Ended, error: GraphQLError | undefined): void
}

type Ended = {
  stream: EventStream
  transport: 'ws' | 'sse'
  /** Logs that it is over. */
  finished: Finished
  /** Releases its slots of the connection limits. */
  release: (() => void) | undefined
}

type SubscriptionOptions = Omit<Ended, 'stream'> & {
  parts: SubscriptionParts
  source: AsyncIterable<unknown>
  executor: EventExecutor
  context: OperationContext
}

/** What a stream needs of its operation. There is one for each open stream, so it is one object instead of many functions. */
export class Subscription implements EventStreamOptions, Ended {
  readonly stream: EventStream
  readonly source: AsyncIterable<unknown>
  readonly executor: EventExecutor
  readonly transport: 'ws' | 'sse'
  readonly finished: Finished
  readonly release: (() => void) | undefined
  readonly #parts: SubscriptionParts
  readonly #context: OperationContext

  constructor({ parts, source, executor, context, transport, finished, release }: SubscriptionOptions) {
    this.#parts = parts
    this.#context = context
    this.source = source
    this.executor = executor
    this.transport = transport
    this.finished = finished
    this.release = release
    this.stream = new EventStream(this)
  }

  get clock(): Clock {
    return this.#parts.clock
  }

  errors(): ErrorMapper {
    return this.#parts.errorsOf(this.#context)
  }

  onEvent(event: unknown): void {
    this.#parts.onDelivery?.(event, this.#context.ids ?? noIds)
  }

  onEnd(error: GraphQLError | undefined): void {
    this.#parts.ended(this, error)
  }
}
