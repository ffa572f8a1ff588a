import { backoffMs, createSleeper } from './backoff.ts'
import { asClientError } from './client-error.ts'

/** Tried with one id until it is answered, as long as the app runs. Rejects with what is refused for good. */
export type Insist = <T>(attempt: (id: string) => Promise<T>) => Promise<T>

export type InsistOptions = { random: () => number; randomId: () => string }

/** For what is not kept, and yet not given up when an answer is missing. */
export function createInsist({ random, randomId }: InsistOptions) {
  const sleepers = new Set<ReturnType<typeof createSleeper>>()
  let closed = false

  const insist: Insist = async (attempt) => {
    const id = randomId()
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt(id)
      } catch (reason) {
        const error = asClientError(reason)
        if (!error.retryable || closed) throw error
        const sleeper = createSleeper()
        sleepers.add(sleeper)
        await sleeper.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random)))
        sleepers.delete(sleeper)
        if (closed) throw error
      }
    }
  }

  /** There is a way to the server again. */
  function wake(): void {
    for (const sleeper of sleepers) sleeper.wake()
  }

  return {
    insist,
    wake,
    close(): void {
      closed = true
      wake()
    },
  }
}
