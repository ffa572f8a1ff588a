type Due = { readonly dueMs: number; onDue(nowMs: number): void }

/**
 * One timer for many that are due at some time, each at another one by the time it rings. It rings when the first was due,
 * and looks at all of them: far rarer than a timer is set and cleared per call. Holds the process while somebody is busy.
 */
export function createAlarm(all: Iterable<Due>) {
  let timer: NodeJS.Timeout | undefined
  let ringsAtMs = Number.POSITIVE_INFINITY
  let busyCount = 0

  function wakeAt(dueMs: number): void {
    if (dueMs >= ringsAtMs) return
    clearTimeout(timer)
    ringsAtMs = dueMs
    timer = setTimeout(wake, Math.max(1, Math.ceil(dueMs - performance.now())))
    if (busyCount === 0) timer.unref()
  }

  /** After a look at the connections: an answer that came while the process was busy with something else is not late. */
  function wake(): void {
    setImmediate(ring)
  }

  function ring(): void {
    const nowMs = performance.now()
    ringsAtMs = Number.POSITIVE_INFINITY
    timer = undefined
    for (const each of [...all]) if (each.dueMs <= nowMs) each.onDue(nowMs)
    let nextMs = Number.POSITIVE_INFINITY
    for (const { dueMs } of all) nextMs = Math.min(nextMs, dueMs)
    wakeAt(nextMs)
  }

  return {
    wakeAt,
    busy(): void {
      busyCount += 1
      if (busyCount === 1) timer?.ref()
    },
    idle(): void {
      busyCount -= 1
      if (busyCount === 0) timer?.unref()
    },
  }
}
