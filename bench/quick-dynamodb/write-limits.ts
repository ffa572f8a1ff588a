import type { Row, Value } from './expressions.ts'
import { Refusal } from './table.ts'

/** As many writes a second as a partition of DynamoDB takes; more are throttled. The unused ones of one second are kept, and no more. */
export function createWriteLimits(perSecond: number | undefined) {
  const partitions = new Map<string, { left: number; atMs: number }>()

  /** Throws where the partition of this row has had its writes. */
  return function take(tableName: string, hash: string, row: Row): void {
    if (perSecond === undefined) return
    const key = `${tableName} ${scalarOf(row[hash])}`
    const nowMs = performance.now()
    const known = partitions.get(key) ?? { left: perSecond, atMs: nowMs }
    const left = Math.min(perSecond, known.left + ((nowMs - known.atMs) * perSecond) / 1000)
    partitions.set(key, { left: left < 1 ? left : left - 1, atMs: nowMs })
    if (left < 1)
      throw new Refusal(
        'ProvisionedThroughputExceededException',
        'The level of configured provisioned throughput is exceeded.',
      )
  }
}

const scalarOf = (value: Value | undefined): string => String(Object.values(value ?? {})[0])
