import { describe, expect, it } from 'vitest'
import { readConstants, valuesOf } from '../../scripts/sizing/constants.ts'
import { type EventName, events, type Run, simulateFleet } from '../../scripts/sizing/simulate.ts'

const constants = valuesOf(readConstants())
const small: Omit<Run, 'event'> = {
  nodes: 3,
  devicesPerNode: 1000,
  messagesPerSecond: 300,
  busyShare: 0.3,
  seconds: 90,
  seed: 7,
}
const run = (event: EventName, other: Partial<Run> = {}, of = constants) =>
  simulateFleet({ ...small, event, ...other }, of)

describe('the simulated fleet', () => {
  it.each(Object.keys(events) as EventName[])('has everybody back and short lines again: %s', (event) => {
    const { allBackS, leftInLines, refusedAttaches, refusedSends, sends } = run(event)
    expect(allBackS).toBeLessThan(60)
    expect(leftInLines).toBeLessThan(100)
    expect(refusedAttaches + refusedSends).toBe(0)
    expect(sends).toBeGreaterThan(0.95 * small.messagesPerSecond * small.seconds)
  })

  it('is the same for the same seed, and not for another', () => {
    expect(run('zone')).toEqual(run('zone'))
    expect(run('zone', { seed: 8 })).not.toEqual(run('zone'))
  })

  it('loses the connections of a third of the nodes with a zone, and all in a storm', () => {
    expect(run('zone').maxAway).toBe(1000)
    expect(run('storm').maxAway).toBe(3000)
  })

  it('shows when it cannot be done: with a hundredfold cost the lines stay long', () => {
    const dear = {
      ...constants,
      attachCpuMs: 100 * constants.attachCpuMs,
      attachStreamCpuMs: 100 * constants.attachStreamCpuMs,
    }
    const { allBackS, leftInLines } = run('storm', {}, dear)
    expect(allBackS).toBeUndefined()
    expect(leftInLines).toBeGreaterThan(1000)
  })

  it('refuses at the limits of the code instead of growing without bounds', () => {
    const dear = { ...constants, directCpuMs: 100 }
    const { callLine, refusedSends } = run('nothing', { messagesPerSecond: 3000, seconds: 30 }, dear)
    expect(callLine).toBeLessThanOrEqual(20_000)
    expect(refusedSends).toBeGreaterThan(0)
  })
})
