import { createRedisServer } from 'js-redis-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimitsMemory } from '../../src/store/embedded/soft-state/rate-limits.ts'
import { createRedisKeys, defaultKeyPrefix } from '../../src/store/redis/keys.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { createRateLimitsRedis } from '../../src/store/redis/rate-limits.ts'
import { aUser } from '../kit/ids.ts'
import { startRedis } from '../kit/services/redis.ts'
import { startRedisCluster } from '../kit/services/redis-cluster.ts'
import { type RateWorld, rateLimitsContract } from './contract/soft-state/rate-limits.ts'

type StoppableWorld = RateWorld & { stop(): Promise<void> }

const keys = createRedisKeys(defaultKeyPrefix)

function connect(url: string) {
  const links = [1, 2].map(() => createRedisStoreLink({ url, commandTimeoutMs: 2500 }))
  const [here, there] = links.map((link) => createRateLimitsRedis(link, keys)) as [
    RateWorld['here'],
    RateWorld['there'],
  ]
  const close = async () => void (await Promise.all(links.map((link) => link.close())))
  return { here, there, close, forget: async () => void (await links[0]?.commands.flushall()) }
}

const reallyPass = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms + 1))

const backends: { name: string; start(): Promise<StoppableWorld> }[] = [
  {
    name: 'redis-server',
    async start() {
      const redis = await startRedis()
      const { close, ...nodes } = connect(redis.url)
      return { ...nodes, pass: reallyPass, stop: () => close().then(redis.stop) }
    },
  },
  {
    name: 'js-redis-server',
    async start() {
      const server = await createRedisServer({ port: 0 })
      const { close, ...nodes } = connect(`redis://127.0.0.1:${server.port}`)
      return { ...nodes, pass: reallyPass, stop: () => close().then(server.close) }
    },
  },
  {
    name: 'a cluster of three',
    async start() {
      const cluster = await startRedisCluster()
      const { close, ...nodes } = connect(cluster.url)
      return { ...nodes, forget: cluster.flush, pass: reallyPass, stop: () => close().then(cluster.stop) }
    },
  },
  {
    name: 'memory',
    async start() {
      let nowMs = 1_800_000_000_000
      let buckets = createRateLimitsMemory({ monotonic: () => nowMs })
      const node: RateWorld['here'] = { draw: (...args) => buckets.draw(...args) }
      return {
        here: node,
        there: node,
        async forget() {
          buckets = createRateLimitsMemory({ monotonic: () => nowMs })
        },
        async pass(ms) {
          nowMs += ms
        },
        stop: async () => undefined,
      }
    },
  },
]

describe.each(backends)('the rate limits on $name', ({ start }) => {
  let world: StoppableWorld
  beforeAll(async () => {
    world = await start()
  })
  afterAll(() => world?.stop())
  rateLimitsContract(() => world)
})

test('Redis keeps a bucket no longer than it takes to fill', async () => {
  const redis = await startRedis()
  const { here, close } = connect(redis.url)
  const bucket = aUser()
  await here.draw(bucket, 3, { perSecond: 1, burst: 10 })
  const ttlMs = await redis.raw.pttl(keys.rate(bucket))
  expect(ttlMs).toBeGreaterThan(0)
  expect(ttlMs).toBeLessThanOrEqual(3000)
  await close()
  await redis.stop()
})
