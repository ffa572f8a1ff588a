import { Counter, Histogram, type Registry } from 'prom-client'
import type { NoDecisionReason, PreSendObserver } from '../ports/pre-send.ts'
import { fromZero } from '../shared/from-zero.ts'
import { createOnceAMinute } from '../shared/once-a-minute.ts'

export type Failure = { reason: NoDecisionReason; detail: string; count: number }
type Options = { clock: { monotonic(): number }; onFailure: (failure: Failure) => void }

/**
 * Counts what was asked and what came of it. A failure is told once a minute for each reason, with how many there were since it was told last:
 * a backend that is away fails every message.
 */
export function createPreSendMetrics(registry: Registry, { clock, onFailure }: Options): PreSendObserver {
  const registers = [registry]
  const decisions = new Counter({
    name: 'parley_pre_send_decisions_total',
    help: 'Messages and edits that the backend was asked about, by what it decided',
    labelNames: ['decision'],
    registers,
  })
  const failures = new Counter({
    name: 'parley_pre_send_failures_total',
    help: 'Messages and edits about which the backend has not decided',
    labelNames: ['reason'],
    registers,
  })
  fromZero(failures, {
    reason: ['timeout', 'connection', 'status', 'too_long', 'invalid'] satisfies NoDecisionReason[],
  })
  const duration = new Histogram({
    name: 'parley_pre_send_duration_seconds',
    help: 'How long the backend was asked about a message, failures too',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5],
    registers,
  })
  const onceAMinute = createOnceAMinute(clock)
  return {
    decided(decision, tookMs) {
      decisions.inc({ decision })
      duration.observe(tookMs / 1000)
    },
    failed(reason, tookMs, detail) {
      failures.inc({ reason })
      duration.observe(tookMs / 1000)
      onceAMinute(reason, (count) => onFailure({ reason, detail, count }))
    },
  }
}
