import type { SendKey, Sequencer } from '../ports/soft-state.ts'
import type { ConversationId } from '../protocol/ids.ts'
import type { MemoryRedis } from './memory-redis.ts'
import { counterTtlMs, sentTtlMs } from './sequencer.redis.ts'

export function createSequencerMemory(redis: MemoryRedis): Sequencer {
  const { counters, sent } = redis
  const sentKey = (conversationId: ConversationId, { senderId, clientMessageId }: SendKey) =>
    `${conversationId}:${senderId}#${clientMessageId}`

  return {
    async reserve(conversationId, send) {
      await redis.arrive()
      const knownSeq = sent.get(sentKey(conversationId, send))
      if (knownSeq !== undefined) return { seq: knownSeq, known: true }
      const counter = counters.get(conversationId)
      if (counter === undefined) return undefined
      counters.set(conversationId, counter + 1, counterTtlMs)
      sent.set(sentKey(conversationId, send), counter + 1, sentTtlMs)
      return { seq: counter + 1, known: false }
    },

    async seed(conversationId, lastSeq) {
      await redis.arrive()
      counters.set(conversationId, Math.max(counters.get(conversationId) ?? 0, lastSeq), counterTtlMs)
    },

    async reserveAbove(conversationId, taken) {
      await redis.arrive()
      const counter = counters.get(conversationId)
      if (counter === undefined) return taken + 1
      const seq = Math.max(counter, taken) + 1
      counters.set(conversationId, seq, counterTtlMs)
      return seq
    },

    async giveBack(conversationId, seq) {
      await redis.arrive()
      if (counters.get(conversationId) !== seq) return false
      counters.set(conversationId, seq - 1, counterTtlMs)
      return true
    },

    async heads(conversationIds) {
      await redis.arrive()
      return conversationIds.map((conversationId) => counters.get(conversationId))
    },
  }
}
