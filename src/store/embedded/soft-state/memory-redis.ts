import type { Clock } from '../../../ports/clock.ts'
import type { ChatEvent, EventListener, EventSubscription } from '../../../ports/events.ts'
import type { FeedPosition } from '../../../ports/feed.ts'
import type { LastActivity, SessionState } from '../../../ports/soft-state.ts'
import { unavailable } from '../../../protocol/errors.ts'
import type { ConversationId, Seq, UserId } from '../../../protocol/ids.ts'

export type MemorySession = {
  state: SessionState | 'left'
  scope: ConversationId | '*'
  expiresAtMs: number
  leaseId: string | undefined
}
/** `unclean`: a session ended uncleanly or was forgotten. `runId` is that of the process under which the first attached. */
export type MemorySessions = { byConnection: Map<string, MemorySession>; unclean: boolean; runId: number }
/** `runId` is that of the process that stored it. */
export type MemoryBlock = { runId: number } & (
  | { kind: 'known'; blockers: readonly UserId[] }
  | { kind: 'lease' | 'changing'; id: string }
)
/** `version` and `runId` are p and i of store/redis/boundary-cache.ts. */
export type MemoryBoundaries = { delivered?: Seq; read?: Seq; version: number; runId: number }

/**
 * The last seq given, how far the log is known to be taken, and the seqs of the last sends, newest first; or the token of a node that is about
 * to seed it.
 */
type MemoryCounter = ({ seq: Seq; published: Seq; sends: readonly MemorySend[] } | { token: string }) & {
  runId: number
}
export type MemorySend = { hash: string; seq: Seq }

/** A version of a group, or the token of a node that is about to read it. */
type MemoryVersion = ({ version: Seq } | { token: string; minimum: Seq }) & { runId: number }

type Subscription = { listener: EventListener; waiting: Delivery[] }
type Delivery = { handOver(): void; lost?: () => void }

/** Several nodes of one process share it in place of a Redis. It has the same state, rules and faults. */
export type MemoryRedis = ReturnType<typeof createMemoryRedis>

export function createMemoryRedis(clock: Clock, onError: (error: unknown) => void = () => undefined) {
  const tables = {
    counters: createTable<MemoryCounter>(clock),
    sessions: createTable<MemorySessions>(clock),
    pendingIndexComplete: createTable<number>(clock),
    boundaries: createTable<MemoryBoundaries>(clock),
    versions: createTable<MemoryVersion>(clock),
    activities: createTable<LastActivity>(clock),
    leases: createTable<{ heldAtMs: number; runId: number; isDone?: boolean }>(clock),
    seen: createTable<number>(clock),
    indexStamps: createTable<{ stamp: string; runId: number }>(clock),
    tickStamps: createTable<string>(clock),
    blocks: createTable<MemoryBlock>(clock),
    feedPositions: createTable<{ position: FeedPosition; runId: number }>(clock),
  }
  const subscriptions = new Map<string, Set<Subscription>>()
  let runId = 1
  let lastVersion = 0
  let down = false

  function send(subscription: Subscription, delivery: Delivery): void {
    subscription.waiting.push(delivery)
    queueMicrotask(() => {
      try {
        subscription.waiting.shift()?.handOver()
      } catch (error) {
        onError(error)
      }
    })
  }

  /** Every call of a store begins here. */
  async function beginCall(): Promise<void> {
    await undefined
    if (down) throw unavailable(new Error('The memory Redis is down.'))
  }

  return {
    ...tables,
    clock,
    beginCall,
    runId: () => runId,
    /** Never returns the same version twice, not even after a flush. */
    nextVersion: () => ++lastVersion,

    publish(channel: string, event: ChatEvent): void {
      for (const subscription of subscriptions.get(channel) ?? [])
        send(subscription, { handOver: () => subscription.listener.event(event) })
    },

    subscribe(channel: string, listener: EventListener): EventSubscription {
      const subscription: Subscription = { listener, waiting: [] }
      subscriptions.set(channel, (subscriptions.get(channel) ?? new Set()).add(subscription))
      return {
        async flush() {
          await beginCall()
          await new Promise<void>((resolve, reject) => {
            send(subscription, { handOver: resolve, lost: () => reject(unavailable()) })
          })
        },
        async close() {
          const listening = subscriptions.get(channel)
          listening?.delete(subscription)
          if (listening?.size === 0) subscriptions.delete(channel)
          loseWaiting(subscription)
        },
      }
    },

    /** Forgets what has expired and was not asked for since. */
    sweep(): void {
      for (const table of Object.values(tables)) table.sweep()
    },

    /** Forgets everything. Subscriptions stay, as they do with FLUSHALL. */
    flush(): void {
      for (const table of Object.values(tables)) table.clear()
    },

    /** Another process goes on with the same data, or the same process after another has been the master. */
    failover(): void {
      runId += 1
    },

    /** Copies the data to a replica. The returned function promotes it: another process then goes on with the copied data. */
    replica(): () => void {
      const promotions = Object.values(tables).map((table) => table.copy())
      return () => {
        for (const promote of promotions) promote()
        runId += 1
      }
    },

    /** Breaks every subscribing connection. They come back, and what was on its way is lost. */
    cutSubscribers(): void {
      for (const subscription of [...subscriptions.values()].flatMap((set) => [...set])) {
        loseWaiting(subscription)
        send(subscription, { handOver: () => subscription.listener.gap() })
      }
    },

    /** Every call fails while it is down. */
    setDown(isDown: boolean): void {
      down = isDown
    },
  }
}

function loseWaiting(subscription: Subscription): void {
  for (const { lost } of subscription.waiting.splice(0)) lost?.()
}

type Table<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value, ttlMs: number): void
  delete(key: string): void
  keys(): string[]
  clear(): void
  sweep(): void
  /** Copies the current state. The returned function restores it. */
  copy(): () => void
}

/** Of more than this, the first that was set is forgotten, as if its time had come. All rows of a table together are then about 100 MB. */
const rowsMax = 500_000

const oldestOf = (rows: Map<string, unknown>): string => rows.keys().next().value ?? ''

function createTable<Value>(clock: Clock): Table<Value> {
  let rows = new Map<string, { value: Value; expiresAtMs: number }>()
  return {
    get(key) {
      const row = rows.get(key)
      if (row && row.expiresAtMs > clock.now()) return row.value
      rows.delete(key)
      return undefined
    },
    set(key, value, ttlMs) {
      rows.set(key, { value, expiresAtMs: clock.now() + ttlMs })
      if (rows.size > rowsMax) rows.delete(oldestOf(rows))
    },
    delete: (key) => void rows.delete(key),
    keys: () => [...rows.keys()],
    clear: () => rows.clear(),
    sweep() {
      const nowMs = clock.now()
      for (const [key, { expiresAtMs }] of rows) if (expiresAtMs <= nowMs) rows.delete(key)
    },
    copy() {
      const copied = structuredClone(rows)
      return () => {
        rows = copied
      }
    },
  }
}
