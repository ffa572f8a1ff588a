// This decides how long signed URLs are valid. Those for reading begin at a full half hour. Until the next one they stay the same on every
// node, so that a browser that has fetched a picture need not fetch it again.

export const putTtlMs = 15 * 60_000
export const getTtlMs = 60 * 60_000
const windowMs = 30 * 60_000

/** Returns when a URL for reading that is made now begins and ends. */
export function readingWindow(nowMs: number): { fromMs: number; untilMs: number } {
  const fromMs = Math.floor(nowMs / windowMs) * windowMs
  return { fromMs, untilMs: fromMs + windowMs + getTtlMs }
}
