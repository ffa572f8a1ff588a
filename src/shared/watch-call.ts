/** One call to Redis or DynamoDB that is under way. */
export type Call = {
  ended(error?: unknown): void
  /** What goes along with what is published, where somebody traces it. */
  traceparent?: string
}

/** Called when a call begins, with a name out of a few. */
export type WatchCall = (name: string, table?: string) => Call

/** Makes one observer of two, where there are two. */
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
