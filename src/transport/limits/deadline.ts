import type { Clock } from '../../ports/clock.ts'
import { unavailable } from '../../protocol/errors.ts'

type Waiting = { atMs: number; late: ((error: unknown) => void) | undefined }

/**
 * The work's own outcome, or UNAVAILABLE if it takes longer. All have the same time, so they are due in the order they came: one
 * timer serves all of them.
 */
export function createDeadline(clock: Clock, ms: number): <T>(work: Promise<T>) => Promise<T> {
  /** Those before `first` are done with. */
  let waiting: Waiting[] = []
  let first = 0
  let isTiming = false

  function forgetDone(): void {
    while (first < waiting.length && waiting[first]?.late === undefined) first += 1
    if (first === waiting.length) {
      waiting = []
      first = 0
    } else if (first > 1000) {
      waiting = waiting.slice(first)
      first = 0
    }
  }

  async function time(): Promise<void> {
    isTiming = true
    for (forgetDone(); first < waiting.length; forgetDone()) {
      const next = waiting[first] as Waiting
      const restMs = next.atMs - clock.monotonic()
      if (restMs > 0) await clock.sleep(restMs)
      else settle(next)?.(unavailable())
    }
    isTiming = false
  }

  return <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      forgetDone()
      const mine: Waiting = { atMs: clock.monotonic() + ms, late: reject }
      waiting.push(mine)
      work.then(
        (value) => settle(mine) && resolve(value),
        (error) => settle(mine)?.(error),
      )
      if (!isTiming) void time()
    })
}

/** Returns how to fail, unless it is over already. */
function settle(waiting: Waiting): Waiting['late'] {
  const { late } = waiting
  waiting.late = undefined
  return late
}
