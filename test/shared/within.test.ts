import { describe, expect, test } from 'vitest'
import { createDeadlineQueue } from '../../src/shared/deadline-queue.ts'
import { systemTimers, type Timers } from '../../src/shared/timers.ts'
import { type LateError, within, withinQueue } from '../../src/shared/within.ts'
import { createManualTimers } from './manual-timers.ts'

type Within = <T>(ms: number, work: Promise<T>, lateError: LateError) => Promise<T>

const ways: [name: string, open: (timers: Timers) => Within][] = [
  ['within', (timers) => (ms, work, lateError) => within(timers, ms, work, lateError)],
  [
    'withinQueue',
    (timers) => {
      const queue = createDeadlineQueue(timers)
      return (ms, work, lateError) => withinQueue(queue, ms, work, lateError)
    },
  ],
]

const late = () => new Error('late')
const never = new Promise<never>(() => undefined)
const turn = () => new Promise(setImmediate)

describe.each(ways)('%s', (_name, open) => {
  const openRoom = () => {
    const manual = createManualTimers()
    return { ...manual, within: open(manual.timers) }
  }

  test('work that is in time has its own outcome', async () => {
    const { within } = openRoom()
    await expect(within(1000, Promise.resolve('done'), late)).resolves.toBe('done')
    await expect(within(1000, Promise.resolve(undefined), late)).resolves.toBeUndefined()
    await expect(within(1000, Promise.reject(new Error('its own')), late)).rejects.toThrow('its own')
  })

  test('work that is late fails at its time and not before', async () => {
    const { within, advance } = openRoom()
    let outcome = 'none yet'
    within(1000, never, late).catch((error) => {
      outcome = error.message
    })
    advance(999)
    await turn()
    expect(outcome).toBe('none yet')
    advance(1)
    await turn()
    expect(outcome).toBe('late')
  })

  test('work that fails after its time makes no noise', async () => {
    const { within, advance } = openRoom()
    let fail: (error: Error) => void = () => undefined
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    const refused = expect(within(1000, work, late)).rejects.toThrow('late')
    advance(1000)
    await refused
    fail(new Error('too late'))
    await turn()
  })

  test('work that ends before a promised error is there has the last word', async () => {
    const { within, advance } = openRoom()
    let finish: (value: string) => void = () => undefined
    const work = new Promise<string>((resolve) => {
      finish = resolve
    })
    const outcome = within(1000, work, async () => {
      finish('status 500')
      await turn()
      return late()
    })
    advance(1000)
    await expect(outcome).resolves.toBe('status 500')
  })

  test('a promised error is the outcome where the work says nothing', async () => {
    const { within, advance } = openRoom()
    const refused = expect(within(1000, never, async () => late())).rejects.toThrow('late')
    advance(1000)
    await refused
  })
})

test('within works with the timers of the process', async () => {
  await expect(within(systemTimers, 60_000, Promise.resolve('done'), late)).resolves.toBe('done')
  await expect(within(systemTimers, 1, never, late)).rejects.toThrow('late')
})

test('within leaves no timer behind, and holds the process until then', async () => {
  const { timers, running, isHeld } = createManualTimers()
  let finish: () => void = () => undefined
  const outcome = within(timers, 1000, new Promise<void>((resolve) => (finish = resolve)), late)
  expect(isHeld()).toBe(true)
  finish()
  await outcome
  expect(running()).toBe(0)
})

test('thousands within a queue share one timer, and each has its own outcome', async () => {
  const { timers, startedMs, advance } = createManualTimers()
  const queue = createDeadlineQueue(timers)
  const works = Array.from({ length: 3000 }, (_, i) =>
    withinQueue(queue, 1000, i % 3 ? Promise.resolve(i) : never, late),
  )
  const settled = Promise.allSettled(works)
  await turn()
  advance(1000)
  expect(startedMs).toEqual([1000])
  expect((await settled).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'late'))).toEqual(
    works.map((_work, i) => (i % 3 ? i : 'late')),
  )
})
