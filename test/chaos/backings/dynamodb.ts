import { createStoresDynamo } from '../../../src/store/dynamo/stores.ts'
import { connectDynamo, startDynalite } from '../../kit/services/dynamodb.ts'
import { createRandom } from '../../simulation/random.ts'
import { type Keys, pendingRowOf, readPending, readTables } from '../checks/tables.ts'
import { startFaultProxy } from '../faults/fault-proxy.ts'

const tablePrefix = 'chaos_'

/** A DynamoDB server behind a proxy that harms it, and how to look at its tables past that. */
export async function startDynamoDb(seed: number) {
  const dynalite = await startDynalite()
  const abandoned = new Set<string>()
  const proxy = await startFaultProxy(dynalite.endpoint, createRandom(seed + 1), (operation, body) => {
    const row = pendingRowOf(operation, body)
    if (row) abandoned.add(`${row.userId} ${row.conversationId}`)
  })
  const past = { ...connectDynamo(dynalite.endpoint), tablePrefix }
  const stores = createStoresDynamo(past)
  const keysOf: Keys = async (table) => {
    const { Items = [] } = await past.client.call('Scan', table, {
      TableName: `${tablePrefix}${table}`,
      ConsistentRead: true,
    })
    return Items
  }
  return {
    proxy,
    environment: { DYNAMODB_ENDPOINT: proxy.url, CREATE_TABLES: 'true', TABLE_PREFIX: tablePrefix },
    settled: proxy.settled,
    readTables: () => readTables(stores, keysOf),
    async readPending() {
      const rows = await readPending(stores, keysOf)
      return rows.map((row) => ({
        ...row,
        ...(abandoned.has(`${row.userId} ${row.conversationId}`) && { abandoned: true }),
      }))
    },
    async stop() {
      await proxy.stop()
      await dynalite.stop()
    },
  }
}
