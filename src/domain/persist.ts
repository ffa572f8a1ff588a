import type { Clock } from '../ports/clock.ts'
import { ChatError } from '../protocol/errors.ts'

const pausesMs = [50, 150, 400, 1000, 2000, 3000]

/** Tries again while a backend is away, for a few seconds; then the failure is the caller's. */
export async function persist<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
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
