import type { TickStamps } from '../../../ports/soft-state.ts'
import type { ConversationId, UserId } from '../../../protocol/ids.ts'
import { stampTtlMs } from '../../redis/index-stamps.ts'
import type { MemoryRedis } from './memory-redis.ts'

/** The rules are those of store/redis/tick-stamps.ts. */
export function createTickStampsMemory(redis: MemoryRedis): TickStamps {
  return {
    async look(ids) {
      await redis.beginCall()
      return ids.map((id) => `${redis.tickStamps.get(id) ?? replaceTickStamp(redis, id)} ${redis.runId()}`)
    },

    async replace(ids) {
      await redis.beginCall()
      for (const id of ids) replaceTickStamp(redis, id)
    },
  }
}

export function replaceTickStamp(redis: MemoryRedis, id: UserId | ConversationId): string {
  const stamp = `${redis.nextVersion()}`
  redis.tickStamps.set(id, stamp, stampTtlMs)
  return stamp
}
