import type { Logger } from 'pino'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import type { DynamoCall } from '../engine/dynamodb/client.ts'
import type { Clock } from '../ports/clock.ts'
import type { WatchCall } from '../shared/watch-call.ts'
import type { OnTraced } from '../store/redis/channels.ts'
import type { KeptBackend, SoftBackend } from './backends.ts'

type Options = {
  clock: Clock
  now: () => number
  random: () => number
  logger: Logger
  deadlines: { redisMs?: number; dynamoMs: number }
  onDynamoCall: (call: DynamoCall) => void
  onRedisRoundTrip?: (name: string) => void
  watch: { redis: WatchCall; dynamodb: WatchCall }
  onTraced?: OnTraced
  /** The node must not go on with this backend. */
  onUnusable?: (error: Error) => void
  /** A write to the embedded store has failed. */
  onStoreFailed?: () => void
}

/** Opens the backends as configured. Each is loaded only where it is used: the clients of Redis and AWS take their time, and memory. */
export async function openBackends(
  config: CompleteConfig,
  options: Options,
): Promise<{ kept: KeptBackend; soft: SoftBackend; close(): Promise<void> }> {
  const kept = await openKept(config, options)
  try {
    const soft = await openSoft(config, kept, options)
    return { kept, soft, close: () => soft.close().then(kept.close) }
  } catch (error) {
    await kept.close()
    throw error
  }
}

async function openKept(config: CompleteConfig, options: Options): Promise<KeptBackend> {
  const { clock, now, random, logger, deadlines, onDynamoCall, watch, onStoreFailed } = options
  if (config.dynamodb === 'embedded') {
    const { openEmbeddedStore } = await import('./open-embedded-store.ts')
    return openEmbeddedStore({
      dataDir: config.dataDir,
      claimRows: config.claimRows,
      events: config.events,
      clock,
      warn: (text) => logger.warn(text),
      onFailed(error) {
        // The log leaves out what errors say. This one says what the disk has said, such as that it is full.
        logger.fatal(
          { reason: error instanceof Error ? error.message : String(error) },
          'a write to the store has failed: what is on the disk is not known, so this process ends',
        )
        onStoreFailed?.()
      },
    })
  }
  const { openDynamoDb } = await import('./open-dynamodb.ts')
  return openDynamoDb(config, {
    clock,
    now,
    random,
    requestTimeoutMs: deadlines.dynamoMs,
    onCall: onDynamoCall,
    watch: watch.dynamodb,
  })
}

async function openSoft(config: CompleteConfig, { deployment }: KeptBackend, options: Options): Promise<SoftBackend> {
  const { clock, random, logger, deadlines, onRedisRoundTrip, watch, onTraced, onUnusable } = options
  if (config.redis === 'embedded') {
    const { openEmbeddedSoftState } = await import('./open-embedded-soft-state.ts')
    return openEmbeddedSoftState(clock, random, (error) => logger.warn({ err: error }, 'an event was not taken'))
  }
  const { openRedis } = await import('./open-redis.ts')
  return openRedis(config, deployment, {
    clock,
    random,
    logger,
    watch: watch.redis,
    ...(deadlines.redisMs !== undefined && { commandTimeoutMs: deadlines.redisMs }),
    ...(onRedisRoundTrip && { onRoundTrip: onRedisRoundTrip }),
    ...(onTraced && { onTraced }),
    ...(onUnusable && { onUnusable }),
  })
}
