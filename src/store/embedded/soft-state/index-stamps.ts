import type { IndexStamps } from '../../../ports/soft-state.ts'
import type { UserId } from '../../../protocol/ids.ts'
import { stampTtlMs } from '../../redis/index-stamps.ts'
import type { MemoryRedis } from './memory-redis.ts'

/** The rules are those of store/redis/index-stamps.ts. */
export function createIndexStampsMemory(redis: MemoryRedis): IndexStamps {
  return {
    async look(userIds) {
      await redis.beginCall()
      return userIds.map((userId) => {
        const found = redis.indexStamps.get(userId)
        return found?.runId === redis.runId() ? found.stamp : replaceStamp(redis, userId)
      })
    },

    async replace(userIds) {
      await redis.beginCall()
      for (const userId of userIds) replaceStamp(redis, userId)
    },
  }
}

export function replaceStamp(redis: MemoryRedis, userId: UserId): string {
  const stamp = `${redis.nextVersion()}`
  redis.indexStamps.set(userId, { stamp, runId: redis.runId() }, stampTtlMs)
  return stamp
}
