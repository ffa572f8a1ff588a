import type { SoftState } from '../../../ports/ports.ts'
import { createActivityMemory } from './activity.ts'
import { createBlockCacheMemory } from './block-cache.ts'
import { createBoundaryCacheMemory } from './boundary-cache.ts'
import { createEventsMemory } from './events.ts'
import { createFeedCountersMemory } from './feed-counters.ts'
import { createIndexStampsMemory } from './index-stamps.ts'
import type { MemoryRedis } from './memory-redis.ts'
import { createSequencerMemory } from './sequencer.ts'
import { createSessionLeasesMemory } from './session-leases.ts'
import { createSessionsMemory } from './sessions.ts'
import { createTickStampsMemory } from './tick-stamps.ts'
import { createVersionsMemory } from './versions.ts'

/** One node's view of the memory Redis that it shares with others. */
export function createSoftStateMemory(redis: MemoryRedis, sessionTtlMs?: number): SoftState {
  const sequencer = createSequencerMemory(redis)
  return {
    sequencer,
    sessions: createSessionsMemory(redis, sessionTtlMs),
    sessionLeases: createSessionLeasesMemory(redis),
    boundaryCache: createBoundaryCacheMemory(redis),
    versions: createVersionsMemory(redis),
    indexStamps: createIndexStampsMemory(redis),
    tickStamps: createTickStampsMemory(redis),
    activity: createActivityMemory(redis),
    blockCache: createBlockCacheMemory(redis, sequencer),
    events: createEventsMemory(redis),
    feedCounters: createFeedCountersMemory(redis),
  }
}
