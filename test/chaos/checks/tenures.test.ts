import { describe, expect, it } from 'vitest'
import { earliestOf } from './tenures.ts'

describe('the time of a row', () => {
  const clocks = [
    { node: 'node 1', fromMs: 1000, offsetMs: 20_000 },
    { node: 'node 2', fromMs: 5000, offsetMs: -8000 },
    { node: 'node 1', fromMs: 9000, offsetMs: 0 },
  ]

  it('is when it was drafted, where no clock was set', () => expect(earliestOf(24_000, [])).toBe(24_000))

  it('may be of a clock that was ahead then', () => expect(earliestOf(24_000, clocks)).toBe(4000))

  it('is of no clock that was not ahead yet, or not any more', () => {
    expect(earliestOf(15_000, clocks)).toBe(15_000)
    expect(earliestOf(40_000, clocks)).toBe(40_000)
  })
})
