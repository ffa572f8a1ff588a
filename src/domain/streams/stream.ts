import type { LiveStream, SyncSink } from '../../ports/live-stream.ts'
import type { Hasty, Inbox } from './inbox.ts'

/** What reads from an inbox. `sink`: whom it may offer what it would show next. */
export interface Reader<T> extends Partial<Hasty> {
  sink?: SyncSink<T> | undefined
  run(): AsyncGenerator<T>
}

/**
 * A reader as an iterator whose `return` takes effect at once (a bare generator would finish its pending wait first), and whose `end`
 * runs exactly once, however the stream ends, even if it was never read.
 */
export const createStream = <T>(inbox: Inbox, reader: Reader<T>, end: () => Promise<void>): LiveStream<T> =>
  new Stream(inbox, reader, end)

class Stream<T> implements LiveStream<T>, SyncSink<T> {
  readonly #inbox: Inbox
  readonly #reader: Reader<T>
  readonly #source: AsyncGenerator<T>
  readonly #end: () => Promise<void>
  #ended: Promise<void> | undefined
  #sink: SyncSink<T> | undefined
  #waiting = 0

  constructor(inbox: Inbox, reader: Reader<T>, end: () => Promise<void>) {
    this.#inbox = inbox
    this.#reader = reader
    this.#source = reader.run()
    this.#end = end
    if (reader.takeAtOnce) inbox.hasty = reader as Hasty
  }

  /** Most streams wait here most of the time, so what waits is no suspended function, which would hold more. */
  next(): Promise<IteratorResult<T>> {
    this.#waiting += 1
    return this.#source.next().then(
      (result) => this.#passOn(result),
      (error) => this.#fail(error),
    )
  }

  async return(): Promise<IteratorResult<T>> {
    this.#inbox.close()
    await this.#source.return(undefined)
    await this.#finish()
    return { done: true, value: undefined }
  }

  offerTo(sink: SyncSink<T>): void {
    this.#sink = sink
    this.#reader.sink = this
  }

  /** From the reader. With a second `next()` waiting, what the first one gets may still be on its way to who asked for it. */
  tryPush(item: T): boolean {
    return this.#waiting === 1 && this.#sink !== undefined && this.#sink.tryPush(item)
  }

  [Symbol.asyncIterator](): LiveStream<T> {
    return this
  }

  #passOn(result: IteratorResult<T>): IteratorResult<T> | Promise<IteratorResult<T>> {
    this.#waiting -= 1
    return result.done ? this.#finish().then(() => result) : result
  }

  async #fail(error: unknown): Promise<never> {
    this.#waiting -= 1
    await this.#finish()
    throw error
  }

  #finish(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }
}
