import { randomUUID } from 'node:crypto'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import type { DynamoCall } from '../engine/dynamodb/client.ts'
import type { Clock } from '../ports/clock.ts'
import type { WatchCall } from '../shared/watch-call.ts'
import { readDeploymentId, readyKey } from '../store/deployment.ts'
import { createDynamoStoreClient } from '../store/dynamo/client.ts'
import { createStoresDynamo } from '../store/dynamo/stores.ts'
import { createDynamoTable } from '../store/dynamo/table.ts'
import { createTables, validateTables } from '../store/dynamo/table-setup.ts'
import type { KeptBackend } from './backends.ts'

type Options = {
  clock: Clock
  now: () => number
  random: () => number
  requestTimeoutMs: number
  onCall: (call: DynamoCall) => void
  watch: WatchCall
}

export async function openDynamoDb(
  { dynamodb, dynamodbClient, tables, claimRows }: CompleteConfig,
  { clock, ...options }: Options,
): Promise<KeptBackend> {
  if (dynamodb === 'embedded') throw new Error('No DynamoDB is configured.')
  const client = createDynamoStoreClient({ ...dynamodb, wire: dynamodbClient, ...options })
  const dynamo = { client, tablePrefix: tables.prefix, clock }
  try {
    if (tables.create) await createTables(dynamo)
    await validateTables(dynamo)
    const users = createDynamoTable(dynamo, 'users')
    const id = await readDeploymentId(
      {
        get: (key) => users.get(key),
        create: async (row) => void (await users.put(row, { where: 'attribute_not_exists(user_id)' })),
      },
      randomUUID,
    )
    const stores = createStoresDynamo(dynamo, claimRows)
    return {
      stores,
      deployment: { id, tables: tables.prefix + ('service' in dynamodb ? ` in ${dynamodb.region}` : '') },
      // A read would not show that writes are denied, or throttled.
      check: async () => void (await users.put({ ...readyKey, deployment_id: id })),
      description: 'as configured',
      close: async () => client.close(),
    }
  } catch (error) {
    client.close()
    throw error
  }
}
