/** Limits how often one user may do something in an hour, counted over all nodes. A quota that Redis forgets is full again. */
export type Quotas = {
  /** Takes `count` of the quota and returns 0, or takes nothing and returns how long to wait. `count` is at most `perHour`. */
  take(quota: string, count: number, perHour: number): Promise<{ retryAfterMs: number }>
}
