import type { GraphQLError } from 'graphql'
import type { Clock } from '../ports/clock.ts'
import { ChatError } from '../protocol/errors.ts'
import type { ErrorMapper } from './errors.ts'

/**
 * A subscription as the transports read it. Each source event becomes one result, in order, none passed over: an event
 * whose fields fail to resolve is tried again, and in the end takes the stream down with a retryable error.
 */
export type EventStream<Result> = AsyncIterableIterator<Result, undefined> & {
  /** Aborts when the stream is over. */
  readonly over: AbortSignal
  /** Ends the stream at once; resolves when the source has let go of everything. */
  return(): Promise<IteratorReturnResult<undefined>>
  /** The same, and the reader gets the error. */
  fail(error: unknown): Promise<void>
  /**
   * While a `next()` waits, a result that is at hand in the very turn its event is heard goes to the taker. If that returns true it
   * has it, and the `next()` goes on waiting; otherwise it comes by `next()` as ever.
   */
  offerTo(taker: (result: Result) => boolean): void
}

export type EventStreamOptions<Result> = {
  source: AsyncIterable<unknown>
  /** Resolves the selected fields for one event, with a context of its own. */
  resolve: (event: unknown) => Result | Promise<Result>
  /** The same, where there is nothing to wait for. */
  resolveNow?: (event: unknown) => Result | undefined
  errorsOf: (result: Result) => readonly GraphQLError[] | undefined
  errors: () => ErrorMapper
  clock: Clock
  /** Called with each event whose result is handed to the reader. */
  onEvent?: (event: unknown) => void
  /** Called once, when the stream is over. */
  onEnd: (error: unknown) => void
}

const retryDelaysMs = [50, 200, 800]
const end: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** A source that can hand its next event over in the turn it hears it. */
type LiveSource = AsyncIterator<unknown> & { offerTo?: (taker: (event: unknown) => boolean) => void }

// Written by hand: a generator's `return` would wait for its pending `next`, which may never come.
export function createEventStream<Result>(options: EventStreamOptions<Result>): EventStream<Result> {
  type Step = IteratorResult<Result, undefined>
  type Reader = { resolve: (step: Step) => void; reject: (error: unknown) => void }

  const { source, resolve, resolveNow, errorsOf, errors, clock, onEvent, onEnd } = options
  const iterator: LiveSource = source[Symbol.asyncIterator]()
  let over: AbortController | undefined
  /** The `next` nobody has answered yet. */
  let reader: Reader | undefined
  let unseenError: unknown
  let released: Promise<void> | undefined

  function finish(error?: unknown): Promise<void> {
    if (released !== undefined) return released
    released = release()
    over?.abort()
    const mapped = error === undefined ? undefined : errors().toGraphQLError(error)
    const waiting = takeReader()
    if (mapped === undefined) waiting?.resolve(end)
    else if (waiting) waiting.reject(mapped)
    else unseenError = mapped
    onEnd(mapped)
    return released
  }

  function takeReader(): Reader | undefined {
    const taken = reader
    reader = undefined
    return taken
  }

  async function release(): Promise<void> {
    try {
      await iterator.return?.()
    } catch (error) {
      errors().toProblem(error)
    }
  }

  /** Made when it is asked for: most streams are watched over by their socket. */
  function overSignal(): AbortSignal {
    over ??= new AbortController()
    if (released !== undefined) over.abort()
    return over.signal
  }

  async function step(): Promise<void> {
    try {
      const { done, value } = await iterator.next()
      if (done) return void finish()
      const result = await resolved(value)
      const waiting = takeReader()
      if (!waiting) return
      waiting.resolve({ done: false, value: result })
      onEvent?.(value)
    } catch (error) {
      void finish(error)
    }
  }

  async function resolved(event: unknown): Promise<Result> {
    for (const delayMs of retryDelaysMs) {
      const result = await resolve(event)
      if (!errorsOf(result)?.length || released !== undefined) return result
      await clock.sleep(delayMs, overSignal())
    }
    const result = await resolve(event)
    const [error] = errorsOf(result) ?? []
    if (error) throw retryable(error)
    return result
  }

  /** The client must come back for this event, so the error has to say so whatever it was. */
  function retryable(error: unknown): unknown {
    const mapped = errors().toGraphQLError(error)
    if (errors().toProblem(mapped).retryable) return mapped
    return new ChatError(
      'UNAVAILABLE',
      'An event could not be resolved. Subscribe again to get it.',
      {},
      { cause: error },
    )
  }

  return {
    get over() {
      return overSignal()
    },
    next() {
      if (unseenError !== undefined) {
        const error = unseenError
        unseenError = undefined
        return Promise.reject(error)
      }
      if (released !== undefined) return Promise.resolve(end)
      const promise = new Promise<Step>((resolve, reject) => {
        reader = { resolve, reject }
      })
      void step()
      return promise
    },
    async return() {
      await finish()
      return end
    },
    fail: finish,
    offerTo(taker) {
      if (!resolveNow) return
      iterator.offerTo?.((event) => {
        if (!reader || released !== undefined) return false
        const result = resolveNow(event)
        if (result === undefined || errorsOf(result)?.length || !taker(result)) return false
        onEvent?.(event)
        return true
      })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
