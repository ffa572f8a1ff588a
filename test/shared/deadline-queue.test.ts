import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDeadlineQueue, type DeadlineQueueOptions } from '../../src/shared/deadline-queue.ts'
import { createManualTimers } from './manual-timers.ts'

function createRoom(options: DeadlineQueueOptions = { resolutionMs: 100 }) {
  const manual = createManualTimers()
  const queue = createDeadlineQueue(manual.timers, options)
  const calls: [name: string, atMs: number][] = []
  return {
    ...manual,
    queue,
    calls,
    names: () => calls.map(([name]) => name),
    add: (dueMs: number, name = `at ${dueMs}`, then: () => void = () => undefined) =>
      queue.add(
        {
          onDue() {
            calls.push([name, manual.timers.monotonic()])
            then()
          },
        },
        dueMs,
      ),
  }
}

test('nothing is due early, and everything at most its resolution late', () => {
  const { add, calls, advance } = createRoom()
  const times = [1, 99, 100, 101, 250, 1000, 1001, 86_400_000 * 40 + 17]
  for (const dueMs of times) add(dueMs)
  advance(86_400_000 * 41)
  expect(calls.map(([name]) => name)).toEqual(times.map((dueMs) => `at ${dueMs}`))
  for (const [i, [, atMs]] of calls.entries()) {
    expect(atMs).toBeGreaterThanOrEqual(times[i] as number)
    expect(atMs).toBeLessThan((times[i] as number) + 100)
  }
})

test('an earlier one that is added later is due first', () => {
  const { add, names, advance } = createRoom()
  add(5000)
  advance(100)
  add(3000)
  add(1000)
  advance(1000)
  expect(names()).toEqual(['at 1000'])
  advance(4000)
  expect(names()).toEqual(['at 1000', 'at 3000', 'at 5000'])
})

test('what is removed is not due, and the others of that time are', () => {
  const { add, queue, names, advance } = createRoom()
  const one = add(1000, 'one')
  add(1000, 'other')
  const alone = add(500, 'alone')
  expect([queue.remove(one), queue.remove(alone)]).toEqual([true, true])
  advance(2000)
  expect(names()).toEqual(['other'])
})

test('remove tells whether it was in time', () => {
  const { add, queue, advance } = createRoom()
  const [removed, due] = [add(1000), add(1000)]
  expect(queue.remove(removed)).toBe(true)
  expect(queue.remove(removed)).toBe(false)
  advance(1000)
  expect(queue.remove(due)).toBe(false)
})

test('one is added after all others were removed, and one after all were due', () => {
  const { add, queue, names, advance } = createRoom()
  queue.remove(add(1000))
  add(4000)
  advance(5000)
  add(6000)
  advance(1000)
  expect(names()).toEqual(['at 4000', 'at 6000'])
})

test('one that is over already is due in a moment', () => {
  const { add, names, advance } = createRoom()
  add(-1000)
  expect(names()).toEqual([])
  advance(0)
  expect(names()).toEqual(['at -1000'])
})

test('whoever is due may add the next, for then or for now, and remove a neighbour', () => {
  const { add, queue, names, advance } = createRoom()
  add(1000, 'first', () => {
    add(900, 'over')
    add(1000, 'same')
    add(1500, 'second')
    queue.remove(neighbour)
  })
  const neighbour = add(1000, 'neighbour')
  add(1000, 'last')
  advance(1000)
  expect(names().toSorted()).toEqual(['first', 'last', 'over', 'same'])
  advance(500)
  expect(names()).toHaveLength(5)
  expect(names().at(-1)).toBe('second')
})

test('one that throws does not keep the others from being due', () => {
  const { add, names, advance } = createRoom()
  add(1000, 'throws', () => {
    throw new Error('of its own')
  })
  add(1000, 'same time')
  add(2000, 'later')
  expect(() => advance(1000)).toThrow('of its own')
  advance(2000)
  expect(names()).toEqual(['throws', 'same time', 'later'])
})

test('thousands that come and go take one timer for as long as they may take', () => {
  const { add, queue, startedMs, advance } = createRoom({ resolutionMs: 10 })
  for (let i = 0; i < 5000; i += 1) {
    const deadline = add(i / 10 + 1000)
    queue.remove(deadline)
    if (i % 10 === 0) advance(1)
  }
  expect(startedMs).toEqual([1000])
})

test('a day at most is slept at once: timers hold no more than 2^31 ms', () => {
  const { add, names, startedMs, advance } = createRoom()
  add(40 * 86_400_000, 'in forty days')
  advance(40 * 86_400_000 - 1)
  expect(names()).toEqual([])
  expect(Math.max(...startedMs)).toBe(86_400_000)
  advance(1)
  expect(names()).toEqual(['in forty days'])
})

test('nothing is due once the queue is closed, and no timer stays', () => {
  const { add, queue, names, running, advance } = createRoom()
  add(1000)
  queue.close()
  add(500)
  expect(running()).toBe(0)
  advance(2000)
  expect(names()).toEqual([])
})

test('the process is held while there is a deadline, if the queue is told to', () => {
  const { add, queue, isHeld, running, advance } = createRoom({ holdsProcess: true })
  const one = add(1000)
  const other = add(2000)
  expect(isHeld()).toBe(true)
  queue.remove(one)
  expect(isHeld()).toBe(true)
  queue.remove(other)
  expect(running()).toBe(1)
  expect(isHeld()).toBe(false)
  add(3000)
  expect(isHeld()).toBe(true)
  advance(3000)
  expect(isHeld()).toBe(false)
})

test('the process is not held otherwise', () => {
  const { add, isHeld } = createRoom()
  add(1000)
  expect(isHeld()).toBe(false)
})

test('any deadlines, added and removed in any order, are due as a list of them says', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: -50, max: 3000 }) }),
    fc.record({ remove: fc.nat(200) }),
    fc.record({ advance: fc.integer({ min: 0, max: 700 }) }),
  )
  const resolutions = fc.constantFrom(1, 10, 100)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), resolutions, (steps, resolutionMs) => {
      const { queue, timers, advance } = createRoom({ resolutionMs })
      const expected = new Map<number, number>()
      const due: number[] = []
      const deadlines: ReturnType<typeof queue.add>[] = []
      for (const each of steps) {
        if ('add' in each) {
          const id = deadlines.length
          const dueMs = timers.monotonic() + each.add
          expected.set(id, Math.ceil(dueMs / resolutionMs) * resolutionMs)
          deadlines.push(queue.add({ onDue: () => void due.push(id) }, dueMs))
        } else if ('remove' in each) {
          const id = each.remove % Math.max(1, deadlines.length)
          const deadline = deadlines[id]
          if (deadline) expect(queue.remove(deadline)).toBe(expected.delete(id))
        } else {
          advance(each.advance)
          const over = [...expected].filter(([, dueMs]) => dueMs <= timers.monotonic()).map(([id]) => id)
          for (const id of over) expected.delete(id)
          expect(due.splice(0).toSorted((a, b) => a - b)).toEqual(over)
        }
      }
    }),
  )
})
