import type { Clock } from '../../../ports/clock.ts'
import type { RateLimits } from '../../../ports/rate-limits.ts'
import { TokenBuckets } from '../../../shared/token-buckets.ts'

/** The buckets of one process. */
export function createRateLimitsMemory(clock: Pick<Clock, 'monotonic'>): RateLimits {
  const buckets = new TokenBuckets(() => clock.monotonic())
  return {
    draw: async (bucket, wanted, { perSecond, burst }) =>
      buckets.take(bucket, wanted, 1, { perMs: perSecond / 1000, burst }),
  }
}
