import { backoffMs, createSleeper } from './backoff.ts'
import { asClientError, isFinal } from './client-error.ts'

/** Repeats a call with one id until it is answered, while the app runs. Rejects if it is refused for good. Apps call it `chat.insist`. */
export type RetryUntilAnswered = <T>(attempt: (id: string) => Promise<T>) => Promise<T>

export type RetryOptions = { random: () => number; randomId: () => string }

/** Retries calls that are not persisted, until they are answered. */
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
        if (isFinal(error) || closed) throw error
        const sleeper = createSleeper()
        sleepers.add(sleeper)
        await sleeper.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs(failures, random)))
        sleepers.delete(sleeper)
        if (closed) throw error
      }
    }
  }

  /** Ends all pauses, because the server can be reached again. */
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
