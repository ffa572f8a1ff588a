import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Seen } from '../../ports/soft-state.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import { watchedPerUserMax } from '../../protocol/limits.ts'
import type { Access } from '../conversations/access.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createInbox, ofTypes } from '../streams/inbox.ts'
import type { ResyncScheduler } from '../streams/resync-scheduler.ts'
import { createStream } from '../streams/stream.ts'
import type { Blocking } from './blocking.ts'

// Presence says who is online. An event only says that a user's presence may have changed, and a stream that hears it looks it up. A session
// whose node was killed ends without an event, so streams also look periodically.

/** This is well below the TTL of a session. */
const resyncEverySeconds = 5
const inboxLimit = 256
const tooManyRetryAfterMs = 5000

/** This is shown of a user who is offline, or who has blocked the viewer. */
const away: Seen = { presence: 'offline' }

export type Appearance = { userId: UserId; seen: Seen }

type Needs = Pick<Ports, 'sessions' | 'events' | 'clock'> & {
  access: Access
  resyncScheduler: ResyncScheduler
  blocking: Blocking
  observer: Observer
}

export function createPresence({ sessions, events, clock, access, resyncScheduler, blocking, observer }: Needs) {
  /** Each viewer watches this many people. */
  const watching = new Map<UserId, number>()

  /** Returns the presence of each user in the order asked for; undefined for users whom the viewer may not see. */
  async function presenceOf(viewerId: UserId, userIds: readonly UserId[]): Promise<(Seen | undefined)[]> {
    const found = await look(viewerId, await visibleTo(viewerId, userIds))
    return userIds.map((userId) => found.get(userId))
  }

  /** Shows first the presence of each user, then each change once. Users whom the viewer may not see are never shown. */
  async function followPresence(
    viewerId: UserId,
    userIds: readonly UserId[],
  ): Promise<AsyncIterableIterator<Appearance>> {
    const stopCounting = countWatched(viewerId, userIds.length)
    try {
      return await follow(viewerId, userIds, stopCounting)
    } catch (error) {
      stopCounting()
      throw error
    }
  }

  /** Counts all users that are asked for, visible or not, as all of them are looked up periodically. */
  function countWatched(viewerId: UserId, count: number): () => void {
    const before = watching.get(viewerId) ?? 0
    if (before + count > watchedPerUserMax) {
      const words = `A user watches at most ${watchedPerUserMax} people, over all streams.`
      throw new ChatError('RATE_LIMITED', words, { retryAfterMs: tooManyRetryAfterMs })
    }
    watching.set(viewerId, before + count)
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      const left = (watching.get(viewerId) ?? count) - count
      if (left > 0) watching.set(viewerId, left)
      else watching.delete(viewerId)
    }
  }

  async function follow(
    viewerId: UserId,
    userIds: readonly UserId[],
    onEnd: () => void,
  ): Promise<AsyncIterableIterator<Appearance>> {
    const watched = await visibleTo(viewerId, userIds)
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('presence'),
      accepts: ofTypes('presence'),
    })
    const subscription = await events.subscribePresence([...watched], inbox)
    resyncScheduler.add(inbox, viewerId, resyncEverySeconds)
    const shown = new Map<UserId, string>()

    async function* run(): AsyncGenerator<Appearance> {
      yield* changed(await retryWhileUnavailable(clock, () => look(viewerId, watched)))
      for (;;) {
        const signal = await inbox.take()
        if (signal.type === 'closed') return
        if (signal.type === 'presence')
          yield* changed(await retryWhileUnavailable(clock, () => look(viewerId, [signal.userId])))
        if (signal.type === 'resync') yield* changed(await retryWhileUnavailable(clock, () => look(viewerId, watched)))
        if (signal.type === 'periodicResync') yield* changed(await look(viewerId, watched).catch(noneWhileUnavailable))
      }
    }

    async function* changed(found: ReadonlyMap<UserId, Seen>): AsyncGenerator<Appearance> {
      for (const [userId, seen] of found) {
        const line = `${seen.presence} ${seen.lastSeenAtMs ?? ''}`
        if (shown.get(userId) === line || !watched.has(userId)) continue
        if (
          shown.has(userId) &&
          !(await retryWhileUnavailable(clock, () => visibleTo(viewerId, [userId]))).has(userId)
        ) {
          watched.delete(userId)
          continue
        }
        shown.set(userId, line)
        yield { userId, seen }
      }
    }

    return createStream(inbox, { run }, async () => {
      onEnd()
      resyncScheduler.remove(inbox)
      await subscription.close()
    })
  }

  async function visibleTo(viewerId: UserId, userIds: readonly UserId[]): Promise<Set<UserId>> {
    const others = userIds.filter((userId) => userId !== viewerId)
    const known = others.length > 0 ? await access.acquaintances(viewerId, others) : new Set<UserId>()
    return new Set(userIds.filter((userId) => userId === viewerId || known.has(userId)))
  }

  /** Looks up sessions and blocks, both at the same time. */
  async function look(viewerId: UserId, asked: Iterable<UserId>): Promise<Map<UserId, Seen>> {
    const userIds = [...new Set(asked)]
    if (userIds.length === 0) return new Map()
    const others = userIds.filter((userId) => userId !== viewerId)
    const [seen, isBlocking] = await Promise.all([sessions.seen(userIds), blocking.areBlocking(viewerId, others)])
    const hiding = new Set(others.filter((_, i) => isBlocking[i]))
    return new Map(userIds.map((userId, i) => [userId, hiding.has(userId) ? away : (seen[i] ?? away)]))
  }

  return { presenceOf, followPresence }
}

/** Returns nothing while a backend is unavailable: the next periodic resync looks again. */
function noneWhileUnavailable(error: unknown): Map<UserId, Seen> {
  if (error instanceof ChatError && error.code === 'UNAVAILABLE') return new Map()
  throw error
}
