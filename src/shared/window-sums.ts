/**
 * Counts under names within a window of time. All counts begin anew with the next window, so no expired ones have to be looked for. Times are of
 * a monotonic clock: if the time of day were used, setting it would end a window and with it the counts.
 */
export class WindowSums {
  readonly #windowMs: number
  #sums = new Map<string, number>()
  #endsAtMs = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  of(name: string, nowMs: number): number {
    return this.#in(nowMs).get(name) ?? 0
  }

  add(name: string, amount: number, nowMs: number): void {
    const sums = this.#in(nowMs)
    sums.set(name, (sums.get(name) ?? 0) + amount)
  }

  /** Returns how long it is until the next window, in whole ms. Clients see this number. */
  leftMs(nowMs: number): number {
    this.#in(nowMs)
    return Math.ceil(this.#endsAtMs - nowMs)
  }

  #in(nowMs: number): Map<string, number> {
    if (nowMs >= this.#endsAtMs) {
      this.#sums = new Map()
      this.#endsAtMs = nowMs + this.#windowMs
    }
    return this.#sums
  }
}
