import type { Clock } from '../../ports/clock.ts'
import type { Quotas } from '../../ports/quotas.ts'

const hourMs = 3_600_000

/** The quotas of one process. */
export function createQuotasMemory(clock: Pick<Clock, 'now'>): Quotas {
  const kept = new Map<string, { left: number; atMs: number }>()

  return {
    async take(quota, count, perHour) {
      const nowMs = clock.now()
      const perMs = perHour / hourMs
      const last = kept.get(quota)
      const left = last ? Math.min(perHour, last.left + Math.max(0, nowMs - last.atMs) * perMs) : perHour
      if (left < count) return { retryAfterMs: Math.ceil((count - left) / perMs) }
      kept.set(quota, { left: left - count, atMs: nowMs })
      return { retryAfterMs: 0 }
    },
  }
}
