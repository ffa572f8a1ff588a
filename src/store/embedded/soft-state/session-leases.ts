import type { SessionLeases } from '../../../ports/soft-state.ts'
import { leaseKeptMs, leaseTtlMs } from '../../redis/session-leases.ts'
import type { MemoryRedis } from './memory-redis.ts'

/** The rules are those of store/redis/session-leases.ts. */
export function createSessionLeasesMemory(redis: MemoryRedis): SessionLeases {
  const put = (leaseId: string) =>
    redis.leases.set(leaseId, { heldAtMs: redis.clock.now(), runId: redis.runId() }, leaseKeptMs)

  return {
    async begin(leaseId, lostId) {
      await redis.beginCall()
      put(leaseId)
      if (lostId === undefined) return
      const nowMs = redis.clock.now()
      const heldAtMs = Math.min(redis.leases.get(lostId)?.heldAtMs ?? nowMs, nowMs - leaseTtlMs)
      redis.leases.set(lostId, { heldAtMs, runId: redis.runId() }, leaseKeptMs)
    },

    async hold(leaseId) {
      await redis.beginCall()
      const held = redis.leases.get(leaseId)
      const isHeld = held?.runId === redis.runId() && endedAtMs(redis, leaseId) === undefined
      if (isHeld) put(leaseId)
      const died = redis.leases
        .keys()
        .filter((each) => endedAtMs(redis, each) !== undefined && !redis.leases.get(each)?.isDone)
      return { isHeld, died }
    },

    async giveUp(leaseId) {
      await redis.beginCall()
      const heldAtMs = redis.clock.now() - leaseTtlMs
      redis.leases.set(leaseId, { heldAtMs, runId: redis.runId(), isDone: true }, leaseKeptMs)
    },
  }
}

/** Returns when a lease that has ended was last held. */
export function endedAtMs(redis: MemoryRedis, leaseId: string): number | undefined {
  const held = redis.leases.get(leaseId)
  return held && held.heldAtMs + leaseTtlMs <= redis.clock.now() ? held.heldAtMs : undefined
}
