import type { GraphQLError } from 'graphql'
import type { Answer } from '../../engine/graphql/answer.ts'
import type { ResultSink, ResultStream } from '../../engine/websocket/protocol.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LiveStream, SyncSink } from '../../ports/live-stream.ts'
import { ChatError } from '../../protocol/errors.ts'
import { isOverload } from '../documents/load-costs.ts'
import type { ErrorMapper } from './errors.ts'
import type { EventExecutor } from './event-executor.ts'

export type EventStreamOptions = {
  readonly source: AsyncIterable<unknown>
  readonly executor: EventExecutor
  readonly clock: Clock
  errors(): ErrorMapper
  /** Called with each event whose result is handed to the reader. */
  onEvent(event: unknown): void
  /** Called once, when the stream is over. */
  onEnd(error: GraphQLError | undefined): void
}

const retryDelaysMs = [50, 200, 800]
const end: IteratorReturnResult<undefined> = { done: true, value: undefined }

type Step = IteratorResult<Answer, undefined>
type Reader = { resolve: (step: Step) => void; reject: (error: unknown) => void }

/**
 * A subscription as the transports read it. Each source event becomes one result, in order, and none is skipped: an event whose fields
 * fail to resolve is tried again, and in the end the stream fails with a retryable error.
 *
 * It is read either as an iterator or by a sink. It is no generator: a generator's `return` would wait for its pending `next`, which may
 * never come.
 */
export class EventStream implements ResultStream, SyncSink<unknown> {
  readonly #options: EventStreamOptions
  readonly #executor: EventExecutor
  readonly #iterator: AsyncIterator<unknown>
  #over: AbortController | undefined
  /** The caller of `next` that waits for its result. */
  #reader: Reader | undefined
  #sink: ResultSink | undefined
  #unseenError: unknown
  #released: Promise<void> | undefined

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.#executor = options.executor
    this.#iterator = options.source[Symbol.asyncIterator]()
  }

  /** Aborts when the stream is over. It is made on demand: most streams are watched over by their socket. */
  get over(): AbortSignal {
    this.#over ??= new AbortController()
    if (this.#released !== undefined) this.#over.abort()
    return this.#over.signal
  }

  next(): Promise<Step> {
    if (this.#unseenError !== undefined) {
      const error = this.#unseenError
      this.#unseenError = undefined
      return Promise.reject(error)
    }
    if (this.#released !== undefined) return Promise.resolve(end)
    const promise = new Promise<Step>((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
    void this.#step()
    return promise
  }

  /** Ends the stream at once. Resolves when the source has released everything. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.fail(undefined)
    return end
  }

  /** Ends the stream as `return` does, and the reader gets the error. */
  fail(error: unknown): Promise<void> {
    if (this.#released !== undefined) return this.#released
    this.#released = this.#release()
    this.#over?.abort()
    const mapped = error === undefined ? undefined : this.#options.errors().toGraphQLError(error)
    const waiting = this.#takeReader()
    if (this.#sink) this.#sink.end(mapped)
    else if (mapped === undefined) waiting?.resolve(end)
    else if (waiting) waiting.reject(mapped)
    else this.#unseenError = mapped
    this.#options.onEnd(mapped)
    return this.#released
  }

  /** Hands all results to the sink, and tells it of the end. */
  deliverTo(sink: ResultSink): void {
    if (this.#released !== undefined) sink.end(this.#unseenError)
    else {
      this.#sink = sink
      if (isLive(this.#iterator)) this.#iterator.setSink(this)
      this.#pull(sink)
    }
  }

  /** Called by the source while its `next` is pending. */
  tryPush(event: unknown): boolean {
    if (this.#released !== undefined || this.#sink === undefined) return false
    const result = this.#executor.resolveNow(event)
    if (result === undefined || this.#executor.errorsOf(result)?.length || !this.#sink.tryPush(result)) return false
    this.#options.onEvent(event)
    return true
  }

  /** Called by the source while its `next` is pending. */
  tryPushAll(events: readonly unknown[], except: number): boolean {
    if (this.#released !== undefined || !this.#sink?.tryPushAll) return false
    const results = this.#executor.resolveAllNow(events)
    if (results === undefined || !this.#sink.tryPushAll(results, except)) return false
    for (const [i, event] of events.entries()) if (i !== except) this.#options.onEvent(event)
    return true
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Most streams wait here most of the time. Callbacks hold less memory than a suspended async function would. */
  #pull(sink: ResultSink): void {
    this.#iterator.next().then(
      (step) => this.#handOver(step, sink),
      (error) => this.fail(error),
    )
  }

  async #handOver({ done, value }: IteratorResult<unknown>, sink: ResultSink): Promise<void> {
    try {
      if (done) return void this.fail(undefined)
      const result = await this.#resolved(value)
      if (this.#released !== undefined) return
      const taken = sink.push(result)
      this.#options.onEvent(value)
      await taken
      this.#pull(sink)
    } catch (error) {
      void this.fail(error)
    }
  }

  async #step(): Promise<void> {
    try {
      const { done, value } = await this.#iterator.next()
      if (done) return void this.fail(undefined)
      const result = await this.#resolved(value)
      const waiting = this.#takeReader()
      if (!waiting) return
      waiting.resolve({ done: false, value: result })
      this.#options.onEvent(value)
    } catch (error) {
      void this.fail(error)
    }
  }

  async #resolved(event: unknown): Promise<Answer> {
    const { clock } = this.#options
    const executor = this.#executor
    for (const delayMs of retryDelaysMs) {
      const result = await executor.resolve(event)
      const [error] = executor.errorsOf(result) ?? []
      if (!error || this.#released !== undefined) return result
      // The event would load as much the next time, and so would a client that subscribes again.
      if (isOverload(error)) throw error
      await clock.sleep(delayMs, this.over)
    }
    const result = await executor.resolve(event)
    const [error] = executor.errorsOf(result) ?? []
    if (error) throw this.#retryable(error)
    return result
  }

  /** The client must come back for this event, so the error has to say so, even if it was not retryable itself. */
  #retryable(error: unknown): unknown {
    const errors = this.#options.errors()
    const mapped = errors.toGraphQLError(error)
    if (errors.toProblem(mapped).retryable) return mapped
    return new ChatError(
      'UNAVAILABLE',
      'An event could not be resolved. Subscribe again to get it.',
      {},
      { cause: error },
    )
  }

  #takeReader(): Reader | undefined {
    const taken = this.#reader
    this.#reader = undefined
    return taken
  }

  async #release(): Promise<void> {
    try {
      await this.#iterator.return?.()
    } catch (error) {
      this.#options.errors().toProblem(error)
    }
  }
}

/** Any async iterable may be a source; a live stream can hand its next event over in the turn it hears it. */
const isLive = (source: AsyncIterator<unknown>): source is LiveStream<unknown> => 'setSink' in source
