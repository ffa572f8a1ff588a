import type { SoftState, Stores } from '../ports/ports.ts'
import type { Banners, PushQueue } from '../ports/push.ts'
import type { Quotas } from '../ports/quotas.ts'
import type { RateLimits } from '../ports/rate-limits.ts'

// A node has two backends, each of them embedded or a service: one that keeps, and one that is fast and may forget.

/** What is kept: DynamoDB, or the embedded store in the data directory. */
export type KeptBackend = {
  stores: Stores
  /** Which rows these are. Two deployments never have the same, so Redis can tell them apart. */
  deployment: { id: string; tables: string }
  /** Rejects while it cannot serve. */
  check(): Promise<void>
  /** Removes some of the rows that have expired, where the service does not do so by itself. */
  sweepExpired?(): Promise<void>
  description: string
  close(): Promise<void>
}

/** The soft state, and what else lives in Redis or, embedded, in this process. */
export type SoftBackend = {
  softState: SoftState
  quotas: Quotas
  rateLimits: RateLimits
  pushQueue: PushQueue
  banners: Banners
  /** The number of this node, for Snowflakes. */
  nodeNumber: () => number
  /** Tells the backend that this node goes on with it, and rejects while it cannot serve. */
  renew(): Promise<void>
  /** How far the clock of this node was ahead of Redis's when they were compared last. */
  clockOffsetMs?(): number
  /** Whether commands can be sent, and whether the events that are published are heard. */
  links(): { commands: boolean; events: boolean }
  description: string
  close(): Promise<void>
}
