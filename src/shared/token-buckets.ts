/** A bucket holds `burst` tokens when it is full, and `perMs` tokens come back per ms. */
export type Refill = { perMs: number; burst: number }

/** How often full buckets are looked for and forgotten. */
const sweepMs = 10_000

type Bucket = { tokens: number; atMs: number; fullAtMs: number }

/** Token buckets by name. A bucket that was not taken from for long enough is full. `now` is in ms. */
export class TokenBuckets {
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()
  #sweepAtMs = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Takes up to `wanted` whole tokens, as many as there are, if there are at least `atLeast`. Otherwise it takes none and returns how long it is
   * until there are. A refusal costs nothing, so that a caller that comes back after that time finds enough tokens.
   */
  take(
    name: string,
    wanted: number,
    atLeast: number,
    { perMs, burst }: Refill,
  ): { tokens: number; retryAfterMs: number } {
    const nowMs = this.#now()
    this.#sweep(nowMs)
    const kept = this.#buckets.get(name)
    // The time of day may be set back.
    const held = kept ? Math.min(burst, kept.tokens + Math.max(0, nowMs - kept.atMs) * perMs) : burst
    if (held < atLeast) return { tokens: 0, retryAfterMs: Math.ceil((atLeast - held) / perMs) }
    const taken = Math.min(wanted, Math.floor(held))
    const tokens = held - taken
    this.#buckets.set(name, { tokens, atMs: nowMs, fullAtMs: nowMs + Math.ceil((burst - tokens) / perMs) })
    return { tokens: taken, retryAfterMs: 0 }
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.#buckets.size
  }

  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return
    this.#sweepAtMs = nowMs + sweepMs
    for (const [name, { fullAtMs }] of this.#buckets) if (fullAtMs <= nowMs) this.#buckets.delete(name)
  }
}
