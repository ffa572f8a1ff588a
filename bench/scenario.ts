/** What was measured, beside what it is measured against, in the same run. */
export type Figure = { what: string; unit: string; value: number; baseline: number; ratio: number }

export type Scenario = () => Promise<Figure[]>

export const figure = (what: string, unit: string, value: number, baseline: number): Figure => ({
  what,
  unit,
  value,
  baseline,
  ratio: value / baseline,
})

/** `share` 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
