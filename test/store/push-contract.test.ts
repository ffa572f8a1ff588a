import { Redis } from 'ioredis'
import { createRedisServer } from 'js-redis-server'
import { afterAll, beforeAll, describe } from 'vitest'
import type { Clock } from '../../src/ports/clock.ts'
import type { Banners, PushQueue } from '../../src/ports/push.ts'
import { createBannersMemory } from '../../src/store/embedded/soft-state/banners.ts'
import { createPushQueueMemory } from '../../src/store/embedded/soft-state/push-queue.ts'
import { createBannersRedis } from '../../src/store/redis/banners.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { createPushQueueRedis } from '../../src/store/redis/push-queue.ts'
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
      return { here: createPushQueueRedis(here, keys, options), there: createPushQueueRedis(there, keys, options) }
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
