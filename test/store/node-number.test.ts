import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RedisLink } from '../../src/engine/redis/client.ts'
import { nodeNumberLimit } from '../../src/protocol/snowflake.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { createNodeNumber } from '../../src/store/redis/node-number.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'

let redis: RedisServer
let links: RedisLink[]

beforeAll(async () => {
  redis = await startRedis()
  links = [1, 2].map(() => createRedisStoreLink({ url: redis.url, commandTimeoutMs: 2500 }))
})
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()))
  await redis.stop()
})
beforeEach(() => redis.flush())

/** Draws these numbers, and then the last one again and again. */
function nodeThatDraws(node: number, ...numbers: number[]) {
  let drawn = 0
  const random = () => (numbers[Math.min(drawn++, numbers.length - 1)] ?? 0) / nodeNumberLimit
  return createNodeNumber(links[node] ?? expect.fail(), random)
}

test('two nodes that draw the same number have different ones', async () => {
  const [one, other] = [nodeThatDraws(0, 32_767), nodeThatDraws(1, 32_767, 32_767, 900)]
  await one.renew()
  await other.renew()
  expect([one.current(), other.current()]).toEqual([32_767, 900])
})

test('a node keeps its number, and of two that have the same after Redis forgot, the second to ask gets another', async () => {
  const one = nodeThatDraws(0, 5, 6)
  await one.renew()
  await one.renew()
  expect(one.current()).toBe(5)
  await redis.flush()
  const other = nodeThatDraws(1, 5)
  await other.renew()
  expect([one.current(), other.current()]).toEqual([5, 5])
  await one.renew()
  await other.renew()
  expect([one.current(), other.current()]).toEqual([6, 5])
})
