import type { Clock } from '../../src/ports/clock.ts'

// Clocks on which time passes only when a test says so.

export type Sleepers = ReturnType<typeof createSleepers>

/** Those who sleep on such a clock. Whoever was woken, or does not wait any more, is not among them. */
export function createSleepers() {
  const asleep = new Set<{ untilMs: number; wake: () => void }>()

  return {
    all: () => [...asleep],
    sleep: (untilMs: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper = { untilMs, wake }
        function wake() {
          asleep.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        asleep.add(sleeper)
        signal?.addEventListener('abort', wake)
      }),
    /** Wakes all who sleep no longer than that, in the order in which they have gone to sleep. */
    wakeUntil(nowMs: number): void {
      for (const each of [...asleep]) if (each.untilMs <= nowMs) each.wake()
    },
  }
}

export function steppedClock(startMs = 1_800_000_000_000): { clock: Clock; pass: (ms: number) => void } {
  const sleepers = createSleepers()
  let nowMs = startMs
  return {
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: (ms, signal) => sleepers.sleep(nowMs + ms, signal),
    },
    pass(ms) {
      nowMs += ms
      sleepers.wakeUntil(nowMs)
    },
  }
}
