import type { Hasty, Inbox } from './inbox.ts'

/** A stream whose next item may be handed over in the very turn it is heard. */
export type LiveStream<T> = AsyncIterableIterator<T> & {
  /**
   * While a `next()` is waiting and nothing is queued, an item that is simply the next one is offered to the taker at once. If the taker
   * returns true it has it: the stream is past it and the `next()` goes on waiting. If false, the item comes by `next()` as ever.
   */
  offerTo(taker: Taker<T>): void
}

export type Taker<T> = (item: T) => boolean

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

class Stream<T> implements LiveStream<T> {
  readonly #inbox: Inbox
  readonly #reader: Reader<T>
  readonly #source: AsyncGenerator<T>
  readonly #end: () => Promise<void>
  #ended: Promise<void> | undefined
  #waiting = 0

  constructor(inbox: Inbox, reader: Reader<T>, end: () => Promise<void>) {
    this.#inbox = inbox
    this.#reader = reader
    this.#source = reader.run()
    this.#end = end
    if (reader.takeAtOnce) inbox.hasty = reader as Hasty
  }

  async next(): Promise<IteratorResult<T>> {
    this.#waiting += 1
    try {
      const result = await this.#source.next()
      if (result.done) await this.#finish()
      return result
    } catch (error) {
      await this.#finish()
      throw error
    } finally {
      this.#waiting -= 1
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#inbox.close()
    await this.#source.return(undefined)
    await this.#finish()
    return { done: true, value: undefined }
  }

  /** With a second `next()` waiting, what the first one gets may still be on its way to its reader. */
  offerTo(taker: Taker<T>): void {
    this.#reader.taker = (item) => this.#waiting === 1 && taker(item)
  }

  [Symbol.asyncIterator](): LiveStream<T> {
    return this
  }

  #finish(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }
}
