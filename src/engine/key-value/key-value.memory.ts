import type { Decide, Decision, Key, KeyValue, KeyValueTable, Outcome, Range, Row } from './key-value.ts'

type Sort = string | number

/** Keeps every row in this process, and forgets them with it. */
export function createKeyValueMemory(): KeyValue {
  const tables = new Map<string, KeyValueTable>()
  return {
    table<R extends Row>(name: string) {
      const table = tables.get(name) ?? createTable()
      tables.set(name, table)
      return table as KeyValueTable<R>
    },
    isWritable: () => true,
    close: async () => undefined,
  }
}

/** The rows of a partition, and their sorts in ascending order, so that a range is read without the rest. */
type Partition = { rows: Map<Sort, Row>; sorts: Sort[] }

function createTable(): KeyValueTable {
  const partitions = new Map<string, Partition>()

  function partitionOf(name: string): Partition {
    const partition = partitions.get(name) ?? { rows: new Map(), sorts: [] }
    partitions.set(name, partition)
    return partition
  }

  function write([name, sort]: Key, row: Row): Row {
    const { rows, sorts } = partitionOf(name)
    // The row is stored as the disk would give it back, and apart from what the caller has.
    const stored = frozen(JSON.parse(JSON.stringify(row)) as Row)
    if (!rows.has(sort)) sorts.splice(indexFrom(sort, sorts), 0, sort)
    rows.set(sort, stored)
    return stored
  }

  function remove([name, sort]: Key): void {
    const { rows, sorts } = partitionOf(name)
    rows.delete(sort)
    sorts.splice(indexFrom(sort, sorts), 1)
    if (sorts.length === 0) partitions.delete(name)
  }

  function settle(key: Key, standing: Row | undefined, decision: Decision<Row>): Outcome<Row> {
    if (decision === 'keep') return { row: standing, changed: false }
    if (decision !== 'remove') return { row: write(key, decision), changed: true }
    if (standing) remove(key)
    return { row: undefined, changed: standing !== undefined }
  }

  async function update(key: Key, decide: Decide<Row>): Promise<Outcome<Row>> {
    const standing = partitions.get(key[0])?.rows.get(key[1])
    return settle(key, standing, decide(standing))
  }

  return {
    get: ([name, sort]) => partitions.get(name)?.rows.get(sort),

    range(name, { above, below, descending = false, limit = Number.POSITIVE_INFINITY }: Range = {}) {
      const partition = partitions.get(name)
      if (!partition) return []
      const { rows, sorts } = partition
      const from = above === undefined ? 0 : indexFrom(above, sorts) + (rows.has(above) ? 1 : 0)
      const to = below === undefined ? sorts.length : indexFrom(below, sorts)
      const found: Row[] = []
      for (let i = 0; i < to - from && found.length < limit; i += 1) {
        const row = rows.get(sorts[descending ? to - 1 - i : from + i] as Sort)
        if (row) found.push(row)
      }
      return found
    },

    update,
    updateAhead: update,

    *entries(above) {
      const names = [...partitions.keys()].filter((name) => !above || name >= above[0]).sort()
      for (const name of names) {
        const { rows, sorts } = partitionOf(name)
        for (const sort of [...sorts]) {
          const row = rows.get(sort)
          if (row && !(above?.[0] === name && sort <= above[1])) yield [[name, sort], row]
        }
      }
    },
  }
}

/** Returns the index of the first of these ascending sorts that is not below this one. */
function indexFrom(sort: Sort, sorts: readonly Sort[]): number {
  let [low, high] = [0, sorts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorts[middle] as Sort) < sort) low = middle + 1
    else high = middle
  }
  return low
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) frozen(each)
    Object.freeze(value)
  }
  return value
}
