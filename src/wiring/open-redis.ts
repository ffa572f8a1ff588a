import type { Logger } from 'pino'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import { redisFailureReason } from '../engine/redis/failure-reason.ts'
import type { Clock } from '../ports/clock.ts'
import { createOnceAMinute } from '../shared/once-a-minute.ts'
import type { WatchCall } from '../shared/watch-call.ts'
import type { OnTraced } from '../store/redis/channels.ts'
import { createRedisKeys } from '../store/redis/keys.ts'
import { createRedisStoreLink } from '../store/redis/link.ts'
import { createNodeNumber } from '../store/redis/node-number.ts'
import { createBannersRedis } from '../store/redis/push/banners.ts'
import { createPushQueuesRedis } from '../store/redis/push/push-queues.ts'
import { createQuotasRedis } from '../store/redis/quotas.ts'
import { createRateLimitsRedis } from '../store/redis/rate-limits.ts'
import { createSoftStateRedis } from '../store/redis/soft-state.ts'
import type { KeptBackend, SoftBackend } from './backends.ts'
import { createClockOffset } from './clock-offset.ts'
import { keepDeployment } from './keep-deployment.ts'

type Options = {
  clock: Clock
  random: () => number
  logger: Logger
  commandTimeoutMs?: number
  onRoundTrip?: (name: string) => void
  watch: WatchCall
  onTraced?: OnTraced
  onUnusable?: (error: Error) => void
}

/** Connects to Redis, and throws if this node must not use it. */
export async function openRedis(
  { redis, redisCommands, redisEvents, redisPrefix }: CompleteConfig,
  deployment: KeptBackend['deployment'],
  { clock, random, logger, onTraced, onUnusable, ...options }: Options,
): Promise<SoftBackend> {
  if (redis === 'embedded') throw new Error('No Redis is configured.')
  const onceAMinute = createOnceAMinute(clock)
  /** While Redis is away, each attempt to connect fails, several times a second. */
  const logLost = (error: Error) => {
    const reason = redisFailureReason(error)
    onceAMinute(reason, (count) => logger.warn({ reason, count, err: error }, 'the connection to Redis failed'))
  }
  const link = createRedisStoreLink({
    url: redis.urls.join(','),
    commandStyle: redisCommands,
    clusterPubSub: redisEvents,
    channelPrefix: redisPrefix,
    onError: logLost,
    ...options,
  })
  try {
    if (!(await link.canShard())) throw new Error('A Redis Cluster needs sharded pub/sub: Redis 7 or newer, or Valkey.')
    const keys = createRedisKeys(redisPrefix)
    const clockOffset = createClockOffset(clock, logger)
    const renewDeployment = await keepDeployment(link, deployment, {
      keyPrefix: redisPrefix,
      logger,
      compareClocks: clockOffset.compare,
      ...(onUnusable && { onUnusable }),
    })
    const nodeNumber = createNodeNumber(link, random, redisPrefix)
    await nodeNumber.renew().catch((error) => logger.warn({ err: error }, 'no node number yet'))
    return {
      softState: createSoftStateRedis(link, {
        keyPrefix: redisPrefix,
        nowMs: clock.now,
        ...(onTraced && { onTraced }),
      }),
      quotas: createQuotasRedis(link, keys),
      rateLimits: createRateLimitsRedis(link, keys),
      pushQueue: createPushQueuesRedis(link, keys, { clock }),
      banners: createBannersRedis(link, keys),
      nodeNumber: nodeNumber.current,
      async renew() {
        // Redis answers, and it is this deployment's.
        await Promise.all([renewDeployment(), nodeNumber.renew()])
      },
      clockOffsetMs: clockOffset.offsetMs,
      links: () => ({ commands: link.commands.status === 'ready', events: link.hears() }),
      description: 'as configured',
      close: link.close,
    }
  } catch (error) {
    await link.close()
    throw error
  }
}
