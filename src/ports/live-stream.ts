/** Takes an item in the very turn it is heard, or leaves it. An object and not a function: there is one for each open stream. */
export interface SyncSink<T> {
  /** Returns whether it has taken the item. */
  tryPush(item: T): boolean
}

/** A stream whose next item may be handed over in the very turn it is heard. */
export interface LiveStream<T> extends AsyncIterableIterator<T> {
  /**
   * While a `next()` is waiting and nothing is queued, an item that is simply the next one is offered to the sink at once. If the sink takes
   * it, the stream is past it and the `next()` goes on waiting. If not, the item comes by `next()` as ever.
   */
  offerTo(sink: SyncSink<T>): void
}
