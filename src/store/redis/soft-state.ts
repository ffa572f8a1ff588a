import type { RedisLink } from '../../engine/redis/client.ts'
import type { SoftState } from '../../ports/ports.ts'
import { createActivityRedis } from './activity.ts'
import { createBlockCacheRedis } from './block-cache.ts'
import { createBoundaryCacheRedis } from './boundary-cache.ts'
import type { OnTraced } from './channels.ts'
import { createEventsRedis } from './events.ts'
import { createFeedCountersRedis } from './feed-counters.ts'
import { createIndexStampsRedis } from './index-stamps.ts'
import { createRedisKeys, defaultKeyPrefix } from './keys.ts'
import { createSequencerRedis } from './sequencer.ts'
import { createSessionLeasesRedis } from './session-leases.ts'
import { createSessionsRedis, sessionTtlMs as defaultSessionTtlMs } from './sessions.ts'
import { createTickStampsRedis } from './tick-stamps.ts'
import { createVersionsRedis } from './versions.ts'

type SoftStateRedisOptions = { keyPrefix?: string; sessionTtlMs?: number; onTraced?: OnTraced; nowMs?: () => number }

export function createSoftStateRedis(
  link: RedisLink,
  {
    keyPrefix = defaultKeyPrefix,
    sessionTtlMs = defaultSessionTtlMs,
    onTraced,
    nowMs = Date.now,
  }: SoftStateRedisOptions = {},
): SoftState {
  const keys = createRedisKeys(keyPrefix)
  const sessionLeases = createSessionLeasesRedis(link, keys)
  return {
    sequencer: createSequencerRedis(link, keys),
    sessions: createSessionsRedis(link, keys, sessionLeases, sessionTtlMs),
    sessionLeases,
    boundaryCache: createBoundaryCacheRedis(link, keys, nowMs),
    versions: createVersionsRedis(link, keys),
    indexStamps: createIndexStampsRedis(link, keys),
    tickStamps: createTickStampsRedis(link, keys),
    activity: createActivityRedis(link, keys),
    blockCache: createBlockCacheRedis(link, keys),
    events: createEventsRedis(link, keys, sessionLeases, { nowMs, onTraced }),
    feedCounters: createFeedCountersRedis(link, keys),
  }
}
