/** A service may ask for a longer pause, but a node waits no longer than this: a wrong header must not silence it for days. */
export const retryAfterMaxMs = 600_000

/** Returns the header in ms from now. It is a number of seconds or a date; where it is neither, this returns undefined. */
export function retryAfterMs(
  header: string | null | undefined,
  nowMs: number,
  maxMs: number = retryAfterMaxMs,
): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxMs)
  // All three forms of a date in HTTP begin with the name of a day; Date.parse also takes what is no date at all, such as -30.
  const atMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(0, atMs - nowMs), maxMs)
}
