import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readCopySettings } from '../../src/config/copy.ts'
import { copy } from '../../src/copy/copy.ts'
import { openDynamoDbSource, openDynamoDbTarget } from '../../src/copy/dynamodb.ts'
import { openEmbeddedSource, openEmbeddedTarget } from '../../src/copy/embedded.ts'
import { openFileSource, openFileTarget } from '../../src/copy/file.ts'
import type { Readable, Row, Source, Target } from '../../src/copy/place.ts'
import { textOf } from '../../src/copy/tally.ts'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { engineKeysOf } from '../../src/store/embedded/table.ts'
import { type Column, type TableName, tableNames, tables } from '../../src/store/rows/tables.ts'
import { systemClock } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'

/** A place of each kind, that can be read from and copied to. */
export type TestPlace = { source(): Promise<Source>; target(): Promise<Target> }

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-copy-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export const embeddedIn = (dataDir: string): TestPlace => ({
  source: () => openEmbeddedSource(dataDir, () => undefined),
  target: () => openEmbeddedTarget(dataDir),
})

export const fileAt = (path: string): TestPlace => ({
  source: () => openFileSource(path, () => undefined),
  target: () => openFileTarget(path),
})

export async function newDynamoDb(service: 'dynalite' | 'dynamoDbLocal' = 'dynalite'): Promise<TestPlace> {
  const endpoint = await sharedService(service)
  const options = {
    settings: readCopySettings({ DYNAMODB_ENDPOINT: endpoint, CREATE_TABLES: 'true' }),
    tablePrefix: `copy_${randomUUID().slice(0, 8)}_`,
    clock: systemClock,
    random: Math.random,
    say: () => undefined,
  }
  return { source: () => openDynamoDbSource(options), target: () => openDynamoDbTarget(options) }
}

export async function copyBetween(from: TestPlace, to: TestPlace) {
  return using(await from.source(), async (source) =>
    using(await to.target(), (target) => copy(source, target, () => undefined)),
  )
}

export async function using<P extends Readable, R>(place: P, use: (place: P) => Promise<R>): Promise<R> {
  try {
    return await use(place)
  } finally {
    await place.close()
  }
}

/** Returns every row with its table, and the deployment, in one order for all places. */
export async function contentOf(place: TestPlace): Promise<string[]> {
  return using(await place.source(), async (source) => {
    const found = [`deployment ${source.deploymentId}`]
    for await (const { table, rows } of source.batches()) for (const row of rows) found.push(`${table} ${textOf(row)}`)
    return found.sort()
  })
}

/** How many tables there are beside `messages`. */
export const otherTables = tableNames.length - 1

/** Writes rows as a server would have left them: all tables, all columns, and texts of all kinds. Other tables have a tenth of the messages. */
export async function fill(dataDir: string, messages: number, { deploymentId = randomUUID() as string | null } = {}) {
  const engine = await openKeyValueLmdb({ directory: join(dataDir, 'store') })
  const put = (table: TableName, row: Row) =>
    engine.table<Row>(table).update(engineKeysOf(table)(row as never), () => row)
  await Promise.all(
    tableNames.flatMap((table) =>
      Array.from({ length: table === 'messages' ? messages : messages / 10 }, (_, i) => put(table, rowOf(table, i))),
    ),
  )
  if (deploymentId !== null) await put('users', { user_id: '#deployment', deployment_id: deploymentId })
  await engine.close()
}

export function rowOf(table: TableName, i: number): Row {
  const { key, columns } = tables[table]
  const [partition = '', sort] = Object.keys(key)
  const sortType = sort === undefined ? undefined : (key as Record<string, Column>)[sort]?.type
  // Every third row lacks a column, and a column can be the empty text.
  const some = Object.entries<Column>(columns).filter((_, column) => (i + column) % 3 > 0)
  return {
    [partition]: `${table}-${i % 7}-é😀`,
    ...(sort === undefined && { [partition]: `${table}-${i}` }),
    ...(sort !== undefined && { [sort]: sortType === 'N' ? i + 1 : `sort ${i}` }),
    ...Object.fromEntries(some.map(([name, { type }]) => [name, columnOf(type, i)])),
  }
}

function columnOf(type: Column['type'], i: number): unknown {
  const text = ['', 'plain', '"quoted"\n\u0000\\', '日本語 👩‍👩‍👧', 'x'.repeat(3000)][i % 5]
  if (type === 'S') return text
  if (type === 'N') return [0, 1, -7, Number.MAX_SAFE_INTEGER, 1_700_000_000_000][i % 5]
  return type === 'L' ? ['a', 'b', text] : { one: 1, [`k${i}`]: i, 'a b': -1 }
}
