import { type Database, type Key as LmdbKey, open, type RootDatabase } from 'lmdb'
import { createJournaledWrites, type JournaledWrites, type Recent, type TableState } from './journaled-writes.ts'
import { compareKeys, KeyMap } from './key-map.ts'
import type { Decide, Key, KeyValue, KeyValueTable, Outcome, Range, Row } from './key-value.ts'
import { openFile } from './lmdb-file.ts'
import { type Stored, storedAbove, storedIn } from './lmdb-reads.ts'
import { type Owned, ownDirectory } from './single-owner.ts'

// Rows are JSON texts in LMDB: a file that is mapped into memory, so that reads are calls of this process that wait for nothing.
//
// A write is decided here, by the row as it stands or as it is about to be. It is answered, and seen by readers, once it is in the journal
// (journaled-writes.ts), so nobody is shown what a loss of power could take back. LMDB gets it later, with many others. Until then readers find
// it among the recent rows. A decision that depends on a row that is still being written waits for that row.

export type KeyValueLmdbOptions = {
  directory: string
  /** Called once, with the reason, when a write has failed: it is unknown what is on the disk, so this process writes no more. */
  onFailed?: (error: unknown) => void
}

/** A backup that is killed leaves its snapshot in LMDB's list, and no page that was freed since is used anew. lmdb-js looks every ten minutes. */
const endedReadersMs = 10_000

/** LMDB takes 1,978, and some of them say what the rest is. */
const keyMaxBytes = 1950

/** Opens the rows in this directory for this process alone. Rejects with AlreadyOwnedError if another process has them. */
export async function openKeyValueLmdb({
  directory,
  onFailed,
}: KeyValueLmdbOptions): Promise<KeyValue & { environment: RootDatabase }> {
  const environment = openFile(directory, (path) => open({ path, overlappingSync: false, maxDbs: 64, noSubdir: false }))
  const forgetting = setInterval(() => environment.readerCheck(), endedReadersMs).unref()
  const openDatabase = (name: string): Database<string, LmdbKey> => environment.openDB({ name, encoding: 'string' })
  const tables = new Map<string, KeyValueTable>()
  try {
    const owned = await ownDirectory(environment, directory)
    const writes = await begin(owned)
    owned.answer(writes.stored)
    return {
      environment,
      table<R extends Row>(name: string) {
        const table = tables.get(name) ?? createTable(name, openDatabase(name), writes)
        tables.set(name, table)
        return table as KeyValueTable<R>
      },
      isWritable: writes.isWritable,
      async close() {
        // After a failure a block may still be under way to a file that would be the next owner's.
        if (await writes.close()) await owned.release()
        clearInterval(forgetting)
        await environment.close()
      },
    }
  } catch (error) {
    clearInterval(forgetting)
    await environment.close()
    throw error
  }

  async function begin(owned: Owned): Promise<JournaledWrites> {
    try {
      const inTransaction = (work: () => void) => environment.transactionSync(work)
      return createJournaledWrites({ directory, openDatabase, inTransaction, onFailed })
    } catch (error) {
      owned.answer(async () => false)
      await owned.release()
      throw error
    }
  }
}

function createTable(name: string, database: Database<string, LmdbKey>, writes: JournaledWrites): KeyValueTable {
  const state: TableState = { name, database, unwritten: new KeyMap(), recent: new KeyMap() }
  const { unwritten, recent } = state

  function get(key: Key): Row | undefined {
    const found = recent.get(key)
    const text = found ? found.text : database.get(key)
    return text === undefined ? undefined : (JSON.parse(text) as Row)
  }

  /** `safe` resolves once the outcome is on the disk; it is undefined where it is there already. */
  function decided(key: Key, decide: Decide<Row>): { outcome: Outcome<Row>; safe: Promise<void> | undefined } {
    writes.assertWritable()
    const underWay = unwritten.get(key)
    const standing = underWay ? underWay.row : get(key)
    const decision = decide(standing)
    if (decision === 'keep' || (decision === 'remove' && standing === undefined))
      return { outcome: { row: standing, changed: false }, safe: underWay?.written }
    writes.assertGoingOn()
    assertFits(key)
    const row = decision === 'remove' ? undefined : decision
    return { outcome: { row, changed: true }, safe: writes.write(state, key, row).written }
  }

  return {
    get,

    range(partition, range: Range = {}) {
      const { above, below, descending = false, limit = Number.POSITIVE_INFINITY } = range
      const recentRows = [...recent.of(partition)].filter(
        ({ key: [, sort] }) => (above === undefined || sort > above) && (below === undefined || sort < below),
      )
      const found: Row[] = []
      if (recentRows.length === 0) {
        for (const { value } of storedIn(database, partition, range)) found.push(JSON.parse(value) as Row)
        return found
      }
      const { limit: _whereMerged, ...bounds } = range
      const stored = storedIn(database, partition, bounds)
      for (const { value } of merged(stored, recentRows, descending ? -1 : 1)) {
        if (found.length >= limit) break
        found.push(JSON.parse(value) as Row)
      }
      return found
    },

    async update(key, decide) {
      const { outcome, safe } = decided(key, decide)
      await safe
      // What was decided ahead of it may have failed.
      writes.assertWritable()
      return outcome
    },

    // If a write fails, so does the one that the caller makes next: after a failure nothing is written.
    updateAhead: async (key, decide) => decided(key, decide).outcome,

    *entries(above) {
      const recentRows = [...recent.values()].filter(({ key }) => !above || compareKeys(key, above) > 0)
      for (const { key, value } of merged(storedAbove(database, above), recentRows, 1))
        yield [key, JSON.parse(value) as Row]
    },
  }
}

/** LMDB would refuse it in a checkpoint, when the write has long been answered. */
function assertFits([partition, sort]: Key): void {
  if (Buffer.byteLength(partition) + Buffer.byteLength(`${sort}`) > keyMaxBytes)
    throw new Error(`A key may have ${keyMaxBytes} bytes. This one begins with ${partition.slice(0, 20)}.`)
}

/** Puts the recent rows into their places among the stored ones, instead of those that they replace. */
function* merged(stored: Iterable<Stored>, recentRows: Recent[], direction: 1 | -1): Generator<Stored> {
  const recent = recentRows.sort((a, b) => direction * compareKeys(a.key, b.key))
  let next = 0
  for (const row of stored) {
    let isReplaced = false
    for (; next < recent.length && !isReplaced; next += 1) {
      const { key, text } = recent[next] as Recent
      const order = direction * compareKeys(key, row.key)
      if (order > 0) break
      if (text !== undefined) yield { key, value: text }
      isReplaced = order === 0
    }
    if (!isReplaced) yield row
  }
  for (const { key, text } of recent.slice(next)) if (text !== undefined) yield { key, value: text }
}
