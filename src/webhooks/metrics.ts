import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { WebhookObserver } from '../ports/webhooks.ts'
import { fromZero } from '../shared/from-zero.ts'

/** Gauges tell of the shares that this node holds. Of the shares of one webhook, they show the one that is furthest behind. */
export function createWebhookMetrics(
  registry: Registry,
  onDisabled: (webhookId: string, reason: string) => void,
): WebhookObserver {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'parley_webhook_deliveries_total',
    help: 'Attempts to post an event to a webhook, by what came of it',
    labelNames: ['outcome'],
    registers,
  })
  fromZero(deliveries, { outcome: ['delivered', 'failed'] })
  const failures = new Counter({
    name: 'parley_webhook_failures_total',
    help: 'Attempts that were not taken, by the HTTP status of the answer; connection: there was none',
    labelNames: ['webhook', 'status'],
    registers,
  })
  const givenUp = new Counter({
    name: 'parley_webhook_given_up_total',
    help: 'Events that were given up after three days',
    labelNames: ['webhook'],
    registers,
  })
  const disabled = new Counter({
    name: 'parley_webhook_disabled_total',
    help: 'Webhooks that were switched off because their endpoint is gone or has failed for days',
    registers,
  })
  const duration = new Histogram({
    name: 'parley_webhook_duration_seconds',
    help: 'How long a webhook took to answer, failures too',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  const states = new Map<string, Map<number, { lagMs: number; waiting: number }>>()
  const gauge = (name: string, help: string, of: (all: { lagMs: number; waiting: number }[]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['webhook'],
      registers,
      collect() {
        this.reset()
        for (const [webhook, shares] of states) this.set({ webhook }, of([...shares.values()]))
      },
    })
  gauge(
    'parley_webhook_lag_seconds',
    'How old the oldest event is that this node has read and a webhook has not taken',
    (all) => Math.max(0, ...all.map(({ lagMs }) => lagMs / 1000)),
  )
  gauge('parley_webhook_waiting', 'Conversations whose next event waits for its next attempt', (all) =>
    all.reduce((sum, { waiting }) => sum + waiting, 0),
  )
  return {
    delivered(_webhook, tookMs) {
      deliveries.inc({ outcome: 'delivered' })
      duration.observe(tookMs / 1000)
    },
    failed(webhook, tookMs, status) {
      deliveries.inc({ outcome: 'failed' })
      failures.inc({ webhook, status })
      duration.observe(tookMs / 1000)
    },
    gaveUp: (webhook) => givenUp.inc({ webhook }),
    disabled(webhook, reason) {
      disabled.inc()
      onDisabled(webhook, reason)
    },
    state(webhook, share, state) {
      const shares = states.get(webhook) ?? new Map<number, { lagMs: number; waiting: number }>()
      givenUp.inc({ webhook }, 0)
      if (state) shares.set(share, state)
      else shares.delete(share)
      if (shares.size > 0) states.set(webhook, shares)
      else states.delete(webhook)
    },
  }
}
