import type { Events } from '../domain/ports.ts'
import { raiseActivity } from './activity.memory.ts'
import { eventOf } from './event-wire.ts'
import { raisePendingVersion } from './hints.memory.ts'
import type { MemoryRedis } from './memory-redis.ts'
import { counterTtlMs } from './sequencer.redis.ts'
import { liveSessions } from './sessions.memory.ts'

export function createEventsMemory(redis: MemoryRedis): Events {
  return {
    async ring({ entry, members, pendingWritten = [] }) {
      await redis.arrive()
      const { conversationId, senderId, seq } = entry
      const counter = redis.counters.get(conversationId)
      if (counter !== undefined) redis.counters.set(conversationId, Math.max(counter, seq), counterTtlMs)
      if (entry.kind === 'message') {
        const isLast = counter !== undefined && counter <= seq
        raiseActivity(redis, conversationId, { seq, atMs: entry.sentAtMs }, isLast)
      }
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

    async tellConversation(userIds, conversationId) {
      await redis.arrive()
      for (const userId of userIds) redis.publish(userId, { type: 'conversation', conversationId })
    },

    async tellTyping(userIds, typing) {
      await redis.arrive()
      for (const userId of userIds) redis.publish(userId, { type: 'typing', typing })
    },

    async subscribe(userId, listener) {
      await redis.arrive()
      return redis.listen(userId, listener)
    },
  }
}
