/** A timer that was started. */
export type Timer = {
  cancel(): void
  /** Keeps the process alive until the timer has run. A timer that was only started does not. */
  hold(): void
  release(): void
}

/** What waiting code needs of a clock: a time in ms that only rises, and timers that use it. */
export type Timers = {
  monotonic(): number
  /** A timer may run late, never early. */
  start(ms: number, run: () => void): Timer
}

/** The timers of the process. */
export const systemTimers: Timers = {
  monotonic: () => performance.now(),
  start: (ms, run) => new SystemTimer(ms, run),
}

class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout
  readonly #run: () => void
  #immediate: NodeJS.Immediate | undefined

  constructor(ms: number, run: () => void) {
    this.#run = run
    this.#timeout = setTimeout(() => this.#elapsed(), Math.ceil(ms)).unref()
  }

  cancel(): void {
    clearTimeout(this.#timeout)
    clearImmediate(this.#immediate)
  }

  hold(): void {
    this.#timeout.ref()
  }

  release(): void {
    this.#timeout.unref()
  }

  /** Lets the event loop read the connections first: an answer that came while the process was busy is not late. */
  #elapsed(): void {
    this.#immediate = setImmediate(this.#run)
  }
}

type SleepingClock = { monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> }

/** An abort without a reason makes a DOMException with a stack, which is slow. */
const cancelled = 'cancelled'
const nothing = () => undefined

/** Makes timers of a clock that was handed in. That clock decides whether a sleep keeps the process alive. */
export function timersOf(clock: SleepingClock): Timers {
  return {
    monotonic: () => clock.monotonic(),
    start(ms, run) {
      const ended = new AbortController()
      void clock.sleep(ms, ended.signal).then(() => {
        if (!ended.signal.aborted) run()
      })
      return { cancel: () => ended.abort(cancelled), hold: nothing, release: nothing }
    },
  }
}
