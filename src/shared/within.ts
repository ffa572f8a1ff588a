import type { DeadlineOwner, DeadlineQueue } from './deadline-queue.ts'
import type { Timers } from './timers.ts'

/** Makes the error for work that is late. Work that ends before a promised error is ready still has its own outcome. */
export type LateError = () => Error | Promise<Error>

/** Resolves to the work's own outcome, or rejects with the error if it takes longer. The work itself goes on. */
export function within<T>(timers: Timers, ms: number, work: Promise<T>, lateError: LateError): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = timers.start(ms, () => new LateWork(lateError, reject).onDue())
    timer.hold()
    work.finally(() => timer.cancel()).then(resolve, reject)
  })
}

/** Does the same for frequent work, which shares the one timer of the queue. */
export function withinQueue<T>(queue: DeadlineQueue, ms: number, work: Promise<T>, lateError: LateError): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = queue.add(new LateWork(lateError, reject), queue.monotonic() + ms)
    work.then(
      (value) => {
        queue.remove(deadline)
        resolve(value)
      },
      (error) => {
        queue.remove(deadline)
        reject(error)
      },
    )
  })
}

class LateWork implements DeadlineOwner {
  readonly #lateError: LateError
  readonly #reject: (error: unknown) => void

  constructor(lateError: LateError, reject: (error: unknown) => void) {
    this.#lateError = lateError
    this.#reject = reject
  }

  onDue(): void {
    const error = this.#lateError()
    if (error instanceof Promise) error.then(this.#reject, this.#reject)
    else this.#reject(error)
  }
}
