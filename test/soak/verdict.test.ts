import { describe, expect, it } from 'vitest'
import { driftsOf, type Sample } from './verdict.ts'

const minuteMs = 60_000
const hour = (heapAt: (minute: number) => number): Sample[] =>
  Array.from({ length: 360 }, (_, i) => ({
    atMs: i * 10_000,
    node: 0,
    rss: 200,
    heapUsed: heapAt((i * 10_000) / minuteMs),
    external: 0,
    handles: 50,
    cpuMs: 0,
    redisBytes: 0,
  }))
const heap = (samples: Sample[]) => driftsOf(samples, 60 * minuteMs).find(({ measure }) => measure === 'heapUsed')

describe('the verdict over an hour', () => {
  it('calls a level line flat', () => {
    expect(heap(hour(() => 100))).toMatchObject({ ratio: 1, flat: true })
  })

  it('finds a leak of a fifth an hour', () => {
    expect(heap(hour((minute) => 100 + minute / 3))).toMatchObject({ flat: false })
  })

  it('leaves out what is warming up', () => {
    expect(heap(hour((minute) => Math.min(minute, 10) * 10))).toMatchObject({ ratio: 1, flat: true })
  })

  it('is not led astray by a single peak', () => {
    expect(heap(hour((minute) => (minute === 55 ? 900 : 100)))).toMatchObject({ flat: true })
  })

  it('does not call it flat when nothing was measured', () => {
    expect(
      driftsOf(
        hour(() => Number.NaN),
        60 * minuteMs,
      ).find(({ measure }) => measure === 'heapUsed')?.flat,
    ).toBe(false)
  })
})
