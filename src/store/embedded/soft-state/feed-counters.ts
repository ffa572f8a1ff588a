import type { FeedCounters } from '../../../ports/feed.ts'
import { feedCounterTtlMs } from '../../redis/feed-counters.ts'
import type { MemoryRedis } from './memory-redis.ts'

/** The rules are those of store/redis/feed-counters.ts. */
export function createFeedCountersMemory(redis: MemoryRedis): FeedCounters {
  const { feedPositions } = redis

  function endOf(partition: number): number | undefined {
    const found = feedPositions.get(String(partition))
    return found?.runId === redis.runId() ? found.position : undefined
  }

  return {
    async next(partition, taken) {
      await redis.beginCall()
      const last = endOf(partition)
      if (last === undefined && taken === undefined) return undefined
      const position = Math.max(last ?? 0, taken ?? 0) + 1
      feedPositions.set(String(partition), { position, runId: redis.runId() }, feedCounterTtlMs)
      return position
    },

    async ends(partitions) {
      await redis.beginCall()
      return partitions.map(endOf)
    },
  }
}
