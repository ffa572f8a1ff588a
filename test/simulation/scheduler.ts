import type { Clock } from '../../src/ports/clock.ts'
import type { Random } from './random.ts'

// Owns every await of a simulated run. Code that waits registers a step; the loop picks one at random, lets everything that
// follows from it run until it waits again, and picks the next. Time passes only when it says so.

/** Whose step it is: a node, a client, the network. What is dead never goes on. */
export type Owner = { readonly name: string; alive: boolean }

type Step = { owner: Owner; go: () => void }
type Timer = Step & { atMs: number; order: number }

export type Scheduler = ReturnType<typeof createScheduler>

export function createScheduler(random: Random) {
  let nowMs = 1_800_000_000_000
  let order = 0
  const ready: Step[] = []
  const timers: Timer[] = []

  /** Waits for its turn among all that could happen next. */
  function turn(owner: Owner): Promise<void> {
    return new Promise((go) => ready.push({ owner, go }))
  }

  function sleep(owner: Owner, ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const timer: Timer = { owner, atMs: nowMs + Math.max(0, ms), order: order++, go: resolve }
      timers.push(timer)
      signal?.addEventListener(
        'abort',
        () => {
          const index = timers.indexOf(timer)
          if (index >= 0) timers.splice(index, 1)
          ready.push({ owner, go: resolve })
        },
        { once: true },
      )
    })
  }

  const clockOf = (owner: Owner): Clock => ({
    now: () => nowMs,
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
    let first: Timer | undefined
    for (const timer of timers) {
      if (!first || timer.atMs < first.atMs || (timer.atMs === first.atMs && timer.order < first.order)) first = timer
    }
    if (!first) return undefined
    timers.splice(timers.indexOf(first), 1)
    nowMs = Math.max(nowMs, first.atMs)
    return first
  }

  /** Runs until `isDone`, or throws when that takes more than `stepsMax` steps or nothing is left to happen. */
  async function run(isDone: () => boolean, stepsMax: number): Promise<number> {
    for (let steps = 0; ; steps += 1) {
      await settled()
      if (isDone()) return steps
      if (steps >= stepsMax) throw new Error(`Not done after ${stepsMax} steps`)
      // Now and then time passes although somebody could go on: that is what a slow network looks like.
      const step = ready.length > 0 && !(timers.length > 0 && random.chance(0.02)) ? takeReady() : takeTimer()
      if (!step) throw new Error('Nothing can happen any more')
      if (step.owner.alive) step.go()
    }
  }

  return { now: () => nowMs, turn, sleep, clockOf, run }
}

/** Everything that follows from what was just resolved has happened: Node runs ticks when no promise job is left. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
