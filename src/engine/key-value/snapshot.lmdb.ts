import { join } from 'node:path'
import { type Database, type Key as LmdbKey, open } from 'lmdb'
import type { Key, Row } from './key-value.ts'
import { assertWhole } from './lmdb-file.ts'
import { isOwned } from './single-owner.ts'

// Reads the file of key-value.lmdb.ts while another process may own it and write. All reads are of one transaction of LMDB, so they show the
// tables as they were at one moment: with everything that was answered before, and with nothing that was begun after.
//
// As long as the snapshot is open, the owner cannot use the pages anew that it frees, so the file grows with what is written meanwhile.

export interface Snapshot {
  get(table: string, key: Key): Row | undefined
  /** Returns the first rows above this key, in the order of their keys. A table that the file does not have is empty. */
  page(table: string, above: Key | undefined, limit: number): [Key, Row][]
  /** Whether a process owned the directory shortly before. */
  isOwned: boolean
  close(): Promise<void>
}

export async function openSnapshotLmdb(directory: string, tableNames: readonly string[]): Promise<Snapshot> {
  assertWhole(join(directory, 'data.mdb'))
  const environment = open({ path: directory, readOnly: true, maxDbs: 64, noSubdir: false })
  const owned = await isOwned(environment, directory)
  // They are opened first: a transaction does not see a table that was opened after it began.
  const tables = new Map<string, Database<string, LmdbKey>>()
  for (const name of tableNames) {
    const table: Database<string, LmdbKey> | undefined = environment.openDB({ name, encoding: 'string' })
    if (table) tables.set(name, table)
  }
  // biome-ignore lint/correctness/useHookAtTopLevel: it is no hook of React's.
  const transaction = environment.useReadTransaction()

  return {
    isOwned: owned,

    get(name, key) {
      const text = tables.get(name)?.get(key, { transaction })
      return text === undefined ? undefined : (JSON.parse(text) as Row)
    },

    page(name, above, limit) {
      const bounds = above ? { start: above, exclusiveStart: true } : {}
      const found = tables.get(name)?.getRange({ ...bounds, limit, transaction }) ?? []
      return [...found].map(({ key, value }) => [key as Key, JSON.parse(value) as Row])
    },

    async close() {
      transaction.done()
      await environment.close()
    },
  }
}
