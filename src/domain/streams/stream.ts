import type { ChatEvent } from '../../ports/events.ts'
import type { LiveStream, SyncSink } from '../../ports/live-stream.ts'
import type { Inbox } from './inbox.ts'

/**
 * Reads from an inbox. A reader with `tryPush` is offered events in the turn they are heard; `sink` is where it then pushes what it makes of
 * them.
 */
export interface Reader<T> extends Partial<SyncSink<ChatEvent>> {
  sink?: SyncSink<T> | undefined
  run(): AsyncGenerator<T>
}

/**
 * Makes an iterator of a reader. Its `return` takes effect at once, while a bare generator would finish its pending wait first. `end` runs
 * exactly once, however the stream ends, even if it was never read.
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
    if (reader.tryPush) inbox.sink = reader as SyncSink<ChatEvent>
  }

  /** Most streams wait here most of the time. This is no async function, as a suspended one takes more memory. */
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

  setSink(sink: SyncSink<T>): void {
    this.#sink = sink
    this.#reader.sink = this
  }

  /** Called by the reader. While a second `next()` waits, the result of the first may still be on its way to its caller, so the item is declined. */
  tryPush(item: T): boolean {
    return this.#waiting === 1 && this.#sink !== undefined && this.#sink.tryPush(item)
  }

  tryPushAll(items: readonly T[], except: number): boolean {
    return this.#waiting === 1 && this.#sink?.tryPushAll?.(items, except) === true
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
