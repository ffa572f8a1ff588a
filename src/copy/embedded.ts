import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openKeyValueLmdb } from '../engine/key-value/key-value.lmdb.ts'
import type { Key } from '../engine/key-value/key-value.ts'
import { AlreadyOwnedError } from '../engine/key-value/single-owner.ts'
import { openSnapshotLmdb } from '../engine/key-value/snapshot.lmdb.ts'
import { copyKey, deploymentKey } from '../store/deployment.ts'
import { engineKeysOf } from '../store/embedded/table.ts'
import { type TableName, tableNames } from '../store/rows/tables.ts'
import { admit, copyRowOf, isCopied, sourceDeployment } from './own-rows.ts'
import { type Batch, CopyError, type Row, type Source, type Target } from './place.ts'
import { isSameRow } from './tally.ts'

const pageSize = 250

const directoryIn = (dataDir: string): string => resolve(join(dataDir, 'store'))
const keyOf = (table: TableName, row: Row): Key => engineKeysOf(table)(row as never)

type OwnRow = { deployment_id?: string }

/** Reads the store at one moment, whether a server runs on it or not. */
export async function openEmbeddedSource(dataDir: string, say: (text: string) => void): Promise<Source> {
  const directory = directoryIn(dataDir)
  const snapshot = await openSnapshot(directory)
  const name = `embedded:${dataDir}`
  const own = (key: Row) => snapshot.table('users').get(keyOf('users', key)) as OwnRow | undefined
  try {
    if (snapshot.isOwned) say(`A server is running on ${directory}. What it has acknowledged up to now is copied.`)
    return {
      name,
      deploymentId: sourceDeployment(name, { deployment: own(deploymentKey), copy: own(copyKey) }),
      batches: () => pages((table, above) => firstOf(snapshot.table(table).entries(above), pageSize)),
      findMissing: async ({ table, rows }) =>
        rows.filter((row) => snapshot.table(table).get(keyOf(table, row)) === undefined),
      close: snapshot.close,
    }
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

function openSnapshot(directory: string) {
  if (!existsSync(join(directory, 'data.mdb'))) throw new CopyError(`There is no store in ${directory}.`)
  return openSnapshotLmdb(directory, tableNames)
}

/** Opens the store of this directory for this process alone. */
export async function openEmbeddedTarget(dataDir: string): Promise<Target> {
  const directory = directoryIn(dataDir)
  const name = `embedded:${dataDir}`
  const engine = await openKeyValueLmdb({ directory }).catch((error) => {
    if (!(error instanceof AlreadyOwnedError)) throw error
    throw new CopyError(`A server is running on ${directory}. Stop it before anything is copied there.`)
  })
  const users = engine.table<Row>('users')
  const own = (key: Row) => users.get(keyOf('users', key)) as OwnRow | undefined
  const page = (table: TableName, above: Key | undefined) => firstOf(engine.table(table).entries(above), pageSize)

  return {
    name,
    begin: async (deploymentId) => {
      const begun = await admit(name, deploymentId, { deployment: own(deploymentKey), copy: own(copyKey) }, async () =>
        tableNames.every((table) => page(table, undefined).length === 0),
      )
      await users.update(keyOf('users', copyKey), () => copyRowOf(deploymentId))
      return begun
    },
    async write({ table, rows }) {
      const written = await Promise.all(
        rows.map((row) =>
          engine
            .table<Row>(table)
            .update(keyOf(table, row), (standing) => (standing && isSameRow(standing, row) ? 'keep' : row)),
        ),
      )
      return written.filter(({ changed }) => changed).length
    },
    async remove({ table, rows }) {
      await Promise.all(rows.map((row) => engine.table(table).update(keyOf(table, row), () => 'remove')))
    },
    batches: () => pages(page),
    async complete(deploymentId) {
      const row = { ...deploymentKey, deployment_id: deploymentId }
      if (deploymentId !== undefined) await users.update(keyOf('users', deploymentKey), () => row)
      await users.update(keyOf('users', copyKey), () => 'remove')
    },
    close: engine.close,
  }
}

async function* pages(page: (table: TableName, above: Key | undefined) => [Key, object][]): AsyncGenerator<Batch> {
  for (const table of tableNames) {
    let above: Key | undefined
    for (;;) {
      const found = page(table, above)
      const rows = found.map(([, row]) => row as Row).filter((row) => isCopied(table, row))
      if (rows.length > 0) yield { table, rows }
      if (found.length < pageSize) break
      above = found.at(-1)?.[0]
    }
  }
}

function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const first: T[] = []
  for (const each of all) {
    first.push(each)
    if (first.length === count) break
  }
  return first
}
