import { createRedisLink, type RedisLink, type RedisLinkOptions } from '../../engine/redis/client.ts'
import { unavailable } from '../../protocol/errors.ts'

/** Makes the link that the stores use. The engine knows nothing of chat, so its failures become UNAVAILABLE here. */
export const createRedisStoreLink = (options: Omit<RedisLinkOptions, 'toError'>): RedisLink =>
  createRedisLink({ ...options, toError: unavailable })
