import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { openEmbeddedSource } from '../../src/copy/embedded.ts'
import { scanPage } from '../../src/copy/scan-page.ts'
import { type Dynamo, type Key, type TableName, tableNames } from '../../src/store/rows/tables.ts'

// Everything that a deployment has stored, as lines of text that a test can search.

/** `where` is the table, `redis` with the key's kind, or the name of a file. */
export type Stored = { where: string; text: string }

export async function inTables(dynamo: Dynamo): Promise<Stored[]> {
  const found: Stored[] = []
  for (const table of tableNames) {
    let start: Key<TableName> | undefined
    do {
      const { items, next } = await scanPage<TableName>(dynamo, table, { start })
      found.push(...items.map((item) => ({ where: table, text: JSON.stringify(item) })))
      start = next
    } while (start)
  }
  return found
}

/** The rows of an embedded store, as they are at this moment. */
export async function inEmbedded(dataDir: string): Promise<Stored[]> {
  const source = await openEmbeddedSource(dataDir, () => undefined)
  const found: Stored[] = []
  for await (const { table, rows } of source.batches())
    found.push(...rows.map((row) => ({ where: table, text: JSON.stringify(row) })))
  await source.close()
  return found
}

export async function inRedis(raw: Redis): Promise<Stored[]> {
  const keys = await raw.keys('*')
  return Promise.all(
    keys.map(async (key) => {
      const dumped = (await raw.dumpBuffer(key))?.toString('latin1') ?? ''
      return { where: `redis ${/^[^:]*/.exec(key)?.[0] ?? key}`, text: `${key} ${dumped}` }
    }),
  )
}

/** All files below the directory, with their names. */
export async function inFiles(directory: string): Promise<Stored[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  return Promise.all(
    names
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return { where: entry.name, text: `${entry.name} ${(await readFile(path)).toString('latin1')}` }
      }),
  )
}
