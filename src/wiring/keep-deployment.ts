import type { Logger } from 'pino'
import type { RedisLink } from '../engine/redis/client.ts'
import { createDeploymentLease, UnusableRedisError } from '../store/deployment.ts'
import type { KeptBackend } from './backends.ts'

type Options = {
  keyPrefix: string
  logger: Logger
  /** Awaits the time that Redis has. */
  compareClocks: (redisMs: () => Promise<number>) => Promise<void>
  /** Is called once, when a renewal finds that this node must not go on with this Redis. */
  onUnusable?: (error: Error) => void
}

/**
 * Takes the lease of this deployment in Redis, and throws if this node must not use this Redis. Returns a function that renews the lease and
 * checks again.
 */
export async function keepDeployment(
  link: RedisLink,
  deployment: KeptBackend['deployment'],
  options: Options,
): Promise<() => Promise<void>> {
  const { keyPrefix, logger, compareClocks, onUnusable } = options
  const lease = createDeploymentLease(link, keyPrefix, deployment)
  const renew = () => compareClocks(lease)
  await renew().catch((error) => {
    if (error instanceof UnusableRedisError) throw error
    // Redis is away: the node is not ready before a later renewal has compared.
    logger.warn({ err: error }, 'the deployment was not compared with Redis yet')
  })

  let isUnusable = false
  return async () => {
    await renew().catch((error) => {
      if (error instanceof UnusableRedisError && !isUnusable) {
        isUnusable = true
        // The log leaves out what errors say. This one holds no secrets, and says what to do.
        logger.fatal({ reason: error.message }, 'this node must not go on with this Redis')
        onUnusable?.(error)
      }
      throw error
    })
  }
}
