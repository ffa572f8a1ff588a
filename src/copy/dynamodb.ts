import type { CopySettings } from '../config/copy.ts'
import { assertStoreParts } from '../config/optional-parts.ts'
import type { Clock } from '../ports/clock.ts'
import { ChatError } from '../protocol/errors.ts'
import { copyKey, deploymentKey } from '../store/deployment.ts'
import { createDynamoStoreClient } from '../store/dynamo/client.ts'
import { createDynamoTable, type DynamoTable } from '../store/dynamo/table.ts'
import { createTables, existingTables, validateTables } from '../store/dynamo/table-setup.ts'
import { type Dynamo, type Key, type TableName, tableNames, tables } from '../store/rows/tables.ts'
import { admit, copyRowOf, isCopied, keyOf, type OwnRows, sourceDeployment } from './own-rows.ts'
import { type Batch, CopyError, type Row, type Source, type Target } from './place.ts'
import { scanPage } from './scan-page.ts'
import { isSameRow, textOf } from './tally.ts'

export type DynamoDbOptions = {
  settings: CopySettings
  tablePrefix: string
  clock: Clock
  random: () => number
  say: (text: string) => void
}

/** So large a page of a scan may take a while. */
const requestTimeoutMs = 20_000
const attemptsMax = 12
const backoffMaxMs = 10_000
const batchSize = 250

/** Reads the tables while they stand still: a scan is no snapshot. */
export async function openDynamoDbSource(options: DynamoDbOptions): Promise<Source> {
  const { dynamo, name, patiently, close } = connect(options)
  try {
    const existing = await existingTables(dynamo)
    if (!existing.includes('users')) throw new CopyError(`${name} has no table ${options.tablePrefix}users.`)
    const absent = tableNames.filter((table) => !existing.includes(table))
    if (absent.length > 0)
      options.say(`${name} does not have these tables, which counts as empty: ${absent.join(', ')}.`)
    return {
      name,
      deploymentId: sourceDeployment(name, await ownRows(dynamo)),
      batches: () => scanAll(dynamo, existing, patiently),
      findMissing: async ({ table, rows }) => {
        if (!existing.includes(table)) return [...rows]
        const found = await patiently(() => byKey(dynamo, table, rows))
        return rows.filter((row) => !found.has(keyText(table, row)))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export async function openDynamoDbTarget(options: DynamoDbOptions): Promise<Target> {
  const { dynamo, name, patiently, close } = connect(options)
  let isResumed = false
  try {
    if (options.settings.tables.create) await createTables(dynamo)
    await validateTables(dynamo)
  } catch (error) {
    await close()
    throw error
  }
  const users = tableOf(dynamo, 'users')

  return {
    name,
    async begin(deploymentId) {
      const begun = await admit(name, deploymentId, await ownRows(dynamo), async () => {
        const first = await Promise.all(tableNames.map((table) => scanPage(dynamo, table, { limit: 1 })))
        return first.every(({ items }) => items.length === 0)
      })
      isResumed = begun.isResumed
      await users.put(copyRowOf(deploymentId))
      return begun
    },
    async write({ table, rows }) {
      const standing = isResumed ? await patiently(() => byKey(dynamo, table, rows)) : new Map<string, Row>()
      const missing = rows.filter((row) => {
        const found = standing.get(keyText(table, row))
        return !found || !isSameRow(found, row)
      })
      await patiently(() => tableOf(dynamo, table).putMany(missing))
      return missing.length
    },
    async remove({ table, rows }) {
      const [partition] = Object.keys(tables[table].key)
      for (const row of rows)
        await patiently(() =>
          tableOf(dynamo, table).remove(keyOf(table, row), { where: `attribute_exists(${partition})` }),
        )
    },
    batches: () => scanAll(dynamo, tableNames, patiently),
    async complete(deploymentId) {
      if (deploymentId !== undefined) await users.put({ ...deploymentKey, deployment_id: deploymentId })
      await users.remove(copyKey, { where: 'attribute_exists(user_id)' })
    },
    close,
  }
}

function connect({ settings, tablePrefix, clock, random, say }: DynamoDbOptions) {
  const { dynamodb, dynamodbClient } = settings
  if (dynamodb === 'embedded')
    throw new CopyError('DYNAMODB_ENDPOINT is missing: it says where DynamoDB is, and is aws for the service itself.')
  assertStoreParts(settings)
  const client = createDynamoStoreClient({
    ...dynamodb,
    wire: dynamodbClient,
    now: clock.now,
    random,
    requestTimeoutMs,
  })
  const dynamo: Dynamo = { client, clock, tablePrefix }

  /** A table that was just created takes some minutes to grow to what a copy writes. All calls may be made twice. */
  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof ChatError && error.code === 'UNAVAILABLE') || attempt === attemptsMax) throw error
        if (attempt > 2) say('DynamoDB is busy or away. The copy tries again.')
        await clock.sleep(Math.min(100 * 2 ** attempt, backoffMaxMs))
      }
    }
  }

  return { dynamo, patiently, name: `dynamodb:${tablePrefix}`, close: async () => client.close() }
}

type Patiently = ReturnType<typeof connect>['patiently']

/** The rows are what they are: which table has which columns does not matter here. */
const tableOf = (dynamo: Dynamo, name: TableName) => createDynamoTable(dynamo, name) as unknown as AnyTable
type AnyTable = Omit<DynamoTable<'users'>, 'getMany' | 'put' | 'putMany' | 'remove'> & {
  getMany(keys: readonly Row[]): Promise<Row[]>
  put(row: Row): Promise<boolean>
  putMany(rows: readonly Row[]): Promise<void>
  remove(key: Row, condition: { where: string }): Promise<boolean>
}

const keyText = (table: TableName, row: Row): string => textOf(keyOf(table, row))

async function byKey(dynamo: Dynamo, table: TableName, rows: readonly Row[]): Promise<Map<string, Row>> {
  const found = await tableOf(dynamo, table).getMany(rows.map((row) => keyOf(table, row)))
  return new Map(found.map((row) => [keyText(table, row), row]))
}

async function ownRows(dynamo: Dynamo): Promise<OwnRows> {
  const users = createDynamoTable(dynamo, 'users')
  const [deployment, copy] = await Promise.all([users.get(deploymentKey), users.get(copyKey)])
  return { deployment, copy }
}

async function* scanAll(dynamo: Dynamo, names: readonly TableName[], patiently: Patiently): AsyncGenerator<Batch> {
  for (const table of names) {
    let start: Key<typeof table> | undefined
    do {
      const { items, next } = await patiently(() => scanPage(dynamo, table, { start }))
      const rows = (items as Row[]).filter((row) => isCopied(table, row))
      for (let from = 0; from < rows.length; from += batchSize)
        yield { table, rows: rows.slice(from, from + batchSize) }
      start = next
    } while (start)
  }
}
