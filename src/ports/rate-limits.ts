/** How fast a token bucket fills, and how much it holds. */

export type Rate = { perSecond: number; burst: number }

/** Token buckets that all nodes share. A bucket that was not drawn from for long enough is full. */
export type RateLimits = {
  /** Takes up to `wanted` tokens, as many as there are. If there is none, it returns how long it is until there is one. */
  draw(bucket: string, wanted: number, rate: Rate): Promise<{ tokens: number; retryAfterMs: number }>
}
