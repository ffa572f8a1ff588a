/** Something that waits for an answer, and what becomes of it when none has come in time. */
export type Waiting = { dueAtMs: number; late(timeoutMs: number): void }

export type Deadlines = ReturnType<typeof createDeadlines>

/** One timer for all who may wait equally long: whoever came first is late first, and nearly nobody is. */
export function createDeadlines(timeoutMs: number) {
  const line = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined

  function look(): void {
    timer = undefined
    for (const each of line) {
      const leftMs = each.dueAtMs - performance.now()
      if (leftMs > 0) {
        timer = setTimeout(look, Math.ceil(leftMs)).unref()
        return
      }
      line.delete(each)
      each.late(timeoutMs)
    }
  }

  return {
    add(waiting: Waiting): void {
      waiting.dueAtMs = performance.now() + timeoutMs
      line.add(waiting)
      timer ??= setTimeout(look, timeoutMs).unref()
    },
    /** Whether it was still in time. */
    done: (waiting: Waiting): boolean => line.delete(waiting),
  }
}
