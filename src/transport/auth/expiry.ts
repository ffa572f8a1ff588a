import type { Clock } from '../../ports/clock.ts'

/** A timer can wait 2^31 ms at most, and a token may be valid for longer. So it sleeps a day at most, then checks again. */
const longestSleepMs = 24 * 3600 * 1000

/** Calls back at this time, unless the signal aborts before. */
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
