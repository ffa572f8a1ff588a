import type { Events } from '../domain/ports.ts'
import { eventOf } from './event-wire.ts'
import { raisePendingVersion } from './hints.memory.ts'
import type { MemoryRedis } from './memory-redis.ts'
import { counterTtlMs } from './sequencer.redis.ts'
import { liveSessions, presenceChannel } from './sessions.memory.ts'

export function createEventsMemory(redis: MemoryRedis): Events {
  return {
    async ring({ entry, members, pendingWritten = [] }) {
      await redis.arrive()
      const { conversationId, senderId, seq } = entry
      const counter = redis.counters.get(conversationId)
      if (counter !== undefined) redis.counters.set(conversationId, Math.max(counter, seq), counterTtlMs)
      return members.filter((userId) => {
        redis.publish(userId, eventOf(entry))
        if (pendingWritten.includes(userId)) raisePendingVersion(redis, { userId, conversationId })
        const attached = liveSessions(redis, userId).some(({ scope }) => scope === '*' || scope === conversationId)
        if (!attached && userId === senderId) {
          redis.marks.delete(userId)
          // One that has left and is about to set the mark may have listened for the last time.
          const leaving = redis.sessions.get(userId)
          if (leaving) leaving.unclean = true
        }
        return !attached
      })
    },

    async tell(userIds, ticks) {
      await redis.arrive()
      for (const userId of userIds) redis.publish(userId, { type: 'ticks', ticks })
    },

    async tellTyping(userIds, typing) {
      await redis.arrive()
      for (const userId of userIds) redis.publish(userId, { type: 'typing', typing })
    },

    async subscribe(userId, listener) {
      await redis.arrive()
      return redis.listen(userId, listener)
    },

    async subscribePresence(userIds, listener) {
      await redis.arrive()
      const all = userIds.map((userId) => redis.listen(presenceChannel(userId), listener))
      return {
        flush: async () => void (await Promise.all(all.map((each) => each.flush()))),
        close: async () => void (await Promise.all(all.map((each) => each.close()))),
      }
    },
  }
}
