import { createHash } from 'node:crypto'
import { type TableName, tableNames } from '../store/rows/tables.ts'
import type { Batch, Row, Totals } from './place.ts'

// The rows of a table are compared by their number and by the sum of their hashes, which does not depend on the order: DynamoDB has another one
// than LMDB. The sum is modulo 2^256, so that a row that is there twice counts twice.

const modulus = 1n << 256n

export function createTally() {
  const sums = new Map<TableName, { count: number; sum: bigint }>(
    tableNames.map((name) => [name, { count: 0, sum: 0n }]),
  )
  return {
    add({ table, rows }: Batch): void {
      const total = sums.get(table)
      if (!total) throw new Error(`There is no table ${table}.`)
      for (const row of rows) {
        total.count += 1
        total.sum = (total.sum + hashOf(row)) % modulus
      }
    },
    totals: (): Totals =>
      Object.fromEntries(
        [...sums].map(([name, { count, sum }]) => [name, { count, hash: sum.toString(16).padStart(64, '0') }]),
      ) as Totals,
  }
}

/** Returns the tables in which the two differ, with the numbers of rows: `messages (12 rows, 11 there)`. */
export const differences = (ours: Totals, theirs: Totals): string[] =>
  tableNames
    .filter((name) => ours[name].count !== theirs[name].count || ours[name].hash !== theirs[name].hash)
    .map((name) => `${name} (${ours[name].count} rows, ${theirs[name].count} there)`)

export const isSameRow = (one: Row, other: Row): boolean => textOf(one) === textOf(other)

/** Returns JSON with the names of each object in order, so that equal rows have equal texts. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${textOf(field)}`).join()}}`
}

const hashOf = (row: Row): bigint => BigInt(`0x${createHash('sha256').update(textOf(row)).digest('hex')}`)
