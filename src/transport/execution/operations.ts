import type { Clock } from '../../ports/clock.ts'
import { unavailable } from '../../protocol/errors.ts'
import { createDeadline, within } from '../limits/deadline.ts'

/**
 * Counts the operations under way, so that a drain can wait for them. Once it has begun, nothing starts on WebSockets, which bring new operations
 * for ever. A request over HTTP is still served: its connection was accepted, it is the last one on it, and no others are accepted.
 */
export type Operations = {
  readonly draining: boolean
  /** The node was told to stop. Clients should not come any more, but those that do are served until the drain begins. */
  readonly leaving: boolean
  leave(): void
  /** Runs a query or mutation under the deadline. One that is late goes on, but the caller gets UNAVAILABLE. */
  run<T, A>(work: (of: A) => T | Promise<T>, of: A): T | Promise<T>
  /** Runs the start of a subscription, without a deadline. Throws UNAVAILABLE once a drain has begun. */
  start<T, A>(work: (of: A) => T | Promise<T>, of: A): T | Promise<T>
  /** Resolves when no operation is under way, or after `withinMs`. */
  drain(withinMs: number): Promise<void>
  /** Whether none is under way, not even one whose caller was answered that it took too long. */
  isIdle(): boolean
}

const defaultDeadlineMs = 2500

export function createOperations(clock: Clock, deadlineMs = defaultDeadlineMs): Operations {
  const inDeadline = createDeadline(clock, deadlineMs)
  let running = 0
  let draining = false
  let leaving = false
  let allDone: (() => void) | undefined

  function done(): void {
    running -= 1
    if (running === 0) allDone?.()
  }

  function count<T, A>(work: (of: A) => T | Promise<T>, of: A): T | Promise<T> {
    const result = work(of)
    if (!(result instanceof Promise)) return result
    running += 1
    result.then(done, done)
    return result
  }

  return {
    get draining() {
      return draining
    },
    get leaving() {
      return leaving
    },
    leave() {
      leaving = true
    },
    start(work, of) {
      if (draining) throw unavailable()
      return count(work, of)
    },
    run(work, of) {
      const result = count(work, of)
      return result instanceof Promise ? inDeadline(result) : result
    },
    isIdle: () => running === 0,
    async drain(withinMs) {
      leaving = true
      draining = true
      const answered = new Promise<void>((resolve) => {
        allDone = resolve
        if (running === 0) resolve()
      })
      await within(clock, withinMs, answered).catch(() => undefined)
      // The answers still pass through promises; one turn of the event loop later they are written.
      await new Promise(setImmediate)
    },
  }
}
