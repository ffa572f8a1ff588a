import type { SoftState } from '../domain/ports.ts'
import { createActivityRedis } from './activity.redis.ts'
import { createBlockHintsRedis } from './block-hints.redis.ts'
import type { OnTraced } from './channels.redis.ts'
import { createEventsRedis } from './events.redis.ts'
import { createHintsRedis } from './hints.redis.ts'
import type { RedisLink } from './redis-client.ts'
import { createRedisKeys, defaultKeyPrefix } from './redis-keys.ts'
import { createSequencerRedis } from './sequencer.redis.ts'
import { createSessionsRedis, sessionTtlMs as defaultSessionTtlMs } from './sessions.redis.ts'
import { createVersionsRedis } from './versions.redis.ts'

export type SoftStateRedisOptions = { keyPrefix?: string; sessionTtlMs?: number; onTraced?: OnTraced }

export function createSoftStateRedis(
  link: RedisLink,
  { keyPrefix = defaultKeyPrefix, sessionTtlMs = defaultSessionTtlMs, onTraced }: SoftStateRedisOptions = {},
): SoftState {
  const keys = createRedisKeys(keyPrefix)
  return {
    sequencer: createSequencerRedis(link, keys),
    sessions: createSessionsRedis(link, keys, sessionTtlMs),
    hints: createHintsRedis(link, keys),
    versions: createVersionsRedis(link, keys),
    activity: createActivityRedis(link, keys),
    blockHints: createBlockHintsRedis(link, keys),
    events: createEventsRedis(link, keys, onTraced),
  }
}
