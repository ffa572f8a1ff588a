import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'

export type TransportName = 'http' | 'sse' | 'ws' | 'rest'

export type Metrics = {
  operations: Counter<'type' | 'transport' | 'code'>
  durations: Histogram<'type' | 'transport'>
  sockets: Gauge
  subscriptions: Gauge<'transport'>
  conflicts: Counter
  draining: Gauge
  /** What Prometheus asks for. */
  render(): Promise<{ contentType: string; text: string }>
}

export function createMetrics(registry: Registry): Metrics {
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    operations: new Counter({
      name: 'parley_operations_total',
      help: 'Finished operations by outcome: OK or the code of the first error',
      labelNames: ['type', 'transport', 'code'],
      registers,
    }),
    durations: new Histogram({
      name: 'parley_operation_duration_seconds',
      help: 'How long queries, mutations and REST calls took',
      labelNames: ['type', 'transport'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    sockets: new Gauge({ name: 'parley_sockets', help: 'Open WebSockets', registers }),
    subscriptions: new Gauge({
      name: 'parley_subscriptions',
      help: 'Open subscriptions',
      labelNames: ['transport'],
      registers,
    }),
    conflicts: new Counter({
      name: 'parley_idempotency_conflicts_total',
      help: 'Operations refused because their client id was used before, for something else',
      registers,
    }),
    draining: new Gauge({ name: 'parley_draining', help: '1 once the node was told to stop', registers }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
