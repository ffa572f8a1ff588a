/** One call to Redis or DynamoDB that is under way. */
export type Call = {
  ended(error?: unknown): void
  /** The trace that a published event belongs to, if tracing is on. */
  traceparent?: string
}

/** Called when a call begins, with one of a small set of names. */
export type WatchCall = (name: string, table?: string) => Call

/** Combines two observers into one. Returns the first if there is only one. */
export function combineCallObservers(one: WatchCall, other: WatchCall | undefined): WatchCall {
  if (!other) return one
  return (name, table) => {
    const first = one(name, table)
    const second = other(name, table)
    return {
      ...first,
      ...second,
      ended(error) {
        first.ended(error)
        second.ended(error)
      },
    }
  }
}
