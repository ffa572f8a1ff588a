/** A rising line holds the highest value so far, over time. Points may be added in any order. */
export type RisingLine = {
  add(atMs: number, value: number): void
  /** Returns the highest value up to and including this moment. */
  until(atMs: number): number
  /** Returns the highest value before this moment. */
  before(atMs: number): number
  /** Adds to the other line the values that this one has from one moment to another. */
  copyTo(other: RisingLine, fromMs: number, toMs: number): void
}

type Point = { atMs: number; value: number }

export function createRisingLine(): RisingLine {
  const points: Point[] = []
  let steps: Point[] | undefined

  function settled(): Point[] {
    if (steps) return steps
    steps = []
    let highest = 0
    for (const { atMs, value } of points.toSorted((one, other) => one.atMs - other.atMs)) {
      if (value <= highest) continue
      highest = value
      steps.push({ atMs, value })
    }
    return steps
  }

  function highest(isIn: (atMs: number) => boolean): number {
    const all = settled()
    let low = 0
    let high = all.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isIn(all[middle]?.atMs ?? 0)) low = middle + 1
      else high = middle
    }
    return all[low - 1]?.value ?? 0
  }

  const until = (atMs: number): number => highest((at) => at <= atMs)

  return {
    add(atMs, value) {
      steps = undefined
      points.push({ atMs, value })
    },
    until,
    before: (atMs) => highest((at) => at < atMs),
    copyTo(other, fromMs, toMs) {
      other.add(fromMs, until(fromMs))
      for (const { atMs, value } of settled()) if (atMs > fromMs && atMs <= toMs) other.add(atMs, value)
    },
  }
}
