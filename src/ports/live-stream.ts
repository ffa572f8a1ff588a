/**
 * Accepts an item in the turn of the event loop in which it is heard, or declines it. It is an object and not a function because there is one
 * for each open stream.
 */
export interface SyncSink<T> {
  /** Returns whether the sink has accepted the item. If not, the caller keeps it. */
  tryPush(item: T): boolean
  /**
   * Accepts all of these but the one at `except`, or none: -1 excepts none. Several streams may be given the same list, which is never changed,
   * and share what is made of it. A sink without it takes them one by one.
   */
  tryPushAll?(items: readonly T[], except: number): boolean
}

/** A stream whose next item may be handed over in the turn of the event loop in which it is heard. */
export interface LiveStream<T> extends AsyncIterableIterator<T> {
  /**
   * From now on the stream offers an item to the sink if a `next()` is waiting, nothing is queued and the item is the next one. If the sink
   * accepts it, the stream is past it and the `next()` goes on waiting. If not, `next()` returns the item as usual.
   */
  setSink(sink: SyncSink<T>): void
}
