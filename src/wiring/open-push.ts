import { deriveVapid } from '../config/derived-secrets.ts'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import type { RedisLink } from '../engine/redis/client.ts'
import type { Clock } from '../ports/clock.ts'
import type { Push } from '../ports/push.ts'
import { createProviders, type ProviderSettings } from '../push/providers.ts'
import { createBannersRedis } from '../store/redis/banners.ts'
import { createRedisKeys } from '../store/redis/keys.ts'
import { createPushQueueRedis } from '../store/redis/push-queue.ts'

/** A test may play the push services. */
export type PushServices = Pick<ProviderSettings, 'endpoints' | 'timeoutMs'>

/** Makes the queue and the providers that push to absent users; undefined if no provider is configured. */
export function openPush(
  config: CompleteConfig,
  link: RedisLink,
  clock: Clock,
  services: PushServices,
): Push | undefined {
  const { vapid: given, fcm, apns, log } = config.push
  const vapid = given === 'derived' ? deriveVapid(config.cursorSecret) : given
  const providers = createProviders({
    ...services,
    ...(vapid && { vapid }),
    ...(fcm && { fcm }),
    ...(apns && { apns }),
    ...(log && { print: console.log }),
    now: clock.now,
    publicOnly: config.push.privateEndpoints !== true,
  })
  if (Object.keys(providers).length === 0) return undefined
  const keys = createRedisKeys(config.redisPrefix)
  const queue = createPushQueueRedis(link, keys, { clock })
  return { queue, banners: createBannersRedis(link, keys), providers, ...(vapid && { publicKey: vapid.publicKey }) }
}
