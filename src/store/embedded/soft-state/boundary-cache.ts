import type { MemberAddress } from '../../../ports/delivery.ts'
import type { BoundaryCache, CachedBoundaries } from '../../../ports/soft-state.ts'
import type { Seq } from '../../../protocol/ids.ts'
import type { Boundaries } from '../../../protocol/ticks.ts'
import { boundaryCacheTtlMs } from '../../redis/boundary-cache.ts'
import type { MemoryBoundaries, MemoryRedis } from './memory-redis.ts'

/** The rules, and why, are those of store/redis/boundary-cache.ts. */
export function createBoundaryCacheMemory(redis: MemoryRedis): BoundaryCache {
  return {
    async get(member) {
      await redis.beginCall()
      return toCached(redis.boundaries.get(boundaryKey(member)))
    },

    async open(member) {
      await redis.beginCall()
      const cached = believed(redis, member)
      redis.boundaries.set(boundaryKey(member), cached, boundaryCacheTtlMs)
      if (cached.version > 0) redis.pendingIndexComplete.delete(member.userId)
      return { lastReadSeq: cached.read ?? 0, pendingVersion: pendingVersionOf(cached) }
    },

    async lift(member, boundaries, clearedVersion) {
      await redis.beginCall()
      liftBoundaries(redis, member, boundaries, clearedVersion)
    },

    async notePending(member) {
      await redis.beginCall()
      return notePending(redis, member)
    },

    async forget(member) {
      await redis.beginCall()
      redis.boundaries.delete(boundaryKey(member))
    },
  }
}

/** Lifts the cached boundaries. Returns the pending version after that. */
export function liftBoundaries(
  redis: MemoryRedis,
  member: MemberAddress,
  { lastDeliveredSeq, lastReadSeq }: Boundaries,
  clearedVersion?: number,
): number {
  const { delivered = 0, read = 0, version, runId } = believed(redis, member)
  const isCleared = version > 0 && version === clearedVersion
  const cached: MemoryBoundaries = {
    delivered: Math.max(delivered, lastDeliveredSeq),
    read: Math.max(read, lastReadSeq),
    version: isCleared ? -version : version,
    runId: isCleared ? redis.runId() : runId,
  }
  redis.boundaries.set(boundaryKey(member), cached, boundaryCacheTtlMs)
  return pendingVersionOf(cached)
}

/** Returns the cached boundaries with a version that can be trusted. */
function believed(redis: MemoryRedis, member: MemberAddress): MemoryBoundaries {
  const cached = redis.boundaries.get(boundaryKey(member))
  const isBelieved = cached && (cached.version > 0 || cached.runId === redis.runId())
  return isBelieved ? cached : { ...cached, version: redis.nextVersion(), runId: redis.runId() }
}

/** It is called after a pending row was written. Returns the delivered boundary as the cache knows it. */
export function notePending(redis: MemoryRedis, member: MemberAddress): Seq {
  const cached = redis.boundaries.get(boundaryKey(member))
  const raised = { ...cached, version: redis.nextVersion(), runId: redis.runId() }
  redis.boundaries.set(boundaryKey(member), raised, boundaryCacheTtlMs)
  return cached?.delivered ?? 0
}

export const boundaryKey = ({ userId, conversationId }: MemberAddress): string => `${userId} ${conversationId}`

function toCached(cached: MemoryBoundaries | undefined): CachedBoundaries | undefined {
  if (cached?.delivered === undefined) return undefined
  return {
    lastDeliveredSeq: cached.delivered,
    lastReadSeq: cached.read ?? 0,
    pendingVersion: pendingVersionOf(cached),
  }
}

const pendingVersionOf = ({ version }: MemoryBoundaries): number => Math.max(version, 0)
