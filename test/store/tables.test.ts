import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTables, validateTables } from '../../src/store/dynamo/table-setup.ts'
import { type Dynamo, tableNames } from '../../src/store/rows/tables.ts'
import { dynamoBackends } from '../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'

const backends: { name: string; endpointOf: () => Promise<string>; wire?: 'lean' | 'sdk' }[] = [
  ...dynamoBackends,
  { name: 'dynalite, by the SDK', endpointOf: () => sharedService('dynalite'), wire: 'sdk' },
]

describe.each(backends)('tables on $name', ({ endpointOf, wire = 'lean' }) => {
  let dynamo: Dynamo
  beforeAll(async () => {
    dynamo = connectDynamo(await endpointOf(), { wire })
  })
  afterAll(() => dynamo.client.close())

  const fresh = (tablePrefix: string): Dynamo => ({ ...dynamo, tablePrefix: `${dynamo.tablePrefix}${tablePrefix}` })

  test('what is created is valid', async () => {
    const created = fresh('created_')
    await createTables(created)
    await expect(validateTables(created)).resolves.toBeUndefined()
  })

  test('creating again changes nothing', async () => {
    const twice = fresh('twice_')
    await createTables(twice)
    await createTables(twice)
    await validateTables(twice)
  })

  test('several nodes may create at once', async () => {
    const shared = fresh('shared_')
    await Promise.all([createTables(shared), createTables(shared), createTables(shared)])
    await validateTables(shared)
  })

  test('every missing table is named in one error', async () => {
    const missing = fresh('missing_')
    const error = await validateTables(missing).catch((thrown: Error) => thrown)
    for (const name of tableNames) expect(error?.message).toContain(`${missing.tablePrefix}${name} is missing`)
  })

  test('every wrong key is named, beside what is missing, with the key that is needed', async () => {
    const wrong = fresh('wrong_')
    await createTable(wrong, 'messages', { conversation_id: 'S', seq: 'S' })
    await createTable(wrong, 'users', { id: 'S' })
    await createTable(wrong, 'sends', { send_key: 'S' })

    const error = await validateTables(wrong).catch((thrown: Error) => thrown)

    const { tablePrefix } = wrong
    expect(error?.message).toContain(
      `${tablePrefix}messages has the key (conversation_id S, seq S) where (conversation_id S, seq N) is needed`,
    )
    expect(error?.message).toContain(`${tablePrefix}users has the key (id S) where (user_id S) is needed`)
    expect(error?.message).toContain(`${tablePrefix}memberships is missing`)
    expect(error?.message).not.toContain(`${tablePrefix}sends`)
  })

  test('what exists with a wrong key is left as it is', async () => {
    const wrong = fresh('kept_')
    await createTable(wrong, 'users', { id: 'S' })
    await createTables(wrong)
    await expect(validateTables(wrong)).rejects.toThrow(
      /: \S+users has the key \(id S\) where \(user_id S\) is needed\.$/,
    )
  })
})

async function createTable(dynamo: Dynamo, name: string, key: Record<string, 'S' | 'N'>): Promise<void> {
  const columns = Object.entries(key)
  await dynamo.client.call('CreateTable', name, {
    TableName: `${dynamo.tablePrefix}${name}`,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: columns.map(([column], place) => ({ AttributeName: column, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: columns.map(([column, type]) => ({ AttributeName: column, AttributeType: type })),
  })
}
