/** One thing that was measured of one server, once per round. */
export type Measured = {
  what: string
  who: string
  unit: string
  median: number
  low: number
  high: number
  rounds: number[]
  /** Whose figure the others are shown as multiples of. */
  against?: string
}

export type Sheet = ReturnType<typeof createSheet>

/** Makes the sheet on which a scenario writes its figures. */
export function createSheet() {
  const lines = new Map<string, Omit<Measured, 'median' | 'low' | 'high'>>()

  return {
    add(what: string, who: string, unit: string, value: number, against?: string): void {
      const key = `${what}\n${who}`
      const line = lines.get(key) ?? { what, who, unit, rounds: [], ...(against !== undefined && { against }) }
      line.rounds.push(rounded(value))
      lines.set(key, line)
    },

    measured: (): Measured[] =>
      [...lines.values()].map(({ rounds, ...line }) => ({
        ...line,
        median: quantile(rounds, 0.5),
        low: Math.min(...rounds),
        high: Math.max(...rounds),
        rounds,
      })),
  }
}

/** Returns a quantile; with a `share` of 0.5 the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Rounds to four digits, as more would say nothing. */
const rounded = (value: number): number => Number(value.toPrecision(4))

/**
 * The median of the rounds' ratios: the two of a round were measured one after the other, and a machine that is slower for a while is
 * so for both. Undefined where either was not measured.
 */
export function ratioOf(measured: readonly Measured[], what: string, who: string, against: string): number | undefined {
  const [ours, base] = [who, against].map((name) => measured.find((each) => each.what === what && each.who === name))
  if (!ours || !base) return undefined
  return quantile(
    ours.rounds.map((value, round) => value / (base.rounds[round] ?? base.median)),
    0.5,
  )
}
