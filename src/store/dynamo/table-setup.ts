import type { TableDescription } from '@aws-sdk/client-dynamodb'
import { ChatError } from '../../protocol/errors.ts'
import { type Column, type Dynamo, type TableName, tableNames, tables } from '../rows/tables.ts'

/** Creating a table takes longer than a row, and a server that has just started answers slowly. */
const tableTimeoutMs = 10_000
const activeWithinMs = 60_000
const pollMs = 50

/** Creates what is missing and waits until every table is ACTIVE. Several nodes may do so at once. */
export async function createTables(dynamo: Dynamo): Promise<void> {
  await Promise.all(tableNames.map((name) => createAndWait(dynamo, name)))
}

/** Throws one error that names every table that is missing or has another key. */
export async function validateTables(dynamo: Dynamo): Promise<void> {
  const problems = await Promise.all(tableNames.map((name) => problemOf(dynamo, name)))
  const found = problems.filter((problem) => problem !== undefined)
  if (found.length > 0) throw new Error(`The tables in DynamoDB are not as they should be: ${found.join('; ')}.`)
}

/** Returns the names of the tables that exist. Those of an earlier release may be fewer. */
export async function existingTables(dynamo: Dynamo): Promise<TableName[]> {
  const found = await Promise.all(tableNames.map((name) => describe(dynamo, name)))
  return tableNames.filter((_, i) => found[i] !== undefined)
}

async function createAndWait(dynamo: Dynamo, name: TableName): Promise<void> {
  const { clock, tablePrefix } = dynamo
  const giveUpAtMs = clock.monotonic() + activeWithinMs
  for (;;) {
    const table = await describe(dynamo, name)
    if (table?.TableStatus === 'ACTIVE') return
    if (!table) await create(dynamo, name)
    if (clock.monotonic() > giveUpAtMs)
      throw new Error(`The table ${tablePrefix}${name} did not become ACTIVE in time.`)
    await clock.sleep(pollMs)
  }
}

async function problemOf(dynamo: Dynamo, name: TableName): Promise<string | undefined> {
  const fullName = `${dynamo.tablePrefix}${name}`
  const table = await describe(dynamo, name)
  if (!table) return `${fullName} is missing`
  const expected = keyText(schemaOf(name))
  const actual = keyText(table)
  return actual === expected ? undefined : `${fullName} has the key (${actual}) where (${expected}) is needed`
}

async function describe({ client, tablePrefix }: Dynamo, name: TableName): Promise<DescribedTable | undefined> {
  try {
    const answer = await client.call('DescribeTable', name, { TableName: `${tablePrefix}${name}` }, tableTimeoutMs)
    return answer.Table
  } catch (error) {
    if (isCausedBy(error, 'ResourceNotFoundException')) return undefined
    throw error
  }
}

async function create({ client, tablePrefix }: Dynamo, name: TableName): Promise<void> {
  const table = { TableName: `${tablePrefix}${name}`, BillingMode: 'PAY_PER_REQUEST', ...schemaOf(name) } as const
  try {
    await client.call('CreateTable', name, table, tableTimeoutMs)
  } catch (error) {
    // Another node was faster, or an answer got lost and the request was sent twice.
    if (!isCausedBy(error, 'ResourceInUseException')) throw error
  }
}

type DescribedTable = Pick<TableDescription, 'TableStatus' | 'KeySchema' | 'AttributeDefinitions'>
type Schema = Required<Pick<TableDescription, 'KeySchema' | 'AttributeDefinitions'>>

function schemaOf(name: TableName): Schema {
  const key = Object.entries<Column<unknown, 'S' | 'N'>>(tables[name].key)
  return {
    KeySchema: key.map(([column], place) => ({ AttributeName: column, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: key.map(([column, { type }]) => ({ AttributeName: column, AttributeType: type })),
  }
}

/** Returns a text such as `conversation_id S, seq N`. */
function keyText({ KeySchema = [], AttributeDefinitions = [] }: DescribedTable): string {
  const types = new Map(AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]))
  return KeySchema.map(({ AttributeName }) => `${AttributeName} ${types.get(AttributeName)}`).join(', ')
}

const isCausedBy = (error: unknown, name: string): boolean =>
  error instanceof ChatError && error.cause instanceof Error && error.cause.name === name
