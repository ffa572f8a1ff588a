export interface Clock {
  /** Returns the time of day in ms, for what is shown, stored or compared with other machines. It may step forward and back. */
  now(): number
  /** Returns a time that only rises, in ms from some start, to measure how long something took. */
  monotonic(): number
  /** Resolves after that time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
