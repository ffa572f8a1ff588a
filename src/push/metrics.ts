import { Counter, Gauge, type Registry } from 'prom-client'
import type { PushBacklog, PushObserver } from '../ports/push.ts'

type Options = { backlog: () => Promise<PushBacklog>; onError: (error: unknown) => void }

/** Counts pushes by their outcome, and asks how many wait whenever the metrics are asked for. */
export function createPushMetrics(registry: Registry, { backlog, onError }: Options): PushObserver {
  const registers = [registry]
  const queued = new Counter({
    name: 'parley_push_queued_total',
    help: 'Messages handed over for push, and those that could not be',
    labelNames: ['outcome'],
    registers,
  })
  const sent = new Counter({
    name: 'parley_push_sent_total',
    help: 'Pushes by platform and what the service said',
    labelNames: ['platform', 'outcome'],
    registers,
  })
  const dead = new Counter({
    name: 'parley_push_dead_total',
    help: 'Pushes given up: too old, or refused for good',
    labelNames: ['reason'],
    registers,
  })
  const failures = new Counter({
    name: 'parley_push_failures_total',
    help: 'Times Redis or DynamoDB failed a push; it is tried again',
    registers,
  })
  const lag = new Gauge({
    name: 'parley_push_lag_seconds',
    help: 'How long the banner that is due longest has been, on all nodes together',
    registers,
  })
  new Gauge({
    name: 'parley_push_backlog',
    help: 'What waits, on all nodes together: messages not looked at yet, and banners',
    labelNames: ['kind'],
    registers,
    async collect() {
      try {
        const { jobs, banners, oldestDueMs } = await backlog()
        this.set({ kind: 'jobs' }, jobs)
        this.set({ kind: 'banners' }, banners)
        lag.set(oldestDueMs / 1000)
      } catch {
        // A Redis that is away must not take the other metrics along.
        this.reset()
        lag.reset()
      }
    },
  })
  return {
    queued: (outcome) => queued.inc({ outcome }),
    sent: (platform, outcome) => sent.inc({ platform, outcome }),
    dead: (reason) => dead.inc({ reason }),
    failed(error) {
      failures.inc()
      onError(error)
    },
  }
}
