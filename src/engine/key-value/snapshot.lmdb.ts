import { join } from 'node:path'
import { type Database, type Key as LmdbKey, open, type RootDatabase } from 'lmdb'
import { readJournal } from './journal.ts'
import { openKeyValueLmdb } from './key-value.lmdb.ts'
import type { KeyValueTable, Row } from './key-value.ts'
import { assertWhole } from './lmdb-file.ts'
import { storedAbove, storedIn } from './lmdb-reads.ts'
import { AlreadyOwnedError, askOwner } from './single-owner.ts'

// Reads the file of key-value.lmdb.ts while another process may own it and write. All reads are of one transaction of LMDB, so they show the
// tables as they were at one moment: with everything that was answered before it was opened, and with nothing that was begun after. For that,
// the owner is asked to put into the file what is in its journal alone. Where the owner has died, this process does that for it.
//
// As long as the snapshot is open, the owner cannot use the pages anew that it frees, so the file grows with what is written meanwhile.

export type SnapshotTable<R extends Row = Row> = Pick<KeyValueTable<R>, 'get' | 'range' | 'entries'>

export interface Snapshot {
  /** A table that the file does not have is empty. */
  table<R extends Row>(name: string): SnapshotTable<R>
  /** Whether a process owned the directory shortly before. */
  isOwned: boolean
  close(): Promise<void>
}

export async function openSnapshotLmdb(directory: string, tableNames: readonly string[]): Promise<Snapshot> {
  const { environment, isOwned } = await openStored(directory)
  // They are opened first: a transaction does not see a table that was opened after it began.
  const databases = new Map<string, Database<string, LmdbKey>>()
  for (const name of tableNames) {
    const database: Database<string, LmdbKey> | undefined = environment.openDB({ name, encoding: 'string' })
    if (database) databases.set(name, database)
  }
  // biome-ignore lint/correctness/useHookAtTopLevel: it is no hook of React's.
  const transaction = environment.useReadTransaction()

  function tableOf(database: Database<string, LmdbKey>): SnapshotTable {
    return {
      get(key) {
        const text = database.get(key, { transaction })
        return text === undefined ? undefined : (JSON.parse(text) as Row)
      },
      range: (partition, range = {}) =>
        [...storedIn(database, partition, range, transaction)].map(({ value }) => JSON.parse(value) as Row),
      *entries(above) {
        for (const { key, value } of storedAbove(database, above, transaction)) yield [key, JSON.parse(value) as Row]
      },
    }
  }

  return {
    isOwned,
    table<R extends Row>(name: string) {
      const database = databases.get(name)
      return (database ? tableOf(database) : noTable) as SnapshotTable<R>
    },
    async close() {
      transaction.done()
      await environment.close()
    },
  }
}

/** Opens the file when nothing that was answered is in the journal alone. */
async function openStored(directory: string): Promise<{ environment: RootDatabase; isOwned: boolean }> {
  assertWhole(join(directory, 'data.mdb'))
  for (;;) {
    const environment = open({ path: directory, readOnly: true, maxDbs: 64, noSubdir: false })
    try {
      if (await askOwner(environment, directory)) return { environment, isOwned: true }
      if (readJournal(directory).length === 0) return { environment, isOwned: false }
    } catch (error) {
      await environment.close()
      throw error
    }
    await environment.close()
    await carryOver(directory)
  }
}

async function carryOver(directory: string): Promise<void> {
  try {
    const engine = await openKeyValueLmdb({ directory })
    await engine.close()
  } catch (error) {
    // It has an owner again, which has done it.
    if (error instanceof AlreadyOwnedError) return
    const { message } = error as Error
    throw new Error(`What is in the journal in ${directory} alone could not be put into its file: ${message}`, {
      cause: error,
    })
  }
}

const noTable: SnapshotTable = { get: () => undefined, range: () => [], entries: () => [] }
