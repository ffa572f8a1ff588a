/** A seeded random generator: the same seed gives the same run. */
export type Random = ReturnType<typeof createRandom>

export function createRandom(seed: number) {
  // This is mulberry32 over a scrambled seed, so that neighbouring seeds differ from the first draw on.
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  return {
    next,
    /** Returns an integer from 0 to below `limit`. */
    below: (limit: number): number => Math.floor(next() * limit),
    /** Returns an integer from `from` to `to`, both included. */
    between: (from: number, to: number): number => from + Math.floor(next() * (to - from + 1)),
    chance: (probability: number): boolean => next() < probability,
    pick<T>(items: readonly T[]): T {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('Nothing to pick from')
      return item
    },
  }
}
