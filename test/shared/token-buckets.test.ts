import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBuckets } from '../../src/shared/token-buckets.ts'

function createRoom() {
  let nowMs = 1000
  const buckets = new TokenBuckets(() => nowMs)
  return {
    buckets,
    pass(ms: number): void {
      nowMs += ms
    },
  }
}

const refill = { perMs: 0.01, burst: 10 }

test('a new bucket is full, and gives what it has', () => {
  const { buckets } = createRoom()
  expect(buckets.take('a', 4, 1, refill)).toEqual({ tokens: 4, retryAfterMs: 0 })
  expect(buckets.take('a', 20, 1, refill)).toEqual({ tokens: 6, retryAfterMs: 0 })
  expect(buckets.take('a', 1, 1, refill)).toEqual({ tokens: 0, retryAfterMs: 100 })
  expect(buckets.take('b', 20, 1, refill)).toEqual({ tokens: 10, retryAfterMs: 0 })
})

test('all or nothing: a refusal takes nothing, and its time is enough', () => {
  const { buckets, pass } = createRoom()
  expect(buckets.take('a', 7, 7, refill)).toEqual({ tokens: 7, retryAfterMs: 0 })
  expect(buckets.take('a', 5, 5, refill)).toEqual({ tokens: 0, retryAfterMs: 200 })
  pass(199)
  expect(buckets.take('a', 5, 5, refill)).toEqual({ tokens: 0, retryAfterMs: 1 })
  pass(1)
  expect(buckets.take('a', 5, 5, refill)).toEqual({ tokens: 5, retryAfterMs: 0 })
})

test('a clock that is set back gives nothing and takes nothing', () => {
  const { buckets, pass } = createRoom()
  buckets.take('a', 10, 1, refill)
  pass(-500)
  expect(buckets.take('a', 1, 1, refill)).toEqual({ tokens: 0, retryAfterMs: 100 })
})

test('a bucket that is full again is forgotten', () => {
  const { buckets, pass } = createRoom()
  for (let i = 0; i < 100; i += 1) buckets.take(`one of many ${i}`, 10, 1, refill)
  pass(20_000)
  buckets.take('another', 1, 1, refill)
  expect(buckets.size).toBe(1)
})

test('never more is given than a full bucket and what came back since', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ passMs: fc.nat(3000), wanted: fc.integer({ min: 1, max: 15 }), all: fc.boolean() })),
      (draws) => {
        const { buckets, pass } = createRoom()
        let given = 0
        let passedMs = 0
        for (const { passMs, wanted, all } of draws) {
          pass(passMs)
          passedMs += passMs
          given += buckets.take('a', wanted, all ? wanted : 1, refill).tokens
          expect(given).toBeLessThanOrEqual(refill.burst + passedMs * refill.perMs + 1e-6)
        }
      },
    ),
  )
})
