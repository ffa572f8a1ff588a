import { createRedisLink, type RedisLink, type RedisLinkOptions } from '../../engine/redis/client.ts'
import { unavailable } from '../../protocol/errors.ts'

/** The link that the stores use. The engine knows nothing of chat: this is where its failures become UNAVAILABLE. */
export const createRedisStoreLink = (options: Omit<RedisLinkOptions, 'toError'>): RedisLink =>
  createRedisLink({ ...options, toError: unavailable })
