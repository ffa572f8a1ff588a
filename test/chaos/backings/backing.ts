import type { FinalTable, PendingSeen } from '../checks/history.ts'
import type { ChaosCluster } from '../faults/chaos-cluster.ts'
import type { FaultProxy } from '../faults/fault-proxy.ts'
import type { FaultSettings } from '../faults/plan.ts'
import type { RedisPair } from '../faults/redis-pair.ts'

/** What the nodes of a run stand on, what can go wrong there, and how to look at it past all faults. */
export type Backing = {
  /** A node needs this of the environment to find it. */
  environment: Record<string, string>
  /** These are loaded into each node before it starts. */
  preloads: readonly string[]
  faults: FaultSettings
  services?: Services
  /** Resolves when everything that a node has given up has been carried out, or never will be. */
  settled(): Promise<void>
  readTables(): Promise<FinalTable[]>
  readPending(): Promise<PendingSeen[]>
  stop(): Promise<void>
  /** Ends it without waiting. */
  destroy(): void
}

/** Redis is one server with a replica, or a cluster. */
export type Services = { redis?: RedisPair; cluster?: ChaosCluster; dynamodb: FaultProxy }
