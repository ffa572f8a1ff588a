import type { Timers } from '../../src/shared/timers.ts'

type Started = { dueMs: number; isHeld: boolean; run: () => void }

/** Timers whose time passes when a test says so. It begins at 0. */
export function createManualTimers() {
  let nowMs = 0
  const running = new Set<Started>()
  const startedMs: number[] = []

  const timers: Timers = {
    monotonic: () => nowMs,
    start(ms, run) {
      const started: Started = { dueMs: nowMs + ms, isHeld: false, run }
      running.add(started)
      startedMs.push(ms)
      return {
        cancel: () => void running.delete(started),
        hold() {
          started.isHeld = true
        },
        release() {
          started.isHeld = false
        },
      }
    },
  }

  return {
    timers,
    /** How long each timer was started for, in order. */
    startedMs,
    running: () => running.size,
    /** Whether the process would stay alive. */
    isHeld: () => [...running].some(({ isHeld }) => isHeld),
    advance(ms: number): void {
      const untilMs = nowMs + ms
      for (;;) {
        const [first] = [...running].sort((a, b) => a.dueMs - b.dueMs)
        if (!first || first.dueMs > untilMs) break
        nowMs = Math.max(nowMs, first.dueMs)
        running.delete(first)
        first.run()
      }
      nowMs = untilMs
    },
  }
}
