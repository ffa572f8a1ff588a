import type { BlockCache, Sequencer } from '../../../ports/soft-state.ts'
import type { ConversationId, UserId } from '../../../protocol/ids.ts'
import { changingTtlMs, knownTtlMs, leaseTtlMs } from '../../redis/block-cache.ts'
import type { MemoryBlock, MemoryRedis } from './memory-redis.ts'

/** The rules, and why, are those of store/redis/block-cache.ts. */
export function createBlockCacheMemory(redis: MemoryRedis, sequencer: Sequencer): BlockCache {
  const { blocks } = redis

  function standing(id: ConversationId): MemoryBlock | undefined {
    const block = blocks.get(id)
    return block?.runId === redis.runId() ? block : undefined
  }

  function blockersOf(id: ConversationId, lease: string): readonly UserId[] | undefined {
    const block = standing(id)
    if (block?.kind === 'known') return block.blockers
    if (!block) blocks.set(id, { kind: 'lease', id: lease, runId: redis.runId() }, leaseTtlMs)
    return undefined
  }

  return {
    async look(conversationIds, lease) {
      await redis.beginCall()
      return conversationIds.map((id) => blockersOf(id, lease))
    },

    async reserve(conversationId, send, lease) {
      await redis.beginCall()
      const blockers = blockersOf(conversationId, lease)
      if (!blockers) return 'unknown'
      if (blockers.some((blocker) => blocker !== send.senderId)) return 'blocked'
      return sequencer.reserve(conversationId, send)
    },

    async seed(conversationId, lease, blockers) {
      await redis.beginCall()
      const block = standing(conversationId)
      if (block?.kind !== 'lease' || block.id !== lease) return
      blocks.set(conversationId, { kind: 'known', blockers: [...blockers], runId: redis.runId() }, knownTtlMs)
    },

    async begin(conversationId, change) {
      await redis.beginCall()
      blocks.set(conversationId, { kind: 'changing', id: change, runId: redis.runId() }, changingTtlMs)
    },

    async end(conversationId, change) {
      await redis.beginCall()
      const block = blocks.get(conversationId)
      if (block?.kind === 'changing' && block.id !== change) return
      blocks.delete(conversationId)
    },
  }
}
