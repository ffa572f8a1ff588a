import { type Measured, ratioOf } from '../sheet.ts'

/** Makes a line for each figure: the median, the spread of the rounds, and how many times that of the one it is measured against. */
export function printTable(measured: readonly Measured[]): void {
  let last = ''
  for (const { what, who, unit, median, low, high, rounds, against } of measured.toSorted(byWhat)) {
    if (what !== last) console.log(`  ${what}`)
    last = what
    const spread = rounds.length > 1 ? `${shown(low)} to ${shown(high)}` : ''
    const ratio = against === undefined ? undefined : ratioOf(measured, what, who, against)
    const multiple = ratio === undefined ? '' : `${ratio.toFixed(2)}x ${against}`
    console.log(`    ${who.padEnd(22)} ${shown(median).padStart(9)} ${unit.padEnd(8)} ${spread.padEnd(24)} ${multiple}`)
  }
}

const byWhat = (a: Measured, b: Measured): number => (a.what === b.what ? 0 : a.what < b.what ? -1 : 1)

export const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : value.toPrecision(3)
