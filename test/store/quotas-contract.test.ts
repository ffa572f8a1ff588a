import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Quotas } from '../../src/ports/quotas.ts'
import { createQuotasMemory } from '../../src/store/embedded/soft-state/quotas.ts'
import { createRedisKeys, defaultKeyPrefix } from '../../src/store/redis/keys.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { createQuotasRedis } from '../../src/store/redis/quotas.ts'
import { aUser } from '../kit/ids.ts'
import { startRedis } from '../kit/services/redis.ts'

type Opened = { quotas: Quotas; close(): Promise<void> }

async function openRedis(): Promise<Opened> {
  const redis = await startRedis()
  const link = createRedisStoreLink({ url: redis.url, commandTimeoutMs: 2500 })
  const close = async () => {
    await link.close()
    await redis.stop()
  }
  return { quotas: createQuotasRedis(link, createRedisKeys(defaultKeyPrefix)), close }
}

describe.each([
  ['Redis', openRedis],
  [
    'memory',
    async (): Promise<Opened> => ({ quotas: createQuotasMemory({ now: Date.now }), close: async () => undefined }),
  ],
])('quotas on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  const take = (quota: string, count: number, perHour = 10) => opened.quotas.take(quota, count, perHour)

  test('all that is wanted is taken, or nothing, and it is said how long that takes', async () => {
    const quota = aUser()
    expect(await take(quota, 6)).toEqual({ retryAfterMs: 0 })
    const { retryAfterMs } = await take(quota, 8)
    // Four are missing, which takes 24 minutes, less what has come back since.
    expect(retryAfterMs).toBeGreaterThan(23 * 60_000)
    expect(retryAfterMs).toBeLessThanOrEqual(24 * 60_000)
    expect(await take(quota, 4)).toEqual({ retryAfterMs: 0 })
    expect((await take(quota, 1)).retryAfterMs).toBeGreaterThan(0)
  })

  test('nobody takes from the quota of another', async () => {
    const [one, other] = [aUser(), aUser()]
    await take(one, 10)
    expect(await take(other, 10)).toEqual({ retryAfterMs: 0 })
  })
})
