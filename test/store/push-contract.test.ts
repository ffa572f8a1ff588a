import { Redis } from 'ioredis'
import { createRedisServer } from 'js-redis-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RedisLink } from '../../src/engine/redis/client.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Banners, PushQueue } from '../../src/ports/push.ts'
import { createBannersMemory } from '../../src/store/embedded/soft-state/banners.ts'
import { createPushQueueMemory } from '../../src/store/embedded/soft-state/push-queue.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { createBannersRedis } from '../../src/store/redis/push/banners.ts'
import { createPushQueueRedis } from '../../src/store/redis/push/push-queue.ts'
import { createPushQueuesRedis, queuesOfCluster } from '../../src/store/redis/push/push-queues.ts'
import { aConversation, aUser, upTo } from '../kit/ids.ts'
import { startRedis } from '../kit/services/redis.ts'
import { startRedisCluster } from '../kit/services/redis-cluster.ts'
import { keys } from '../kit/soft-worlds.ts'
import { bannersContract } from './contract/banners.ts'
import { pushQueueContract } from './contract/push-queue.ts'

type PushWorld = {
  queues(clock: Clock, takeoverMs?: number): Promise<{ here: PushQueue; there: PushQueue }>
  banners: Banners
  stop(): Promise<void>
}

function connect(url: string, flush: () => Promise<void>, stop: () => Promise<void>): PushWorld {
  const links = [1, 2].map(() => createRedisStoreLink({ url, commandTimeoutMs: 2500 }))
  const [here, there] = links
  if (!here || !there) throw new Error('no links')
  return {
    async queues(clock, takeoverMs) {
      await flush()
      const options = { clock, ...(takeoverMs !== undefined && { takeoverMs }) }
      return { here: createPushQueuesRedis(here, keys, options), there: createPushQueuesRedis(there, keys, options) }
    },
    banners: createBannersRedis(here, keys),
    async stop() {
      await Promise.all(links.map((link) => link.close()))
      await stop()
    },
  }
}

const backends: { name: string; start(): Promise<PushWorld> }[] = [
  {
    name: 'redis-server',
    async start() {
      const redis = await startRedis()
      return connect(redis.url, redis.flush, redis.stop)
    },
  },
  {
    name: 'js-redis-server',
    async start() {
      const { port, close } = await createRedisServer({ port: 0 })
      const raw = new Redis(port)
      return connect(
        `redis://127.0.0.1:${port}`,
        async () => void (await raw.flushall()),
        async () => {
          raw.disconnect()
          await close()
        },
      )
    },
  },
  {
    name: 'a cluster of three',
    async start() {
      const cluster = await startRedisCluster()
      return connect(cluster.url, cluster.flush, cluster.stop)
    },
  },
  {
    name: 'memory',
    async start() {
      return {
        async queues(clock, takeoverMs) {
          const queue = createPushQueueMemory(clock, takeoverMs)
          return { here: queue, there: queue }
        },
        banners: createBannersMemory(),
        stop: async () => undefined,
      }
    },
  },
]

describe.each(backends)('push on $name', ({ start }) => {
  let world: PushWorld
  beforeAll(async () => {
    world = await start()
  })
  afterAll(() => world?.stop())

  describe('queue', () => pushQueueContract((clock, takeoverMs) => world.queues(clock, takeoverMs)))
  describe('banners', () => bannersContract(() => world.banners))
})

describe('the push queues of a cluster', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>
  let link: RedisLink
  let nowMs: number
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined }
  beforeAll(async () => {
    cluster = await startRedisCluster()
    link = createRedisStoreLink({ url: cluster.url, commandTimeoutMs: 2500 })
  })
  afterAll(async () => {
    await link?.close()
    await cluster?.stop()
  })
  beforeEach(async () => {
    nowMs = 1_800_000_000_000
    await cluster.flush()
  })

  const queues = () => createPushQueuesRedis(link, keys, { clock })
  /** As nodes of earlier releases have it. */
  const earlier = () => createPushQueueRedis(link, keys.pushQueue('push'), { clock })
  const aBanner = (seq: number) => ({ userId: aUser(), conversationId: aConversation(), seq, atMs: nowMs })

  test('are in many slots, on all nodes, each with its keys in one', async () => {
    const slots: number[] = []
    for (let i = 0; i < queuesOfCluster; i += 1) {
      const { jobs, due, wanted } = keys.pushQueue(`push-${i}`)
      const of = await Promise.all([jobs, due, wanted].map((key) => link.commands.cluster('KEYSLOT', key)))
      expect(new Set(of).size).toBe(1)
      slots.push(Number(of[0]))
    }
    expect(new Set(slots).size).toBe(queuesOfCluster)
    expect(new Set(slots.map((slot) => Math.floor((3 * slot) / 16_384)))).toEqual(new Set([0, 1, 2]))
  })

  test('hold the jobs and banners of many users apart', async () => {
    const queue = queues()
    for (const seq of upTo(100)) await queue.add({ ...aBanner(seq), senderId: aUser() })
    await queue.want(upTo(100).map(aBanner))
    const lengths = await Promise.all(
      Array.from({ length: queuesOfCluster }, async (_, i) => {
        const { jobs, due } = keys.pushQueue(`push-${i}`)
        return [await link.commands.xlen(jobs), await link.commands.zcard(due)]
      }),
    )
    for (const kind of [0, 1]) {
      expect(lengths.reduce((sum, each) => sum + (each[kind] ?? 0), 0)).toBe(100)
      expect(Math.max(...lengths.map((each) => each[kind] ?? 0))).toBeLessThan(40)
    }
  })

  test('work off the jobs of nodes of earlier releases', async () => {
    const job = { ...aBanner(3), senderId: aUser() }
    const { userId: _userId, ...wanted } = job
    await earlier().add(wanted)
    const queue = queues()
    expect(await queue.backlog()).toMatchObject({ jobs: 1 })
    const taken = await queue.take(10)
    expect(taken.map((each) => each.job)).toEqual([wanted])
    await queue.done(taken)
    expect(await earlier().backlog()).toMatchObject({ jobs: 0 })
  })

  test('work off the banners of nodes of earlier releases, with what is wanted here since as one', async () => {
    const [one, other] = [aBanner(3), aBanner(5)]
    await earlier().want([one, other])
    const queue = queues()
    await queue.want([{ ...one, seq: 4 }])
    const claimed = await queue.claim(10, 1000)
    expect(claimed.map(({ userId, seq }) => [userId, seq]).sort()).toEqual(
      [
        [one.userId, 4],
        [other.userId, 5],
      ].sort(),
    )
    for (const banner of claimed) await queue.finish(banner)
    expect(await queue.backlog()).toEqual({ jobs: 0, banners: 0, oldestDueMs: 0 })
  })

  test('leave a banner to the node of an earlier release that is at it, and take it when its lease ends', async () => {
    const banner = aBanner(3)
    await earlier().want([banner])
    await earlier().claim(10, 5000)
    const queue = queues()
    expect(await queue.claim(10, 1000)).toEqual([])
    nowMs += 5000
    expect(await queue.claim(10, 1000)).toMatchObject([banner])
  })

  test('give what the others have while one does not answer, and fail only if nothing was found', async () => {
    const queue = queues()
    await queue.want(upTo(50).map(aBanner))
    const { due } = keys.pushQueue('push-3')
    const there = await link.commands.zcard(due)
    await link.commands.del(due)
    await link.commands.set(due, 'no sorted set')
    expect(await queue.claim(100, 1000)).toHaveLength(50 - there)
    await expect(queue.claim(100, 1000)).rejects.toThrow()
  })
})
