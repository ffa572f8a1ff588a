import { createDynamoClient, type DynamoClient, type DynamoOptions } from '../../engine/dynamodb/client.ts'
import { unavailable } from '../../protocol/errors.ts'

/** The client that the stores use. The engine knows nothing of chat: this is where its failures become UNAVAILABLE. */
export const createDynamoStoreClient = (options: Omit<DynamoOptions, 'toError'>): DynamoClient =>
  createDynamoClient({ ...options, toError: unavailable })
