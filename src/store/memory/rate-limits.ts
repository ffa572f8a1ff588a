import type { Clock } from '../../ports/clock.ts'
import type { RateLimits } from '../../ports/rate-limits.ts'

/** Those who draw are forgotten when their bucket is full again; looked for as often as this. */
const sweepMs = 10_000

/** The buckets of one process. */
export function createRateLimitsMemory(clock: Pick<Clock, 'monotonic'>): RateLimits {
  const buckets = new Map<string, { tokens: number; atMs: number; fullAtMs: number }>()
  let sweepAtMs = 0

  function sweep(nowMs: number): void {
    if (nowMs < sweepAtMs) return
    sweepAtMs = nowMs + sweepMs
    for (const [name, { fullAtMs }] of buckets) if (fullAtMs <= nowMs) buckets.delete(name)
  }

  return {
    async draw(bucket, wanted, { perSecond, burst }) {
      const nowMs = clock.monotonic()
      sweep(nowMs)
      const perMs = perSecond / 1000
      const kept = buckets.get(bucket)
      const tokens = kept ? Math.min(burst, kept.tokens + Math.max(0, nowMs - kept.atMs) * perMs) : burst
      const taken = Math.min(wanted, Math.floor(tokens))
      if (taken < 1) return { tokens: 0, retryAfterMs: Math.ceil((1 - tokens) / perMs) }
      const left = tokens - taken
      buckets.set(bucket, { tokens: left, atMs: nowMs, fullAtMs: nowMs + Math.ceil((burst - left) / perMs) })
      return { tokens: taken, retryAfterMs: 0 }
    },
  }
}
