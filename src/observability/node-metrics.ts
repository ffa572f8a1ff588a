import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../ports/clock.ts'
import type { Observer } from '../ports/observer.ts'
import { fromZero } from '../shared/from-zero.ts'
import { createDistributions, createTallies, type Distribution } from './tallies.ts'

// Measures what an operator needs to know of a node beside its operations. Every label has a few values that the code names; none comes
// from a client.

/** What Node reports when no code handles an error. */
export type ProcessError = 'unhandled_rejection' | 'uncaught_exception'

export type NodeMetrics = {
  observer: Observer
  /** A message was handed to a connection: live, or while its stream was catching up. */
  delivered(message: { sentAtMs: number }, catchUp: boolean): void
  redis(name: string): { ended(error?: unknown): void }
  dynamodb(operation: string, table?: string): { ended(error?: unknown): void }
  capacity(call: { operation: string; table: string; capacityUnits: number; retries?: number }): void
  processError(kind: ProcessError): void
}

type NodeMetricsOptions = {
  clock: Clock
  /** Tells which of the two connections to Redis are open. It is asked when the metrics are. */
  redisLinks: () => { commands: boolean; events: boolean }
  clockOffsetMs: () => number
  /** Say in a word why a call has failed. */
  reasons: { redis: (error: unknown) => string; dynamodb: (error: unknown) => string }
  /** Are told of calls that failed. */
  onFailed: {
    redis: (operation: string, table: undefined, reason: string, error: unknown) => void
    dynamodb: (operation: string, table: string, reason: string, error: unknown) => void
  }
}

const reads: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])
const streams = ['messages', 'changes', 'ticks', 'typing', 'conversations', 'presence']
const seconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export function createNodeMetrics(
  registry: Registry,
  { clock, redisLinks, clockOffsetMs, reasons, onFailed }: NodeMetricsOptions,
): NodeMetrics {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  /** It is there from the start, with all its labels. */
  const counterFromZero = <Label extends string>(name: string, help: string, values: Record<Label, string[]>) =>
    fromZero(counter(name, help, Object.keys(values) as Label[]), values)
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[] = []) =>
    new Histogram({ name, help, buckets, labelNames, registers })

  function byOperation(name: string, help: string): (operation: string) => Distribution {
    const distributionOf = createDistributions(registry, name, help, seconds)
    const known = new Map<string, Distribution>()
    return (operation) => {
      const found = known.get(operation)
      if (found) return found
      const made = distributionOf({ operation })
      known.set(operation, made)
      return made
    }
  }

  const sendSeconds = createDistributions(
    registry,
    'parley_send_duration_seconds',
    'From the request of a send to its acknowledgement: stored, and rung for',
    seconds,
  )({})
  const deliverySeconds = createDistributions(
    registry,
    'parley_delivery_latency_seconds',
    'From the time a message says it was sent to its being handed to a connection of a live stream',
    [...seconds, 5, 10, 30],
  )({})
  const deliveries = createTallies(registry, 'parley_deliveries_total', 'Messages handed to connections')
  const [live, caughtUp] = [deliveries({ kind: 'live' }), deliveries({ kind: 'catch_up' })]
  const duplicates = counter('parley_duplicates_total', 'Retries answered with what was there already', ['kind'])
  const voids = counterFromZero('parley_voids_total', 'Numbers skipped for good', { by: ['reader', 'sender'] })
  const attached = new Gauge({ name: 'parley_attached_streams', help: 'Streams of messages', registers })
  const catchUpCells = histogram(
    'parley_catch_up_messages',
    'How far behind a stream was when it began: what it read before it was live',
    [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
  )
  const catchUpSeconds = histogram(
    'parley_catch_up_seconds',
    'How long a stream took from its beginning to being live',
    [...seconds, 5, 10, 30],
  )
  const resyncs = counterFromZero('parley_resyncs_total', 'Times a stream turned from the events to the log', {
    stream: streams,
    reason: ['lost', 'beat', 'hole'],
  })
  const overflows = counterFromZero(
    'parley_queue_overflows_total',
    'Times more waited for a reader than its queue holds',
    {
      stream: streams,
    },
  )
  const emptied = counter('parley_emptied_entries_total', 'Entries of logs that went because they were too old', [])
  const tasks = counterFromZero('parley_tasks_total', 'Runs of tasks of backends that have ended on this node', {
    kind: ['eraseUser', 'exportUser', 'exportConversation'],
    outcome: ['done', 'failed', 'retried'],
  })
  const redisSeconds = byOperation('parley_redis_duration_seconds', 'Round trips to Redis')
  const redisErrors = counter('parley_redis_errors_total', 'Round trips to Redis that failed', ['operation', 'reason'])
  const dynamoSeconds = byOperation(
    'parley_dynamodb_duration_seconds',
    'Calls to DynamoDB, with the time they waited for their turn',
  )
  const dynamoErrors = counter('parley_dynamodb_errors_total', 'Calls to DynamoDB that failed', [
    'operation',
    'table',
    'reason',
  ])
  const dynamoRetries = counter('parley_dynamodb_retries_total', 'Second attempts of calls to DynamoDB', ['table'])
  const processErrors = counterFromZero('parley_process_errors_total', 'Errors that no code handles', {
    kind: ['unhandled_rejection', 'uncaught_exception'],
  })
  // Capacity is added up here, since a call of the counter for each call of DynamoDB would cost too much.
  const unitsOf = { read: new Map<string, number>(), write: new Map<string, number>() }
  new Counter({
    name: 'parley_dynamodb_capacity_units_total',
    help: 'Capacity units consumed',
    labelNames: ['table', 'kind'],
    registers,
    collect() {
      for (const [kind, byTable] of Object.entries(unitsOf)) {
        for (const [table, units] of byTable) this.inc({ table, kind }, units)
        byTable.clear()
      }
    },
  })
  new Gauge({
    name: 'parley_clock_offset_seconds',
    help: 'How far the clock of this node is ahead of that of Redis',
    registers,
    collect() {
      this.set(clockOffsetMs() / 1000)
    },
  })
  new Gauge({
    name: 'parley_redis_connected',
    help: 'Whether commands can be sent, and whether the events that are published are heard',
    labelNames: ['link'],
    registers,
    collect() {
      const { commands, events } = redisLinks()
      this.set({ link: 'commands' }, commands ? 1 : 0)
      this.set({ link: 'events' }, events ? 1 : 0)
    },
  })

  return {
    observer: {
      sent: (tookMs) => sendSeconds.observe(tookMs / 1000),
      duplicate: (kind) => duplicates.inc({ kind }),
      voided: (by) => voids.inc({ by }),
      attached: () => attached.inc(),
      detached: () => attached.dec(),
      caughtUp(cells, tookMs) {
        catchUpCells.observe(cells)
        catchUpSeconds.observe(tookMs / 1000)
      },
      resynced: (stream, reason) => resyncs.inc({ stream, reason }),
      overflowed: (stream) => overflows.inc({ stream }),
      emptied: (entries) => emptied.inc(entries),
      taskEnded: (kind, outcome) => tasks.inc({ kind, outcome }),
    },
    delivered({ sentAtMs }, catchUp) {
      const tally = catchUp ? caughtUp : live
      tally.value += 1
      // This compares the sender's clock with ours: where theirs is ahead, nothing arrives before it was sent.
      if (!catchUp) deliverySeconds.observe(Math.max(0, clock.now() - sentAtMs) / 1000)
    },
    redis(operation) {
      const startedAtMs = clock.monotonic()
      return {
        ended(error) {
          redisSeconds(operation).observe((clock.monotonic() - startedAtMs) / 1000)
          if (error === undefined) return
          const reason = reasons.redis(error)
          redisErrors.inc({ operation, reason })
          onFailed.redis(operation, undefined, reason, error)
        },
      }
    },
    dynamodb(operation, table = '') {
      const startedAtMs = clock.monotonic()
      return {
        ended(error) {
          dynamoSeconds(operation).observe((clock.monotonic() - startedAtMs) / 1000)
          if (error === undefined) return
          const reason = reasons.dynamodb(error)
          dynamoErrors.inc({ operation, table, reason })
          onFailed.dynamodb(operation, table, reason, error)
        },
      }
    },
    capacity({ operation, table, capacityUnits: units, retries = 0 }) {
      const byTable = reads.has(operation) ? unitsOf.read : unitsOf.write
      byTable.set(table, (byTable.get(table) ?? 0) + units)
      if (retries > 0) dynamoRetries.inc({ table }, retries)
    },
    processError: (kind) => processErrors.inc({ kind }),
  }
}
