import type { Clock } from '../../src/ports/clock.ts'
import type { Random } from './random.ts'

// Owns every await of a simulated run. Code that waits registers a step; the loop picks one at random, lets everything that
// follows from it run until it waits again, and picks the next. Time passes only when it says so.

/** The owner of a step: a node, a client or the network. A dead owner never goes on. `clockOffMs` says by how much its wall clock is off. */
export type Owner = { readonly name: string; alive: boolean; clockOffMs?: number }

/** `monotonic` never steps, even when the wall clock does. */
type SimulatedClock = Clock & { monotonic(): number }

type Step = { owner: Owner; go: () => void }
type Timer = Step & { atMs: number }

export type Scheduler = ReturnType<typeof createScheduler>

/** `starves`: time may pass although a step could be made. */
export function createScheduler(random: Random, { starves }: { starves: boolean }) {
  let nowMs = 1_800_000_000_000
  const ready: Step[] = []
  /** They are sorted so that the next one is the last. Of those due at the same time, the one that was set first is next. */
  const timers: Timer[] = []

  /** Calls `go` when its turn has come among all that could happen next. */
  const whenTurn = (owner: Owner, go: () => void): void => void ready.push({ owner, go })

  const turn = (owner: Owner): Promise<void> => new Promise((go) => whenTurn(owner, go))

  /** Calls `go` after that time, unless the returned function was called before. */
  function after(owner: Owner, ms: number, go: () => void): () => void {
    const timer: Timer = { owner, atMs: nowMs + Math.max(0, ms), go }
    let [low, high] = [0, timers.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((timers[middle]?.atMs ?? 0) > timer.atMs) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return () => {
      const index = timers.indexOf(timer)
      if (index >= 0) timers.splice(index, 1)
    }
  }

  function sleep(owner: Owner, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const cancel = after(owner, ms, resolve)
      const wake = () => {
        cancel()
        whenTurn(owner, resolve)
      }
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  const clockOf = (owner: Owner): SimulatedClock => ({
    now: () => nowMs + (owner.clockOffMs ?? 0),
    monotonic: () => nowMs,
    sleep: (ms, signal) => sleep(owner, ms, signal),
  })

  function takeReady(): Step | undefined {
    const index = random.below(ready.length)
    const step = ready[index]
    const last = ready.pop()
    if (last && index < ready.length) ready[index] = last
    return step
  }

  function takeTimer(): Step | undefined {
    const first = timers.pop()
    if (first) nowMs = Math.max(nowMs, first.atMs)
    return first
  }

  /** Runs until `isDone`, or rejects when that takes more than `stepsMax` steps or nothing is left to happen. */
  function run(isDone: () => boolean, stepsMax: number): Promise<number> {
    return new Promise((resolve, reject) => {
      let steps = 0
      const go = () => {
        if (isDone()) return resolve(steps)
        if (steps >= stepsMax) return reject(new Error(`Not done after ${stepsMax} steps`))
        steps += 1
        // Now and then time passes although a step could be made: this simulates a slow network.
        const waits = starves && timers.length > 0 && random.chance(0.02)
        const step = ready.length > 0 && !waits ? takeReady() : takeTimer()
        if (!step) return reject(new Error('Nothing can happen any more'))
        if (step.owner.alive) step.go()
        whenSettled(go)
      }
      whenSettled(go)
    })
  }

  return { now: () => nowMs, whenTurn, turn, after, sleep, clockOf, run }
}

/** Calls `go` when everything that follows from the last step has happened: Node runs ticks when no promise job is left. */
const whenSettled = (go: () => void): void => void settled.then(() => process.nextTick(go))

const settled = Promise.resolve()
