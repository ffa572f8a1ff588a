/** How much of something one user may do in an hour, counted by all nodes together. Soft: one that is forgotten is whole again. */
export type Quotas = {
  /** Takes `count` of the quota, or nothing; 0, or how long until there are as many. `count` is at most `perHour`. */
  take(quota: string, count: number, perHour: number): Promise<{ retryAfterMs: number }>
}
