import type { Database, Key as LmdbKey, RangeOptions, Transaction } from 'lmdb'
import type { Key, Range } from './key-value.ts'

/** Above every text and number. */
const highest = new Uint8Array([0xff])

export type Stored = { key: Key; value: string }

/** Returns the texts of the rows of a partition, as LMDB has them. */
export function storedIn(
  database: Database<string, LmdbKey>,
  partition: string,
  { above, below, descending = false, limit }: Range,
  transaction?: Transaction,
): Iterable<Stored> {
  const low = [partition, above ?? null] as LmdbKey
  const high = [partition, below ?? highest] as LmdbKey
  const bounds: RangeOptions = descending
    ? { start: high, end: low, reverse: true, exclusiveStart: true }
    : { start: low, end: high, exclusiveStart: true }
  return database.getRange({
    ...bounds,
    ...(limit !== undefined && { limit }),
    ...(transaction && { transaction }),
  }) as Iterable<Stored>
}

/** Returns the texts of all rows above this key. */
export function storedAbove(
  database: Database<string, LmdbKey>,
  above: Key | undefined,
  transaction?: Transaction,
): Iterable<Stored> {
  const bounds = above ? { start: above, exclusiveStart: true } : {}
  return database.getRange({ ...bounds, ...(transaction && { transaction }) }) as Iterable<Stored>
}
