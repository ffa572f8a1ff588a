// The page is in English; the clock format is that of the device.

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const weekdayFormat = new Intl.DateTimeFormat('en', { weekday: 'long' })
const dateFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric' })
const shortDateFormat = new Intl.DateTimeFormat(undefined, { day: '2-digit', month: '2-digit', year: '2-digit' })

export const clock = (ms: number): string => clockFormat.format(ms)

export const sameDay = (one: number, other: number): boolean => startOfDay(one) === startOfDay(other)

/** Names a day for a separator: Today, Yesterday, Monday, 3 May 2026. */
export function dayName(ms: number, nowMs: number): string {
  return recentDay(ms, nowMs) ?? dateFormat.format(ms)
}

/** Returns a time for a list: the clock for today, then the day, then the date. */
export function shortTime(ms: number, nowMs: number): string {
  return sameDay(ms, nowMs) ? clock(ms) : (recentDay(ms, nowMs) ?? shortDateFormat.format(ms))
}

function recentDay(ms: number, nowMs: number): string | undefined {
  const days = Math.round((startOfDay(nowMs) - startOfDay(ms)) / 86_400_000)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return days > 1 && days < 7 ? weekdayFormat.format(ms) : undefined
}

/** Returns a day from midnight to midnight. It may have 23 hours, or 25. */
export function dayOf(ms: number): { startMs: number; endMs: number } {
  const startMs = startOfDay(ms)
  return { startMs, endMs: new Date(startMs).setHours(24, 0, 0, 0) }
}

const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)
