import { expect, test } from 'vitest'
import { systemTimers, timersOf } from '../../src/shared/timers.ts'

test('a timer of the process runs', async () => {
  await new Promise<void>((resolve) => systemTimers.start(1, resolve).hold())
})

test('a timer that is cancelled does not run, also in the moment between its time and its run', async () => {
  const runs: string[] = []
  systemTimers.start(0, () => runs.push('cancelled at once')).cancel()
  await new Promise<void>((resolve) => {
    const late = systemTimers.start(1, () => runs.push('cancelled late'))
    setTimeout(() => {
      late.cancel()
      setTimeout(resolve, 1)
    }, 1)
    // Both are due when the event loop looks at timers next: the second one cancels while the first waits for its immediate.
    for (const startMs = performance.now(); performance.now() < startMs + 5; );
  })
  expect(runs).toEqual([])
})

test('only a timer that is held keeps a process alive', () => {
  const holding = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = holding()
  const timer = systemTimers.start(60_000, () => undefined)
  expect(holding()).toBe(before)
  timer.hold()
  expect(holding()).toBe(before + 1)
  timer.release()
  expect(holding()).toBe(before)
  timer.cancel()
})

test('timers that go by a clock run when its sleep is over, and not when they were cancelled', async () => {
  const sleeps: { ms: number; wake: () => void }[] = []
  const timers = timersOf({
    monotonic: () => 42,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        sleeps.push({ ms, wake })
        signal?.addEventListener('abort', () => wake())
      }),
  })
  expect(timers.monotonic()).toBe(42)
  const runs: string[] = []
  timers.start(1000, () => runs.push('kept'))
  timers.start(2000, () => runs.push('cancelled')).cancel()
  for (const { wake } of sleeps) wake()
  await new Promise(setImmediate)
  expect(sleeps.map(({ ms }) => ms)).toEqual([1000, 2000])
  expect(runs).toEqual(['kept'])
})
