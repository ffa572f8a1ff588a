import type { Clock } from '../ports/clock.ts'
import { ChatError } from '../protocol/errors.ts'

const pausesMs = [50, 150, 400, 1000, 2000, 3000]

/** Tries again while Redis or DynamoDB is unavailable, for a few seconds. After that the error goes to the caller. */
export async function retryWhileUnavailable<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'UNAVAILABLE')) throw error
      await clock.sleep(pauseMs)
    }
  }
  return attempt()
}
