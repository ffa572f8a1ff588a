// Tables of rows under ordered keys, in one process. One interface with two engines: in memory (key-value.memory.ts) and on disk
// (key-value.lmdb.ts). It is small on purpose: get, conditional put, range.

/** Rows with the same partition lie together, in the order of `sort`. All rows of a table sort by texts, or all by numbers. */
export type Key = [partition: string, sort: string | number]

/** A row is a plain JSON object. Nobody changes a row that they have read. */
export type Row = object

/** What to do with a row: put this one in its place, remove it, or keep what is there. */
export type Decision<R extends Row> = R | 'remove' | 'keep'

/** The rows of one partition with above < sort < below. */
export type Range = { above?: string | number; below?: string | number; descending?: boolean; limit?: number }

export interface KeyValueTable<R extends Row = Row> {
  get(key: Key): R | undefined
  range(partition: string, range?: Range): R[]
  /**
   * Decides by the row as it stands, and nothing comes between that and the write. Resolves once the outcome is safe: after a loss of power
   * the row is the one that the answer has, or a later one.
   */
  update(key: Key, decide: Decide<R>): Promise<Outcome<R>>
  /**
   * Does the same, and resolves before the outcome is safe. It is safe as soon as any later write is, as writes reach the disk in the order in
   * which they are decided. Until then only `update` and `updateAhead` see it.
   */
  updateAhead(key: Key, decide: Decide<R>): Promise<Outcome<R>>
  /** All rows in the order of their keys, from above this key on. Rows that are written meanwhile may be among them or not. */
  entries(above?: Key): Iterable<[Key, R]>
}

export type Decide<R extends Row> = (standing: R | undefined) => Decision<R>

/** The row after the decision, and whether the decision changed it. */
export type Outcome<R extends Row> = { row: R | undefined; changed: boolean }

export interface KeyValue {
  table<R extends Row>(name: string): KeyValueTable<R>
  /** Whether writes still succeed. After one has failed, none does. */
  isWritable(): boolean
  close(): Promise<void>
}
