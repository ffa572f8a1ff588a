import { expect, onTestFinished, test } from 'vitest'
import { createAlarms } from '../../../src/transport/limits/alarms.ts'
import { createManualClock } from '../kit.ts'

/** The first of what happens is at 0. */
function createRoom() {
  const manual = createManualClock()
  const startMs = manual.now()
  let sleeps = 0
  const clock = {
    ...manual,
    sleep(ms: number, signal?: AbortSignal) {
      sleeps += 1
      return manual.sleep(ms, signal)
    },
  }
  const stopped = new AbortController()
  onTestFinished(() => stopped.abort())
  const alarms = createAlarms(clock, stopped.signal)
  const rings: [name: string, atMs: number][] = []
  const ringer = (name: string, then: () => void = () => undefined) => ({
    ring() {
      rings.push([name, clock.now() - startMs])
      then()
    },
  })
  return {
    rings,
    ringer,
    stop: () => stopped.abort(),
    sleeps: () => sleeps,
    names: () => rings.map(([name]) => name),
    set: (atMs: number, each = ringer(`at ${atMs}`)) => alarms.set(startMs + atMs, each),
    unset: (atMs: number, each: { ring(): void }) => alarms.unset(startMs + atMs, each),
    advance: (ms: number) => clock.advance(ms),
  }
}

test('nobody is rung early, and everybody at most a tick late', async () => {
  const { set, rings, advance } = createRoom()
  const times = [1, 99, 100, 101, 250, 1000, 1001, 86_400_000 * 40 + 17]
  for (const atMs of times) set(atMs)
  await advance(86_400_000 * 41)
  expect(rings.map(([name]) => name)).toEqual(times.map((atMs) => `at ${atMs}`))
  for (const [i, [, atMs]] of rings.entries()) {
    expect(atMs).toBeGreaterThanOrEqual(times[i] as number)
    expect(atMs).toBeLessThan((times[i] as number) + 100)
  }
})

test('an earlier one that is set later rings first', async () => {
  const { set, names, advance } = createRoom()
  set(5000)
  await advance(100)
  set(3000)
  set(1000)
  await advance(1000)
  expect(names()).toEqual(['at 1000'])
  await advance(4000)
  expect(names()).toEqual(['at 1000', 'at 3000', 'at 5000'])
})

test('whoever is unset is not rung, and the others of that tick are', async () => {
  const { set, unset, ringer, names, advance } = createRoom()
  const [one, other, alone] = [ringer('one'), ringer('other'), ringer('alone')]
  set(1000, one)
  set(1000, other)
  set(500, alone)
  unset(1000, one)
  unset(500, alone)
  await advance(2000)
  expect(names()).toEqual(['other'])
})

test('one is set after all others were unset, and one after all have rung', async () => {
  const { set, unset, ringer, names, advance } = createRoom()
  const first = ringer('first')
  set(1000, first)
  unset(1000, first)
  set(4000)
  await advance(5000)
  set(6000)
  await advance(1000)
  expect(names()).toEqual(['at 4000', 'at 6000'])
})

test('one that is over already rings at once', async () => {
  const { set, names } = createRoom()
  set(-1000)
  expect(names()).toEqual(['at -1000'])
})

test('whoever is rung may set the next, for then or for now', async () => {
  const { set, ringer, names, advance } = createRoom()
  set(
    1000,
    ringer('first', () => {
      set(900, ringer('late'))
      set(1500, ringer('second'))
    }),
  )
  await advance(1000)
  expect(names()).toEqual(['first', 'late'])
  await advance(500)
  expect(names()).toEqual(['first', 'late', 'second'])
})

test('a thousand who are set in order take one sleep', async () => {
  const { set, names, sleeps, advance } = createRoom()
  for (let i = 0; i < 1000; i += 1) set(1000 + i / 100)
  expect(sleeps()).toBe(1)
  await advance(1100)
  expect(names()).toHaveLength(1000)
  expect(sleeps()).toBeLessThanOrEqual(2)
})

test('nobody is rung once it is stopped', async () => {
  const { set, stop, names, advance } = createRoom()
  set(1000)
  stop()
  await advance(2000)
  set(3000)
  await advance(2000)
  expect(names()).toEqual([])
})
