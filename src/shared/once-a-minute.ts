const everyMs = 60_000

/**
 * For the log: what happens many times a second is told once a minute for each name, with how often it has happened since it was told last. The
 * names are few.
 */
export function createOnceAMinute(clock: { monotonic(): number }) {
  const byName = new Map<string, { nextAtMs: number; count: number }>()
  return (name: string, tell: (count: number) => void): void => {
    const known = byName.get(name) ?? { nextAtMs: Number.NEGATIVE_INFINITY, count: 0 }
    byName.set(name, known)
    known.count += 1
    const nowMs = clock.monotonic()
    if (nowMs < known.nextAtMs) return
    tell(known.count)
    known.nextAtMs = nowMs + everyMs
    known.count = 0
  }
}
