import type { AlarmCases, Scraped } from './alarm-case.ts'

/** So many operations a minute of each outcome. */
const operations = (perMinute: Readonly<Record<string, number>>, minutes = 20): Scraped =>
  Object.fromEntries(
    Object.entries(perMinute).map(([code, by]) => [
      `parley_operations_total{instance="a",code="${code}"}`,
      `0+${by}x${minutes}`,
    ]),
  )

/** A histogram in which this share of 1,000 values a minute is above the bound. */
const slower = (name: string, than: number, percent: number, minutes = 40): Scraped => ({
  [`${name}_bucket{instance="a",le="${than}"}`]: `0+${1000 - 10 * percent}x${minutes}`,
  [`${name}_bucket{instance="a",le="${than * 2}"}`]: `0+1000x${minutes}`,
  [`${name}_bucket{instance="a",le="+Inf"}`]: `0+1000x${minutes}`,
})

const latency = (name: string, bound: number, at: number, says: string) => ({
  fires: { scraped: slower(name, bound, 2), at, says },
  silent: { when: 'half a percent is as slow', scraped: slower(name, bound, 0.5) },
})

const counted = (series: string, perMinute: number, minutes = 40): Scraped => ({
  [series]: `0+${perMinute}x${minutes}`,
})

const tokenCloses = (reason: string) => `parley_token_closes_total{instance="a",reason="${reason}"}`
const refusals = (reason: string) => `parley_refusals_total{instance="a",reason="${reason}"}`
const keyFailures = 'parley_auth_key_fetch_failures_total{instance="a",reason="timeout"}'
const resyncs = (reason: string) => `parley_resyncs_total{instance="a",stream="messages",reason="${reason}"}`

export const trafficAlarms: AlarmCases = {
  ParleyUnavailable: {
    fires: {
      scraped: operations({ OK: 980, UNAVAILABLE: 20 }),
      at: 6,
      says: 'More than 1 % of operations end with UNAVAILABLE',
    },
    silent: { when: 'one in a hundred does', scraped: operations({ OK: 990, UNAVAILABLE: 10 }) },
  },
  ParleyInternalErrors: {
    fires: {
      scraped: { 'parley_operations_total{instance="a",code="INTERNAL"}': '0x5 1x9' },
      at: 6,
      says: 'Operations ended with INTERNAL: a bug of ours',
    },
    silent: {
      when: 'none does any more',
      scraped: { 'parley_operations_total{instance="a",code="INTERNAL"}': '7x40' },
    },
  },
  ParleyAllUnauthenticated: {
    fires: {
      scraped: { ...operations({ OK: 400, UNAUTHENTICATED: 250 }), ...counted(tokenCloses('invalid'), 250) },
      at: 6,
      says: 'Most operations and sockets are refused for their token',
    },
    silent: {
      when: 'it is half of them, and sockets are closed whose tokens have had their time',
      scraped: {
        ...operations({ OK: 500, UNAUTHENTICATED: 400 }),
        ...counted(tokenCloses('invalid'), 100),
        ...counted(tokenCloses('lapsed'), 900),
      },
    },
  },
  ParleyAllRateLimited: {
    fires: {
      scraped: operations({ OK: 400, RATE_LIMITED: 500 }),
      at: 6,
      says: 'Most operations are refused for their rate',
    },
    silent: { when: 'there are hardly any', scraped: operations({ OK: 1, RATE_LIMITED: 5 }) },
  },
  ParleyRefusals: {
    fires: {
      scraped: counted(refusals('sockets_per_address'), 90),
      at: 9,
      says: 'A limit refuses more than once a second: sockets_per_address',
      labels: { reason: 'sockets_per_address' },
    },
    silent: {
      when: 'it is the rate, which clients respect, or seldom',
      scraped: { ...counted(refusals('operation_rate'), 9000), ...counted(refusals('bad_tokens'), 59) },
    },
  },
  ParleyAuthKeysAway: {
    fires: {
      scraped: { [keyFailures]: '0x2 5+5x20' },
      at: 5,
      says: 'a cannot fetch the keys of the identity provider: timeout',
      labels: { instance: 'a', reason: 'timeout' },
    },
    silent: { when: 'it is away for a moment', scraped: { [keyFailures]: '0x2 5 8x20' } },
  },
  ParleyConflicts: {
    fires: {
      scraped: counted('parley_idempotency_conflicts_total{instance="a"}', 90),
      at: 17,
      says: 'A client uses the same client id for different things',
    },
    silent: { when: 'it is one a second', scraped: counted('parley_idempotency_conflicts_total{instance="a"}', 60) },
  },
  ParleySendSlow: latency('parley_send_duration_seconds', 0.5, 11, '1 % of sends take longer than half a second'),
  ParleyDeliverySlow: latency(
    'parley_delivery_latency_seconds',
    2,
    11,
    '1 % of live messages take longer than two seconds to their readers',
  ),
  ParleyCatchUpSlow: latency(
    'parley_catch_up_seconds',
    10,
    11,
    '1 % of streams take longer than ten seconds until they are live',
  ),
  ParleyVoids: {
    fires: {
      scraped: {
        'parley_voids_total{instance="a",by="reader"}': '0x5 70x9',
        'parley_voids_total{instance="b",by="sender"}': '0x5 70x9',
      },
      at: 6,
      says: 'More than 100 numbers were skipped in ten minutes',
    },
    silent: { when: 'a node died', scraped: { 'parley_voids_total{instance="a",by="reader"}': '0x20 70x20' } },
  },
  ParleyResyncs: {
    fires: {
      scraped: { [resyncs('beat')]: '0x10 5+5x20' },
      at: 15,
      says: 'a keeps missing events that only the beat finds',
      labels: { instance: 'a' },
    },
    silent: { when: 'the link was lost', scraped: { [resyncs('lost')]: '0x10 900x20', [resyncs('beat')]: '0+1x40' } },
  },
  ParleyQueueOverflows: {
    fires: {
      scraped: { 'parley_queue_overflows_total{instance="a",stream="messages"}': '0x10 200x20' },
      at: 11,
      says: 'Readers at a do not keep up',
      labels: { instance: 'a' },
    },
    silent: {
      when: 'it is a few',
      scraped: counted('parley_queue_overflows_total{instance="a",stream="messages"}', 9),
    },
  },
}
