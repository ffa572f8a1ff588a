import type { Activity, LastActivity } from '../../../ports/soft-state.ts'
import type { ConversationId } from '../../../protocol/ids.ts'
import { activityTtlMs } from '../../redis/activity.ts'
import type { MemoryRedis } from './memory-redis.ts'

export function createActivityMemory(redis: MemoryRedis): Activity {
  return {
    async of(conversationIds) {
      await redis.beginCall()
      return conversationIds.map((conversationId) => redis.activities.get(conversationId))
    },

    async seed(found) {
      await redis.beginCall()
      for (const { conversationId, seq, atMs } of found) raiseActivity(redis, conversationId, { seq, atMs }, true)
    },
  }
}

export function raiseActivity(
  { activities }: MemoryRedis,
  conversationId: ConversationId,
  activity: LastActivity,
  mayCreate: boolean,
): void {
  const kept = activities.get(conversationId)
  if (kept ? kept.seq < activity.seq : mayCreate) activities.set(conversationId, activity, activityTtlMs)
}
