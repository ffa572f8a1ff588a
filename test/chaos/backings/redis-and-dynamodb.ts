import { createStoresDynamo } from '../../../src/store/dynamo/stores.ts'
import { connectDynamo, startDynalite } from '../../kit/services/dynamodb.ts'
import { createRandom } from '../../simulation/random.ts'
import { type Keys, pendingRowOf, readPending, readTables } from '../checks/tables.ts'
import { startFaultProxy } from '../faults/fault-proxy.ts'
import { faultsOfServices } from '../faults/plan.ts'
import { startRedisPair } from '../faults/redis-pair.ts'
import type { Backing } from './backing.ts'

const tablePrefix = 'chaos_'

/** A real Redis and its replica, and a DynamoDB server, both behind proxies that harm them. */
export async function startRedisAndDynamoDb(seed: number): Promise<Backing> {
  const redis = await startRedisPair(createRandom(seed + 2))
  const dynalite = await startDynalite()
  const abandoned = new Set<string>()
  const dynamodb = await startFaultProxy(dynalite.endpoint, createRandom(seed + 1), (operation, body) => {
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
    environment: {
      REDIS_URL: redis.url,
      DYNAMODB_ENDPOINT: dynamodb.url,
      CREATE_TABLES: 'true',
      TABLE_PREFIX: tablePrefix,
    },
    preloads: [],
    faults: faultsOfServices,
    services: { redis, dynamodb },
    settled: dynamodb.settled,
    readTables: () => readTables(stores, keysOf),
    async readPending() {
      const rows = await readPending(stores, keysOf)
      return rows.map((row) => ({
        ...row,
        ...(abandoned.has(`${row.userId} ${row.conversationId}`) && { abandoned: true }),
      }))
    },
    async stop() {
      await dynamodb.stop()
      await dynalite.stop()
      await redis.stop()
    },
    destroy: redis.destroy,
  }
}
