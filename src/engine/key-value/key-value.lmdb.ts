import { type Database, type Key as LmdbKey, open, type RootDatabase } from 'lmdb'
import type { Decide, Decision, Key, KeyValue, KeyValueTable, Outcome, Range, Row } from './key-value.ts'
import { openFile } from './lmdb-file.ts'

// Rows are JSON texts in LMDB: a file that is mapped into memory, so that reads are calls of this process that wait for nothing.
//
// A write is decided here, by the row as it stands or as it is about to be, and then handed to LMDB's writing thread. What is handed over
// while that thread writes and syncs goes into its next transaction: writes that wait together share one sync.
//
// With `overlappingSync: false` a transaction is seen by readers, and its writes are answered, only once it is on the disk. So nobody is shown
// what a loss of power could take back. A decision that depends on a row that is still being written waits for that row.

export type KeyValueLmdbOptions = {
  directory: string
  /** Called once, with the reason, when a write has failed: it is unknown what is on the disk, so this process writes no more. */
  onFailed?: (error: unknown) => void
}

/** A backup that is killed leaves its snapshot in LMDB's list, and no page that was freed since is used anew. lmdb-js looks every ten minutes. */
const endedReadersMs = 10_000

/** Above every text and number. */
const highest = new Uint8Array([0xff])

export function openKeyValueLmdb({
  directory,
  onFailed,
}: KeyValueLmdbOptions): KeyValue & { environment: RootDatabase; endWrites(): void } {
  const environment = openFile(directory, (path) => open({ path, overlappingSync: false, maxDbs: 64, noSubdir: false }))
  const forgetting = setInterval(() => environment.readerCheck(), endedReadersMs).unref()
  const tables = new Map<string, KeyValueTable>()
  let failure: { error: unknown } | undefined
  let isEnding = false

  const writes: Writes = {
    assertWritable() {
      if (failure) throw new Error('An earlier write failed, so nothing more is written.', { cause: failure.error })
    },
    assertGoingOn() {
      if (isEnding) throw new Error('The store is being closed.')
    },
    async failed(error) {
      const isFirst = failure === undefined
      failure ??= { error }
      const reason = await reasonOf(error)
      if (isFirst) onFailed?.(reason)
      return reason
    },
  }

  return {
    environment,
    table<R extends Row>(name: string) {
      const table = tables.get(name) ?? createTable(environment.openDB({ name, encoding: 'string' }), writes)
      tables.set(name, table)
      return table as KeyValueTable<R>
    },
    isWritable: () => failure === undefined && !isEnding,
    /** From now on no write is begun. Those that are under way are carried out. */
    endWrites() {
      isEnding = true
    },
    close() {
      clearInterval(forgetting)
      return environment.close()
    },
  }
}

/** What LMDB says of a transaction that has failed comes after the errors of its writes. */
async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> }
  return commitError === undefined ? error : commitError.catch((reason) => reason)
}

type Writes = {
  /** Throws if a write has failed. */
  assertWritable(): void
  /** Throws if no write may be begun any more. */
  assertGoingOn(): void
  /** Returns the reason. */
  failed(error: unknown): Promise<unknown>
}

/** A row that LMDB has not answered for yet; undefined where it is being removed. */
type Unwritten = { row: Row | undefined; written: Promise<unknown> }

function createTable(database: Database<string, LmdbKey>, writes: Writes): KeyValueTable {
  const unwritten = new Map<string, Unwritten>()

  function get(key: Key): Row | undefined {
    const text = database.get(key)
    return text === undefined ? undefined : (JSON.parse(text) as Row)
  }

  /** Hands the write over before it first waits. */
  async function write(key: Key, name: string, decision: Exclude<Decision<Row>, 'keep'>): Promise<void> {
    const written = decision === 'remove' ? database.remove(key) : database.put(key, JSON.stringify(decision))
    const own: Unwritten = { row: decision === 'remove' ? undefined : decision, written }
    unwritten.set(name, own)
    try {
      await written
    } catch (error) {
      throw await writes.failed(error)
    }
    // A later write of this row may be under way: then that one is what stands.
    if (unwritten.get(name) === own) unwritten.delete(name)
  }

  /** `safe` resolves once the outcome is on the disk; it is undefined where it is there already. */
  function decided(key: Key, decide: Decide<Row>): { outcome: Outcome<Row>; safe: Promise<unknown> | undefined } {
    writes.assertWritable()
    // The length tells where the partition ends, whatever is in it.
    const name = `${key[0].length} ${key[0]} ${key[1]}`
    const underWay = unwritten.get(name)
    const standing = underWay ? underWay.row : get(key)
    const decision = decide(standing)
    if (decision === 'keep' || (decision === 'remove' && standing === undefined))
      return { outcome: { row: standing, changed: false }, safe: underWay?.written }
    writes.assertGoingOn()
    const row = decision === 'remove' ? undefined : decision
    return { outcome: { row, changed: true }, safe: write(key, name, decision) }
  }

  return {
    get,

    range(partition, { above, below, descending = false, limit }: Range = {}) {
      const low = [partition, above ?? null] as LmdbKey
      const high = [partition, below ?? highest] as LmdbKey
      const found: Row[] = []
      const bounds = descending
        ? { start: high, end: low, reverse: true, exclusiveStart: true }
        : { start: low, end: high, exclusiveStart: true }
      for (const { value } of database.getRange(limit === undefined ? bounds : { ...bounds, limit }))
        found.push(JSON.parse(value) as Row)
      return found
    },

    async update(key, decide) {
      const { outcome, safe } = decided(key, decide)
      await safe
      // What was decided ahead of it may have failed.
      writes.assertWritable()
      return outcome
    },

    async updateAhead(key, decide) {
      const { outcome, safe } = decided(key, decide)
      // If it fails, so does the write that the caller makes next: after a failure nothing is written.
      safe?.catch(() => undefined)
      return outcome
    },

    *entries(above) {
      const bounds = above ? { start: above, exclusiveStart: true } : {}
      for (const { key, value } of database.getRange(bounds)) yield [key as Key, JSON.parse(value) as Row]
    },
  }
}
