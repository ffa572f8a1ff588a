import type { Hasty, Inbox } from './inbox.ts'

/** A stream whose next item may be handed over in the very turn it is heard. */
export type LiveStream<T> = AsyncIterableIterator<T> & {
  /**
   * While a `next()` is waiting and nothing is queued, an item that is simply the next one is offered to the taker at once. If the taker
   * returns true it has it: the stream is past it and the `next()` goes on waiting. If false, the item comes by `next()` as ever.
   */
  offerTo(taker: Taker<T>): void
}

/** An object and not a function: there is one for each open stream, which is the taker itself. */
export interface Taker<T> {
  takeNow(item: T): boolean
}

/** What reads from an inbox. `taker`: whom it may offer what it would show next. */
export interface Reader<T> extends Partial<Hasty> {
  taker?: Taker<T> | undefined
  run(): AsyncGenerator<T>
}

/**
 * A reader as an iterator whose `return` takes effect at once (a bare generator would finish its pending wait first), and whose `end`
 * runs exactly once, however the stream ends, even if it was never read.
 */
export const createStream = <T>(inbox: Inbox, reader: Reader<T>, end: () => Promise<void>): LiveStream<T> =>
  new Stream(inbox, reader, end)

class Stream<T> implements LiveStream<T>, Taker<T> {
  readonly #inbox: Inbox
  readonly #reader: Reader<T>
  readonly #source: AsyncGenerator<T>
  readonly #end: () => Promise<void>
  #ended: Promise<void> | undefined
  #taker: Taker<T> | undefined
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

  offerTo(taker: Taker<T>): void {
    this.#taker = taker
    this.#reader.taker = this
  }

  /** From the reader. With a second `next()` waiting, what the first one gets may still be on its way to who asked for it. */
  takeNow(item: T): boolean {
    return this.#waiting === 1 && this.#taker !== undefined && this.#taker.takeNow(item)
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
