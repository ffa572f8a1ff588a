/** Something that waits for an answer, and what becomes of it when none has come in time. */
export abstract class Waiting {
  /** Its place in the line; only `Deadlines` looks at these. */
  dueAtMs = 0
  before: Waiting | undefined = undefined
  after: Waiting | undefined = undefined

  abstract late(timeoutMs: number): void
}

export type Deadlines = ReturnType<typeof createDeadlines>

/**
 * One timer for all who may wait equally long: whoever came first is late first, and nearly nobody is. They stand in a ring around
 * `end`. A Set would do, but what it throws away when it grows keeps those alive who were in it.
 */
export function createDeadlines(timeoutMs: number) {
  const end: Waiting = { dueAtMs: Number.POSITIVE_INFINITY, before: undefined, after: undefined, late: () => undefined }
  end.before = end
  end.after = end
  let looksAgain = false

  function lookIn(ms: number): void {
    looksAgain = true
    setTimeout(look, ms).unref()
  }

  function look(): void {
    looksAgain = false
    const nowMs = performance.now()
    for (let first = end.after; first && first !== end; first = end.after) {
      if (first.dueAtMs > nowMs) {
        lookIn(Math.ceil(first.dueAtMs - nowMs))
        return
      }
      done(first)
      first.late(timeoutMs)
    }
  }

  function add(waiting: Waiting): void {
    const last = end.before ?? end
    waiting.dueAtMs = performance.now() + timeoutMs
    waiting.before = last
    waiting.after = end
    last.after = waiting
    end.before = waiting
    if (!looksAgain) lookIn(timeoutMs)
  }

  /** Whether it was still in time. */
  function done(waiting: Waiting): boolean {
    const { before, after } = waiting
    if (!before || !after) return false
    before.after = after
    after.before = before
    waiting.before = undefined
    waiting.after = undefined
    return true
  }

  return { add, done }
}
