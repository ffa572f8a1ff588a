import type { MemberAddress } from '../../ports/delivery.ts'
import type { BoundaryCache, CachedBoundaries } from '../../ports/soft-state.ts'
import type { Seq } from '../../protocol/ids.ts'
import type { Boundaries } from '../../protocol/ticks.ts'
import { boundaryCacheTtlMs } from '../redis/boundary-cache.ts'
import type { MemoryBoundaries, MemoryRedis } from './memory-redis.ts'

/** The rules, and why, are those of store/redis/boundary-cache.ts. */
export function createBoundaryCacheMemory(redis: MemoryRedis): BoundaryCache {
  return {
    async get(member) {
      await redis.arrive()
      return toCached(redis.boundaries.get(boundaryKey(member)))
    },

    async open(member) {
      await redis.arrive()
      const cached = toCached(redis.boundaries.get(boundaryKey(member)))
      if (cached?.pendingVersion !== 0) redis.pendingIndexComplete.delete(member.userId)
      return cached
    },

    async lift(member, boundaries, clearedVersion) {
      await redis.arrive()
      liftBoundaries(redis, member, boundaries, clearedVersion)
    },

    async notePending(member) {
      await redis.arrive()
      return notePending(redis, member)
    },
  }
}

/** Returns the pending version as it is then. */
export function liftBoundaries(
  redis: MemoryRedis,
  member: MemberAddress,
  { lastDeliveredSeq, lastReadSeq }: Boundaries,
  clearedVersion?: number,
): number {
  const standing = redis.boundaries.get(boundaryKey(member))
  const unknown = () => ({ version: clearedVersion === 0 ? 0 : redis.nextVersion() })
  const { delivered = 0, read = 0, version }: MemoryBoundaries = standing ?? unknown()
  const cached: MemoryBoundaries = {
    delivered: Math.max(delivered, lastDeliveredSeq),
    read: Math.max(read, lastReadSeq),
    version: version > 0 && version === clearedVersion ? -version : version,
  }
  redis.boundaries.set(boundaryKey(member), cached, boundaryCacheTtlMs)
  return pendingVersionOf(cached)
}

/** For whoever has written a pending row. Returns what is delivered, as far as the cache knows. */
export function notePending(redis: MemoryRedis, member: MemberAddress): Seq {
  const cached = redis.boundaries.get(boundaryKey(member))
  redis.boundaries.set(boundaryKey(member), { ...cached, version: redis.nextVersion() }, boundaryCacheTtlMs)
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
