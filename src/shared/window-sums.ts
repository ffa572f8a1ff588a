/**
 * What was counted under each name within a window of time. All begin anew with the next window, so nothing has to be looked for. Times
 * are of a monotonic clock: a time of day that is set would end a window, and with it what was counted.
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

  /** How long it is until the next window, in whole ms: clients are told. */
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
