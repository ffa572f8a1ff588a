import type { Clock } from '../../ports/clock.ts'

/** Timers hold no more than 2^31 ms, tokens may: sleep a day at most, then look again. */
const longestSleepMs = 24 * 3600 * 1000

/** Calls back when the time has come, unless the signal aborts before. */
export async function atExpiry(
  clock: Clock,
  expiresAtMs: number,
  signal: AbortSignal,
  expired: () => void,
): Promise<void> {
  while (!signal.aborted) {
    const restMs = expiresAtMs - clock.now()
    if (restMs <= 0) return expired()
    await clock.sleep(Math.min(restMs, longestSleepMs), signal)
  }
}
