import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { aConversation, aUser } from '../kit/ids.ts'
import { seedCounter } from '../kit/seed-counter.ts'
import { type SoftWorld, softBackends } from '../kit/soft-worlds.ts'
import { feedCountersContract } from './contract/feed.ts'
import { activityContract } from './contract/soft-state/activity.ts'
import { blockCacheContract } from './contract/soft-state/block-cache.ts'
import { boundaryCacheContract } from './contract/soft-state/boundary-cache.ts'
import { eventsContract } from './contract/soft-state/events.ts'
import { indexStampsContract } from './contract/soft-state/index-stamps.ts'
import { seenContract } from './contract/soft-state/seen.ts'
import { sequencerContract } from './contract/soft-state/sequencer.ts'
import { sessionLeasesContract } from './contract/soft-state/session-leases.ts'
import { sessionsContract } from './contract/soft-state/sessions.ts'
import { tickStampsContract } from './contract/soft-state/tick-stamps.ts'
import { versionsContract } from './contract/soft-state/versions.ts'

describe.each(softBackends)('the soft state on $name', ({ start }) => {
  let world: SoftWorld
  beforeAll(async () => {
    world = await start()
  })
  afterAll(() => world?.stop())

  describe('feed counters', () => feedCountersContract(() => world))
  describe('sequencer', () => sequencerContract(() => world))
  describe('sessions', () => sessionsContract(() => world))
  describe('session leases', () => sessionLeasesContract(() => world))
  describe('boundary cache', () => boundaryCacheContract(() => world))
  describe('versions', () => versionsContract(() => world))
  describe('index stamps', () => indexStampsContract(() => world))
  describe('tick stamps', () => tickStampsContract(() => world))
  describe('activity', () => activityContract(() => world))
  describe('block cache', () => blockCacheContract(() => world))
  describe('seen', () => seenContract(() => world))
  describe('events', () => eventsContract(() => world))
})

describe('the memory Redis', () => {
  let nowMs = 1_800_000_000_000
  const redis = createMemoryRedis({ now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined })
  const { sequencer, sessions, boundaryCache, versions, blockCache, indexStamps } = createSoftStateMemory(redis)

  test('another process with the same data does not believe the flags of the last one', async () => {
    const phone = { userId: aUser(), connectionId: 'phone' }
    await sessions.attach(phone)
    await sessions.leave(phone)
    await sessions.setPendingIndexComplete(phone.userId)
    redis.failover()
    expect(await sessions.attach(phone)).toEqual({ pendingIndexComplete: false })
  })

  test('another process with the same data does not believe the stamps of the last one', async () => {
    const userId = aUser()
    const before = await indexStamps.look([userId])
    redis.failover()
    expect(await indexStamps.look([userId])).not.toEqual(before)
  })

  test('another process with the same data does not believe the versions of the last one', async () => {
    const id = aConversation()
    await versions.raise(id, 5)
    redis.failover()
    expect(await versions.look([id], 'a')).toEqual([undefined])
    redis.failover()
    await versions.seed(id, 'a', 6)
    expect(await versions.look([id], 'b')).toEqual([undefined])
    await versions.seed(id, 'b', 6)
    expect(await versions.look([id], 'c')).toEqual([6])
  })

  test('a session that has outlived its Redis process sets no flag', async () => {
    const phone = { userId: aUser(), connectionId: 'phone' }
    await sessions.attach(phone)
    await sessions.leave(phone)
    redis.failover()
    await sessions.setPendingIndexComplete(phone.userId)
    expect(await sessions.attach(phone)).toEqual({ pendingIndexComplete: false })
  })

  test('another process with the same data believes neither an answer nor a lease of the last one', async () => {
    const [known, leased] = [aConversation(), aConversation()]
    await blockCache.look([known, leased], 'lease')
    await blockCache.seed(known, 'lease', [])
    redis.failover()
    await blockCache.seed(leased, 'lease', [])
    expect(await blockCache.look([known, leased], 'another')).toEqual([undefined, undefined])
  })

  test('what a change has begun and never ended stands for a minute, and nothing is seeded meanwhile', async () => {
    const conversationId = aConversation()
    await blockCache.begin(conversationId, 'change')
    nowMs += 59_000
    await blockCache.look([conversationId], 'lease')
    await blockCache.seed(conversationId, 'lease', [])
    expect(await blockCache.look([conversationId], 'lease')).toEqual([undefined])
    nowMs += 1000
    await blockCache.look([conversationId], 'lease')
    await blockCache.seed(conversationId, 'lease', [])
    expect(await blockCache.look([conversationId], 'lease')).toEqual([[]])
  })

  test('what is kept expires by the clock that was handed in', async () => {
    const [userId, conversationId] = [aUser(), aConversation()]
    await seedCounter(sequencer, conversationId, 5)
    await boundaryCache.lift({ userId, conversationId }, { lastDeliveredSeq: 1, lastReadSeq: 1 }, 0)
    await sessions.attach({ userId, connectionId: 'phone' })
    nowMs += 30_000
    expect(await sessions.presence([userId])).toEqual(['offline'])
    expect(await boundaryCache.get({ userId, conversationId })).toBeDefined()
    nowMs += 7 * 86_400_000
    expect(await boundaryCache.get({ userId, conversationId })).toBeUndefined()
    expect(await sequencer.counters([conversationId])).toEqual([5])
    nowMs += 23 * 86_400_000
    expect(await sequencer.counters([conversationId])).toEqual([undefined])
  })
})
