import type { Clock } from '../ports/clock.ts'
import { nodeNumberLimit } from '../protocol/snowflake.ts'
import { createBannersMemory } from '../store/embedded/soft-state/banners.ts'
import { createMemoryRedis } from '../store/embedded/soft-state/memory-redis.ts'
import { createPushQueueMemory } from '../store/embedded/soft-state/push-queue.ts'
import { createQuotasMemory } from '../store/embedded/soft-state/quotas.ts'
import { createRateLimitsMemory } from '../store/embedded/soft-state/rate-limits.ts'
import { createSoftStateMemory } from '../store/embedded/soft-state/soft-state.ts'
import type { SoftBackend } from './backends.ts'

const sweepMs = 60_000

/** Keeps the soft state in this process, which forgets it when it ends: as a Redis that is flushed with every start. */
export function openEmbeddedSoftState(
  clock: Clock,
  random: () => number,
  onError: (error: unknown) => void,
): SoftBackend {
  const redis = createMemoryRedis(clock, onError)
  const banners = createBannersMemory()
  const sweeping = setInterval(redis.sweep, sweepMs)
  const nodeNumber = Math.floor(random() * nodeNumberLimit)
  return {
    softState: createSoftStateMemory(redis),
    quotas: createQuotasMemory(clock),
    rateLimits: createRateLimitsMemory(clock),
    pushQueue: createPushQueueMemory(clock),
    banners,
    nodeNumber: () => nodeNumber,
    renew: async () => undefined,
    links: () => ({ commands: true, events: true }),
    description: 'in this process',
    close: async () => clearInterval(sweeping),
  }
}
