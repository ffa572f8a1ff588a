import { createDynamoClient, type DynamoClient, type DynamoOptions } from '../../engine/dynamodb/client.ts'
import { unavailable } from '../../protocol/errors.ts'

/** Makes the client that the stores use. The engine knows nothing of chat, so its failures become UNAVAILABLE here. */
export const createDynamoStoreClient = (options: Omit<DynamoOptions, 'toError'>): DynamoClient =>
  createDynamoClient({ ...options, toError: unavailable })
