import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { startEmbedded } from '../embedded/start-embedded.ts'

/** Returns the backends as configured, or starts embedded ones. */
export async function openBackends({ redis, dynamodb, dataDir }: Config, logger: Logger) {
  const embedded = await startEmbedded({
    dataDir,
    redis: redis === 'embedded',
    dynamodb: dynamodb === 'embedded',
    onLost: (reason) => logger.error(reason),
  })
  return {
    redisUrl: redis === 'embedded' ? (embedded.redisUrl ?? '') : redis.urls.join(','),
    dynamodb: dynamodb === 'embedded' ? { endpoint: embedded.dynamodbEndpoint ?? '', region: 'us-east-1' } : dynamodb,
    describe: embedded.describe,
    stop: embedded.stop,
  }
}
