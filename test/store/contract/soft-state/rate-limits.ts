import { expect, test } from 'vitest'
import type { RateLimits } from '../../../../src/ports/rate-limits.ts'
import { aUser } from '../../../kit/ids.ts'

export type RateWorld = {
  /** Two nodes that share the buckets. */
  here: RateLimits
  there: RateLimits
  forget(): Promise<void>
  /** Resolves when that much time has passed for the buckets. */
  pass(ms: number): Promise<void>
}

export function rateLimitsContract(world: () => RateWorld): void {
  const here = () => world().here
  const there = () => world().there
  /** It is so slow that no token comes back while a test runs. */
  const slow = { perSecond: 0.001, burst: 10 }

  test('a new bucket is full, and every node draws from it', async () => {
    const bucket = aUser()
    expect(await here().draw(bucket, 4, slow)).toEqual({ tokens: 4, retryAfterMs: 0 })
    expect(await there().draw(bucket, 4, slow)).toEqual({ tokens: 4, retryAfterMs: 0 })
    expect(await here().draw(bucket, 4, slow)).toEqual({ tokens: 2, retryAfterMs: 0 })
  })

  test('an empty one says when to come back, and does not fill later for being asked', async () => {
    const bucket = aUser()
    await here().draw(bucket, 10, slow)
    for (const node of [here(), there(), here()]) {
      const { tokens, retryAfterMs } = await node.draw(bucket, 1, slow)
      expect(tokens).toBe(0)
      expect(retryAfterMs).toBeGreaterThan(900_000)
      expect(retryAfterMs).toBeLessThanOrEqual(1_000_000)
    }
  })

  test('it fills with time, and a token is there when it was said to be', async () => {
    const bucket = aUser()
    const rate = { perSecond: 20, burst: 2 }
    await here().draw(bucket, 2, rate)
    const { tokens, retryAfterMs } = await there().draw(bucket, 1, rate)
    if (tokens === 0) {
      expect(retryAfterMs).toBeLessThanOrEqual(50)
      await world().pass(retryAfterMs)
      expect((await there().draw(bucket, 1, rate)).tokens).toBe(1)
    }
  })

  test('it never holds more than the burst', async () => {
    const bucket = aUser()
    const rate = { perSecond: 1000, burst: 3 }
    await here().draw(bucket, 1, rate)
    await world().pass(20)
    expect((await here().draw(bucket, 100, rate)).tokens).toBe(3)
  })

  test('nobody draws from the bucket of another', async () => {
    const [one, other] = [aUser(), aUser()]
    await here().draw(one, 10, slow)
    expect((await here().draw(other, 10, slow)).tokens).toBe(10)
  })

  test('of many draws at once only so many get something', async () => {
    const bucket = aUser()
    const draws = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? here() : there()).draw(bucket, 1, slow)),
    )
    expect(draws.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(10)
  })

  test('one that is forgotten is full', async () => {
    const bucket = aUser()
    await here().draw(bucket, 10, slow)
    await world().forget()
    expect((await there().draw(bucket, 10, slow)).tokens).toBe(10)
  })
}
