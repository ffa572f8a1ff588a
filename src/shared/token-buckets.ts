/** A bucket holds `burst` tokens when it is full, and as many as this come back per ms. */
export type Refill = { perMs: number; burst: number }

/** Buckets are forgotten when they are full again; they are looked for as often as this. */
const sweepMs = 10_000

type Bucket = { tokens: number; atMs: number; fullAtMs: number }

/** Token buckets by name. One that nobody has taken from for long enough is full. `now` is in ms. */
export class TokenBuckets {
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()
  #sweepAtMs = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Takes up to `wanted` whole tokens, as many as there are, if there are `atLeast` so many. Otherwise it takes none and tells how long
   * it is until there are: a refusal costs nothing, so that whoever comes back after that time finds what they need.
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
