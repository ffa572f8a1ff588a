import { createRandom } from '../../simulation/random.ts'
import { faultsOfServices } from '../faults/plan.ts'
import { startRedisPair } from '../faults/redis-pair.ts'
import type { Backing } from './backing.ts'
import { startDynamoDb } from './dynamodb.ts'

/** A real Redis and its replica, and a DynamoDB server, both behind proxies that harm them. */
export async function startRedisAndDynamoDb(seed: number): Promise<Backing> {
  const redis = await startRedisPair(createRandom(seed + 2))
  const { proxy, environment, stop, ...dynamodb } = await startDynamoDb(seed)
  return {
    ...dynamodb,
    environment: { ...environment, REDIS_URL: redis.url },
    preloads: [],
    faults: faultsOfServices,
    services: { redis, dynamodb: proxy },
    async stop() {
      await stop()
      await redis.stop()
    },
    destroy: redis.destroy,
  }
}
