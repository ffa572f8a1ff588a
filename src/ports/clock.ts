export interface Clock {
  now(): number
  /** Resolves after that time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
