import type { Clock } from '../../ports/clock.ts'

export interface Ringer {
  ring(): void
}

/** Of the clock: nobody is rung before their time, and at most so much after it. */
const tickMs = 100
/** Timers hold no more than 2^31 ms, tokens may: sleep a day at most, then look again. */
const longestSleepMs = 24 * 3600 * 1000

export type Alarms = ReturnType<typeof createAlarms>

/**
 * One timer for the many who are to be rung at some time of the monotonic clock, most of them never: a socket must not cost a timer of
 * its own.
 */
export function createAlarms(clock: Clock, stopped: AbortSignal) {
  const due = new Map<number, Set<Ringer>>()
  let sleepsUntilMs = Number.POSITIVE_INFINITY
  let sleep: AbortController | undefined

  const tickOf = (atMs: number): number => Math.ceil(atMs / tickMs) * tickMs

  async function watch(): Promise<void> {
    while (due.size > 0 && !stopped.aborted) {
      const nextMs = Math.min(...due.keys())
      const restMs = nextMs - clock.monotonic()
      if (restMs <= 0) ringAll(nextMs)
      else {
        sleep = new AbortController()
        sleepsUntilMs = nextMs
        await clock.sleep(Math.min(restMs, longestSleepMs), sleep.signal)
      }
    }
    sleep = undefined
    sleepsUntilMs = Number.POSITIVE_INFINITY
  }

  function ringAll(tick: number): void {
    const ringers = due.get(tick) ?? []
    due.delete(tick)
    for (const ringer of ringers) ringer.ring()
  }

  stopped.addEventListener('abort', () => sleep?.abort())

  return {
    set(atMs: number, ringer: Ringer): void {
      const tick = tickOf(atMs)
      const ringers = due.get(tick) ?? new Set()
      due.set(tick, ringers.add(ringer))
      if (tick >= sleepsUntilMs) return
      if (sleep) sleep.abort()
      else void watch()
    },
    unset(atMs: number, ringer: Ringer): void {
      const ringers = due.get(tickOf(atMs))
      if (ringers?.delete(ringer) && ringers.size === 0) due.delete(tickOf(atMs))
    },
  }
}
