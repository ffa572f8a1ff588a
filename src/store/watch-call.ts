/** One call to Redis or DynamoDB that is under way. */
export type Call = {
  ended(error?: unknown): void
  /** What goes along with what is published, where somebody traces it. */
  traceparent?: string
}

/** Told when a call begins, by a name out of a few. */
export type WatchCall = (name: string, table?: string) => Call

/** All of them told. */
export function watchAll(...all: (WatchCall | undefined)[]): WatchCall | undefined {
  const [first, ...others] = all.filter((watch) => watch !== undefined)
  if (!first || others.length === 0) return first
  return (name, table) => {
    const calls = [first, ...others].map((watch) => watch(name, table))
    const traceparent = calls.find((call) => call.traceparent !== undefined)?.traceparent
    return {
      ended(error) {
        for (const call of calls) call.ended(error)
      },
      ...(traceparent !== undefined && { traceparent }),
    }
  }
}
