import type { Presence, Session, Sessions } from '../../../ports/soft-state.ts'
import type { UserId } from '../../../protocol/ids.ts'
import {
  sessionTtlMs as defaultTtlMs,
  lastingTtlMs,
  pendingIndexCompleteTtlMs,
  seenTtlMs,
  sessionsKeyTtlMs,
} from '../../redis/sessions.ts'
import type { MemoryRedis, MemorySession, MemorySessions } from './memory-redis.ts'
import { endedAtMs } from './session-leases.ts'

/** The rules, and why, are those of store/redis/sessions.ts. */
export function createSessionsMemory(redis: MemoryRedis, ttlMs = defaultTtlMs): Sessions {
  const { clock } = redis
  return {
    async attach(session) {
      await redis.beginCall()
      return watched(session.userId, () => {
        const user = pruned(session.userId)
        const pendingIndexComplete = redis.pendingIndexComplete.get(session.userId) === redis.runId()
        redis.pendingIndexComplete.delete(session.userId)
        put(user, session, 'syncing')
        return { pendingIndexComplete }
      })
    },

    async renew(sessions) {
      await redis.beginCall()
      for (const { session, state, lasting } of sessions) {
        const user = sessionsOf(session.userId)
        const standing = user.byConnection.get(fieldOf(session))
        if (standing?.state === 'left') continue
        watched(session.userId, () => {
          if (!standing) {
            user.unclean = true
            redis.pendingIndexComplete.delete(session.userId)
          }
          const { leaseId } = session
          put(user, session, state, lasting && (leaseId === undefined || redis.leases.get(leaseId) !== undefined))
        })
      }
    },

    async leave(session) {
      await redis.beginCall()
      watched(session.userId, () => end(session))
    },

    async setPendingIndexComplete(userId) {
      await redis.beginCall()
      const user = pruned(userId)
      const left = [...user.byConnection].find(([, { state }]) => state === 'left')
      if (!left) return
      user.byConnection.delete(left[0])
      if (user.byConnection.size > 0) return
      if (!user.unclean && user.runId === redis.runId())
        redis.pendingIndexComplete.set(userId, redis.runId(), pendingIndexCompleteTtlMs)
      redis.sessions.delete(userId)
    },

    async presence(userIds) {
      await redis.beginCall()
      return userIds.map(presenceOf)
    },

    async forget(userId) {
      await redis.beginCall()
      for (const table of [redis.sessions, redis.pendingIndexComplete, redis.seen, redis.indexStamps, redis.tickStamps])
        table.delete(userId)
    },

    async seen(userIds) {
      await redis.beginCall()
      return userIds.map((userId) => {
        const [presence, lastSeenAtMs] = [presenceOf(userId), lastSeen(userId)]
        return presence === 'offline' && lastSeenAtMs !== undefined ? { presence, lastSeenAtMs } : { presence }
      })
    },
  }

  function lastSeen(userId: UserId): number | undefined {
    const seen = redis.seen.get(userId)
    const leases = [...(redis.sessions.get(userId)?.byConnection.values() ?? [])]
      .filter(({ state }) => state !== 'left')
      .map(({ leaseId }) => (leaseId === undefined ? undefined : endedAtMs(redis, leaseId)))
    const latest = Math.max(seen ?? 0, ...leases.map((atMs) => atMs ?? 0))
    if (latest > (seen ?? 0)) redis.seen.set(userId, latest, seenTtlMs)
    return latest || undefined
  }

  function presenceOf(userId: UserId): Presence {
    const states = liveSessions(redis, userId).map(({ state }) => state)
    return states.includes('online') ? 'online' : states.includes('syncing') ? 'syncing' : 'offline'
  }

  function watched<T>(userId: UserId, act: () => T): T {
    redis.seen.set(userId, clock.now(), seenTtlMs)
    const before = presenceOf(userId)
    const result = act()
    if (presenceOf(userId) !== before) redis.publish(presenceChannel(userId), { type: 'presence', userId })
    return result
  }

  function end(session: Session): void {
    const user = sessionsOf(session.userId)
    const known = user.byConnection.delete(fieldOf(session))
    if (!session.conversationId) {
      if (!known) user.unclean = true
      put(user, session, 'left')
    } else if (user.byConnection.size === 0) {
      redis.sessions.delete(session.userId)
    } else {
      const heard = liveSessions(redis, session.userId).some(({ scope }) => scope === '*')
      const leaving = [...user.byConnection.values()].some(({ state }) => state === 'left')
      if (leaving && !heard) user.unclean = true
    }
  }

  function sessionsOf(userId: UserId): MemorySessions {
    return redis.sessions.get(userId) ?? { byConnection: new Map(), unclean: false, runId: redis.runId() }
  }

  function pruned(userId: UserId): MemorySessions {
    const user = sessionsOf(userId)
    for (const [connectionId, each] of user.byConnection) {
      if (isLive(redis, each)) continue
      user.byConnection.delete(connectionId)
      user.unclean = true
    }
    return user
  }

  function put(user: MemorySessions, session: Session, state: MemorySession['state'], lasting = false): void {
    const { leaseId, conversationId: scope = '*' } = session
    const livesMs = lasting ? lastingTtlMs : ttlMs
    user.byConnection.set(fieldOf(session), { state, scope, leaseId, expiresAtMs: clock.now() + livesMs })
    redis.sessions.set(session.userId, user, livesMs + sessionsKeyTtlMs)
  }
}

/** It never collides with a user's own channel, as no user id holds a space. */
export const presenceChannel = (userId: UserId): string => `presence ${userId}`

/** Returns the sessions that a sender may rely on. */
export function liveSessions(redis: MemoryRedis, userId: UserId): MemorySession[] {
  const sessions = [...(redis.sessions.get(userId)?.byConnection.values() ?? [])]
  return sessions.filter((each) => each.state !== 'left' && isLive(redis, each))
}

const isLive = (redis: MemoryRedis, { expiresAtMs, leaseId }: MemorySession): boolean =>
  expiresAtMs > redis.clock.now() && (leaseId === undefined || endedAtMs(redis, leaseId) === undefined)

const fieldOf = ({ leaseId, connectionId }: Session): string =>
  leaseId === undefined ? connectionId : `${leaseId}.${connectionId}`
