import type { Audience, ChatEvent, Events } from '../../../ports/events.ts'
import type { LogEntry } from '../../../ports/log.ts'
import type { UserId } from '../../../protocol/ids.ts'
import { eventOf } from '../../redis/event-wire.ts'
import { raiseActivity } from './activity.ts'
import { liftBoundaries, notePending } from './boundary-cache.ts'
import { replaceStamp } from './index-stamps.ts'
import type { MemoryRedis } from './memory-redis.ts'
import { counterOf, liftCounter } from './sequencer.ts'
import { liveSessions, presenceChannel } from './sessions.ts'
import { replaceTickStamp } from './tick-stamps.ts'

/** No id has a space. */
const restrictionsChannel = 'all restrictions'

export function createEventsMemory(redis: MemoryRedis): Events {
  return {
    async publishEntry({ entry, members, pendingWritten = [] }) {
      await redis.beginCall()
      const { conversationId, senderId } = entry
      lift(entry)
      const overtaken = pendingWritten
        .map((userId) => ({ userId, delivered: notePending(redis, { userId, conversationId }) }))
        .filter(({ delivered }) => delivered >= entry.seq)
      const absent = members.filter((userId) => {
        redis.publish(userId, eventOf(entry))
        const attached = liveSessions(redis, userId).some(({ scope }) => scope === '*' || scope === conversationId)
        if (!attached && userId === senderId) {
          redis.pendingIndexComplete.delete(userId)
          // A session that has left and is about to set the mark may not hear this entry any more.
          const leaving = redis.sessions.get(userId)
          if (leaving) leaving.unclean = true
        }
        return !attached
      })
      return { absent, overtaken }
    },

    async publishGroupEntry(entry) {
      await redis.beginCall()
      redis.publish(entry.conversationId, eventOf(entry))
      lift(entry)
    },

    async publishBoundaries(audience, boundaries, ofRead) {
      await redis.beginCall()
      const pendingVersion = liftBoundaries(redis, boundaries, boundaries)
      const others = typeof audience === 'string' ? [audience] : audience.filter((id) => id !== boundaries.userId)
      for (const id of [...others, ...(ofRead ? [boundaries.userId] : [])]) replaceTickStamp(redis, id)
      publishAll(audience, { type: 'ticks', ticks: boundaries })
      return { pendingVersion }
    },

    async publishGroupTicks(group) {
      await redis.beginCall()
      replaceTickStamp(redis, group.conversationId)
      publishAll(group.conversationId, { type: 'groupTicks', group })
    },

    publishConversation: (userIds, conversationId) => publish(userIds, { type: 'conversation', conversationId }),

    publishTyping: (audience, typing) => publish(audience, { type: 'typing', typing }),

    publishMembership: (userIds, membership) => publishOfIndexTo(userIds, { type: 'membership', membership }),

    async publishRestriction(userId, version) {
      await redis.beginCall()
      redis.publish(restrictionsChannel, { type: 'restriction', userId, version })
    },

    async subscribeRestrictions(listener) {
      await redis.beginCall()
      return redis.subscribe(restrictionsChannel, listener)
    },

    async subscribe(userId, listener) {
      await redis.beginCall()
      return redis.subscribe(userId, listener)
    },

    async subscribePresence(userIds, listener) {
      await redis.beginCall()
      const all = userIds.map((userId) => redis.subscribe(presenceChannel(userId), listener))
      return {
        flush: async () => void (await Promise.all(all.map((each) => each.flush()))),
        close: async () => void (await Promise.all(all.map((each) => each.close()))),
      }
    },

    async subscribeGroup(id, listener) {
      await redis.beginCall()
      return redis.subscribe(id, listener)
    },
  }

  /** Lifts the counter and, for a message, the activity. */
  function lift(entry: LogEntry): void {
    const { conversationId, seq } = entry
    const counter = counterOf(redis, conversationId)
    if (entry.kind === 'message') {
      const isLast = counter !== undefined && counter.seq <= seq
      raiseActivity(redis, conversationId, { seq, atMs: entry.sentAtMs }, isLast)
    }
    liftCounter(redis, conversationId, seq)
  }

  /** Publishes to users whose index has changed. */
  async function publishOfIndexTo(userIds: readonly UserId[], event: ChatEvent): Promise<void> {
    await redis.beginCall()
    for (const userId of userIds) replaceStamp(redis, userId)
    publishAll(userIds, event)
  }

  async function publish(audience: Audience, event: ChatEvent): Promise<void> {
    await redis.beginCall()
    publishAll(audience, event)
  }

  function publishAll(audience: Audience, event: ChatEvent): void {
    for (const channel of typeof audience === 'string' ? [audience] : audience) redis.publish(channel, event)
  }
}
