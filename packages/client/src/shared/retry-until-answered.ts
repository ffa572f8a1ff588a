import { backoffMs, createSleeper } from './backoff.ts'
import { asClientError } from './client-error.ts'

/** Tries with one id until it is answered, as long as the app runs. Rejects with what is refused for good. Apps know it as `chat.insist`. */
export type RetryUntilAnswered = <T>(attempt: (id: string) => Promise<T>) => Promise<T>

export type RetryOptions = { random: () => number; randomId: () => string }

/** For calls that are not stored, and yet not given up when an answer is missing. */
export function createRetryUntilAnswered({ random, randomId }: RetryOptions) {
  const sleepers = new Set<ReturnType<typeof createSleeper>>()
  let closed = false

  const retryUntilAnswered: RetryUntilAnswered = async (attempt) => {
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

  /** The server can be reached again. */
  function wake(): void {
    for (const sleeper of sleepers) sleeper.wake()
  }

  return {
    retryUntilAnswered,
    wake,
    close(): void {
      closed = true
      wake()
    },
  }
}
