import type { OperationIds } from '../../observability/operation-ids.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ErrorMapper } from './errors.ts'
import { type EventAnswers, EventStream, type EventStreamOptions } from './event-stream.ts'
import type { OperationContext } from './executor.ts'

export type Finished = ReturnType<OperationLog>
/** Whatever its results are. */
export type AnyStream = Pick<EventStream<unknown>, 'over' | 'return' | 'fail'>

const noIds: OperationIds = {}

/** What all subscriptions of a node have in common. */
export type SubscriptionParts = {
  clock: Clock
  errorsOf: (context: OperationContext) => ErrorMapper
  /** Told of each event that is handed to its connection. */
  onDelivery: ((event: unknown, ids: OperationIds) => void) | undefined
  ended(subscription: Ended, error: unknown): void
}

type Ended = {
  stream: AnyStream
  transport: 'ws' | 'sse'
  /** Writes down that it is over. */
  finished: Finished
  /** Gives back its seat, if it has one of its own. */
  leave: (() => void) | undefined
}

type SubscriptionOptions<Result> = Omit<Ended, 'stream'> & {
  parts: SubscriptionParts
  source: AsyncIterable<unknown>
  answers: EventAnswers<Result>
  context: OperationContext
}

/** What a stream needs of its operation. One for each that is open, so it is one object instead of many functions. */
export class Subscription<Result> implements EventStreamOptions<Result>, Ended {
  readonly stream: EventStream<Result>
  readonly source: AsyncIterable<unknown>
  readonly answers: EventAnswers<Result>
  readonly transport: 'ws' | 'sse'
  readonly finished: Finished
  readonly leave: (() => void) | undefined
  readonly #parts: SubscriptionParts
  readonly #context: OperationContext

  constructor({ parts, source, answers, context, transport, finished, leave }: SubscriptionOptions<Result>) {
    this.#parts = parts
    this.#context = context
    this.source = source
    this.answers = answers
    this.transport = transport
    this.finished = finished
    this.leave = leave
    this.stream = new EventStream<Result>(this)
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

  onEnd(error: unknown): void {
    this.#parts.ended(this, error)
  }
}
