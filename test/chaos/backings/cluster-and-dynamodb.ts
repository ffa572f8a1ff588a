import { createChaosCluster } from '../faults/chaos-cluster.ts'
import { faultsOfCluster } from '../faults/plan.ts'
import type { Backing } from './backing.ts'
import { startDynamoDb } from './dynamodb.ts'

/** A real Redis Cluster, three masters with a replica each, and a DynamoDB server behind a proxy that harms it. */
export async function startClusterAndDynamoDb(seed: number): Promise<Backing> {
  const cluster = await createChaosCluster()
  const { proxy, environment, stop, ...dynamodb } = await startDynamoDb(seed)
  return {
    ...dynamodb,
    environment: { ...environment, REDIS_URL: cluster.url },
    preloads: [],
    faults: faultsOfCluster,
    services: { cluster, dynamodb: proxy },
    async stop() {
      await stop()
      await cluster.stop()
    },
    destroy: cluster.destroy,
  }
}
