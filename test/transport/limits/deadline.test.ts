import { expect, test } from 'vitest'
import { createOperations } from '../../../src/transport/execution/operations.ts'
import { createDeadline } from '../../../src/transport/limits/deadline.ts'
import { createManualClock } from '../kit.ts'

const deadlineMs = 2500
const late = { code: 'UNAVAILABLE' }

function createCountedClock() {
  const manual = createManualClock()
  const sleeps: number[] = []
  const sleep = (ms: number, signal?: AbortSignal) => {
    sleeps.push(ms)
    return manual.sleep(ms, signal)
  }
  return { ...manual, sleep, sleeps }
}

/** Done when it is told to be. */
function createWork<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onDone, onFailed) => {
    resolve = onDone
    reject = onFailed
  })
  return { promise, resolve, reject }
}

/** What became of it: nothing yet, what it came to, or the code of its error. */
function outcomeOf(promise: Promise<unknown>) {
  const outcome: { is?: unknown } = {}
  promise.then(
    (value) => {
      outcome.is = value
    },
    (error) => {
      outcome.is = error.code ?? error.message
    },
  )
  return outcome
}

test('work that is in time has its own outcome', async () => {
  const clock = createCountedClock()
  const inDeadline = createDeadline(clock, deadlineMs)
  await expect(inDeadline(Promise.resolve('done'))).resolves.toBe('done')
  await expect(inDeadline(Promise.reject(new Error('its own')))).rejects.toThrow('its own')
  await expect(inDeadline(Promise.resolve(undefined))).resolves.toBeUndefined()
})

test('work that is late is UNAVAILABLE at its time and not before, and goes on', async () => {
  const clock = createCountedClock()
  const work = createWork<string>()
  const outcome = outcomeOf(createDeadline(clock, deadlineMs)(work.promise))
  await clock.advance(deadlineMs - 1)
  expect(outcome).toEqual({})
  await clock.advance(1)
  expect(outcome).toEqual({ is: 'UNAVAILABLE' })
  work.resolve('late')
  await expect(work.promise).resolves.toBe('late')
  await clock.advance(1)
  expect(outcome).toEqual({ is: 'UNAVAILABLE' })
})

test('work that fails after its time makes no noise', async () => {
  const clock = createCountedClock()
  const work = createWork<string>()
  const given = createDeadline(clock, deadlineMs)(work.promise)
  const refused = expect(given).rejects.toMatchObject(late)
  await clock.advance(deadlineMs)
  await refused
  work.reject(new Error('late'))
  await clock.advance(1)
})

test('each has its own time, whoever is done before it', async () => {
  const clock = createCountedClock()
  const inDeadline = createDeadline(clock, deadlineMs)
  const works = [0, 1, 2, 3].map(() => createWork<string>())
  const outcomes = []
  for (const { promise } of works) {
    outcomes.push(outcomeOf(inDeadline(promise)))
    await clock.advance(1000)
  }
  // 4000: the first two were late at 2500 and 3500, the others will be at 4500 and 5500.
  expect(outcomes.map(({ is }) => is)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', undefined, undefined])
  works[2]?.resolve('in time')
  await clock.advance(1499)
  expect(outcomes.slice(2).map(({ is }) => is)).toEqual(['in time', undefined])
  await clock.advance(1)
  expect(outcomes[3]?.is).toBe('UNAVAILABLE')
})

test('one that comes when all before it are done and the timer still runs has its full time', async () => {
  const clock = createCountedClock()
  const inDeadline = createDeadline(clock, deadlineMs)
  await inDeadline(Promise.resolve())
  await clock.advance(2000)
  const outcome = outcomeOf(inDeadline(new Promise(() => undefined)))
  await clock.advance(deadlineMs - 1)
  expect(outcome).toEqual({})
  await clock.advance(1)
  expect(outcome).toEqual({ is: 'UNAVAILABLE' })
})

test('thousands at once have one timer, and each its own outcome', async () => {
  const clock = createCountedClock()
  const inDeadline = createDeadline(clock, deadlineMs)
  const works = Array.from({ length: 3000 }, () => createWork<number>())
  const outcomes = works.map(({ promise }) => outcomeOf(inDeadline(promise)))
  expect(clock.sleeps).toEqual([deadlineMs])
  for (const [i, { resolve }] of works.entries()) if (i % 3 !== 0) resolve(i)
  await clock.advance(deadlineMs)
  expect(clock.sleeps).toHaveLength(1)
  expect(outcomes.map(({ is }) => is)).toEqual(works.map((_work, i) => (i % 3 === 0 ? 'UNAVAILABLE' : i)))
})

test('an operation that has nothing to wait for is answered in its turn, without a timer', () => {
  const clock = createCountedClock()
  const operations = createOperations(clock, deadlineMs)
  expect(operations.run((of: number) => of + 1, 1)).toBe(2)
  expect(clock.sleeps).toEqual([])
})

test('a drain waits for what is late, though nobody else does', async () => {
  const clock = createCountedClock()
  const operations = createOperations(clock, deadlineMs)
  const work = createWork<string>()
  const outcome = outcomeOf(operations.run(() => work.promise, undefined) as Promise<string>)
  await clock.advance(deadlineMs)
  expect(outcome).toEqual({ is: 'UNAVAILABLE' })
  const drained = outcomeOf(operations.drain(10_000).then(() => 'drained'))
  expect(() => operations.start(() => 1, undefined)).toThrow(expect.objectContaining(late))
  await clock.advance(1000)
  expect(drained).toEqual({})
  work.resolve('done')
  await clock.advance(1)
  await expect.poll(() => drained).toEqual({ is: 'drained' })
})
