import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { fromZero } from '../shared/from-zero.ts'
import { createDistributions, createTallies, type Distribution, type Tally } from './tallies.ts'

export type TransportName = 'http' | 'sse' | 'ws' | 'rest'

/** Why a socket was closed with 4403. `lapsed`: its token has expired while it was open, which is as it should be; `expired`: it came so. */
export type TokenCloseReason = (typeof tokenCloseReasons)[number]
const tokenCloseReasons = [
  'missing',
  'misplaced',
  'malformed',
  'invalid',
  'expired',
  'lapsed',
  'banned',
  'other',
] as const

/** Alarms look at these outcomes, so they are counted from 0. */
const alarmingCodes = ['INTERNAL', 'UNAVAILABLE', 'UNAUTHENTICATED', 'RATE_LIMITED']
const typesOf: Readonly<Record<TransportName, readonly string[]>> = {
  http: ['query', 'mutation', 'unknown'],
  sse: ['subscription'],
  ws: ['query', 'mutation', 'subscription', 'unknown'],
  rest: ['mutation'],
}

export type Metrics = {
  /** `code` is OK, or that of the first error. */
  finished(type: string, transport: TransportName, code: string, seconds: number): void
  sockets: Gauge
  subscriptions: Gauge<'transport'>
  conflicts: Counter
  /** Sockets that were closed with 4403. */
  tokenCloses: Counter<'reason'>
  draining: Gauge
  /** Returns the text that Prometheus scrapes. */
  render(): Promise<{ contentType: string; text: string }>
}

/** How often the lag of the event loop is measured; the lags that are shown hold this time. Each measurement wakes the process, also where nothing happens. */
const lagEveryMs = 50

export function createMetrics(registry: Registry): Metrics {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagEveryMs })
  const registers = [registry]
  const operations = createTallies(
    registry,
    'parley_operations_total',
    'Finished operations by outcome: OK or the code of the first error',
  )
  for (const [transport, types] of Object.entries(typesOf))
    for (const type of types) for (const code of alarmingCodes) operations({ type, transport, code })
  const durations = createDistributions(
    registry,
    'parley_operation_duration_seconds',
    'How long queries, mutations and REST calls took',
    [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  )
  /** The counters of operations that went well, by transport and type: nearly all operations do. */
  const well = new Map<TransportName, Map<string, { count: Tally; took: Distribution }>>()

  function wellOf(type: string, transport: TransportName) {
    const byType = well.get(transport) ?? new Map()
    well.set(transport, byType)
    const kept = byType.get(type) ?? {
      count: operations({ type, transport, code: 'OK' }),
      took: durations({ type, transport }),
    }
    byType.set(type, kept)
    return kept
  }

  return {
    finished(type, transport, code, seconds) {
      const { count, took } = well.get(transport)?.get(type) ?? wellOf(type, transport)
      const tally = code === 'OK' ? count : operations({ type, transport, code })
      tally.value += 1
      if (type !== 'subscription') took.observe(seconds)
    },
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
    tokenCloses: fromZero(
      new Counter({
        name: 'parley_token_closes_total',
        help: 'Sockets that were closed with 4403, because of their token',
        labelNames: ['reason'],
        registers,
      }),
      { reason: tokenCloseReasons },
    ),
    draining: new Gauge({ name: 'parley_draining', help: '1 once the node was told to stop', registers }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
