import type { Clock } from '../../../ports/clock.ts'
import type { Quotas } from '../../../ports/quotas.ts'
import { TokenBuckets } from '../../../shared/token-buckets.ts'

const hourMs = 3_600_000

/** The quotas of one process. */
export function createQuotasMemory(clock: Pick<Clock, 'now'>): Quotas {
  const buckets = new TokenBuckets(() => clock.now())
  return {
    async take(quota, count, perHour) {
      const { retryAfterMs } = buckets.take(quota, count, count, { perMs: perHour / hourMs, burst: perHour })
      return { retryAfterMs }
    },
  }
}
