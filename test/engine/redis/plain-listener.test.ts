import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createRedisLink, type RedisLink } from '../../../src/engine/redis/client.ts'
import type { PlainListener } from '../../../src/engine/redis/plain-listener.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'
import { type RedisCluster, startRedisCluster } from '../../kit/services/redis-cluster.ts'

const eventually = (reached: () => void | Promise<void>) => vi.waitFor(reached, { timeout: 60_000, interval: 20 })
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

function connect(url: string): PlainListener {
  const link: RedisLink = createRedisLink({ url, channelPrefix: 'app:', clusterPubSub: 'plain' })
  undo.push(link.close)
  return link.plain ?? expect.fail('Nothing plain is heard.')
}

/** Counts the gaps that are told. */
function gapsOf(link: PlainListener): { count: number } {
  const gaps = { count: -1 }
  link.watch({
    lost: () => undefined,
    restored: () => {
      gaps.count += 1
    },
  })
  return gaps
}

const hearing = (link: PlainListener) => eventually(() => expect(link.hears()).toBe(true))

describe('on a single Redis', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  const publishesOf = async () =>
    Number(/cmdstat_publish:calls=(\d+)/.exec(await redis.raw.info('commandstats'))?.[1] ?? 0)

  test('a probe is published and heard again, one command at a time', async () => {
    const link = connect(redis.url)
    await hearing(link)
    const probes: string[] = []
    link.subscriber.on('message', (channel: string, probe: string) => {
      if (channel.startsWith('app:probe:')) probes.push(probe)
    })
    const before = await publishesOf()
    await eventually(() => expect(probes.length).toBeGreaterThanOrEqual(2))
    expect((await publishesOf()) - before).toBeLessThanOrEqual(probes.length + 1)
  })

  test('a connection that stands and hears nothing is given up, and a gap is told', async () => {
    const link = connect(redis.url)
    await hearing(link)
    const gaps = gapsOf(link)
    await link.subscriber.unsubscribe()
    await eventually(() => expect(gaps.count).toBe(1))
    await hearing(link)
  })

  test('while Redis is frozen nothing is heard, and the link says so', async () => {
    const link = connect(redis.url)
    await hearing(link)
    redis.pause()
    await eventually(() => expect(link.hears()).toBe(false))
    redis.resume()
    await hearing(link)
  })
})

describe('on a cluster', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs: 2000, cuttable: true })
  })
  afterAll(() => cluster?.stop())

  async function listening() {
    const link = connect(cluster.url)
    await hearing(link)
    await link.subscriber.subscribe('app:news')
    const gaps = gapsOf(link)
    const at = () => cluster.nodeAt(link.subscriber.options.port ?? 0)
    const texts: string[] = []
    link.subscriber.on('message', (_channel: string, text: string) => texts.push(text))
    /** Resolves when what another process publishes is heard. */
    const hears = (text: string) =>
      eventually(async () => {
        // At every node, and without waiting: one that is frozen does not answer.
        for (const { raw } of cluster.nodes) raw.publish('app:news', text).catch(() => undefined)
        expect(texts).toContain(text)
      })
    return { link, gaps, at, hears }
  }

  test('a node that is frozen is left for another, and a gap is told', async () => {
    const { gaps, at, hears } = await listening()
    const node = at()
    node.pause()
    undo.push(async () => {
      node.resume()
      await cluster.settled()
    })
    await eventually(() => expect(gaps.count).toBeGreaterThan(0))
    await hears('after the freeze')
    expect(at()).not.toBe(node)
  })

  test('a node that is cut off from the others is left for another, although it answers', async () => {
    const { gaps, at, hears } = await listening()
    const node = at()
    const heal = cluster.cutOff(node)
    undo.push(async () => {
      heal()
      await cluster.settled()
    })
    await eventually(() => expect(gaps.count).toBeGreaterThan(0))
    await hears('after the cut')
    expect(at()).not.toBe(node)
  })
})
