import type { Sequencer } from '../../../ports/soft-state.ts'
import type { ConversationId, Seq } from '../../../protocol/ids.ts'
import { counterTtlMs, hashOf, lastSendsMax, seedTokenTtlMs } from '../../redis/sequencer.ts'
import type { MemoryRedis, MemorySend } from './memory-redis.ts'

/** The rules, and why, are those of store/redis/sequencer.ts. */
export function createSequencerMemory(redis: MemoryRedis): Sequencer {
  const { counters } = redis

  return {
    async reserve(conversationId, send) {
      await redis.beginCall()
      const counter = counterOf(redis, conversationId)
      if (!counter) return undefined
      const hash = hashOf(send)
      const known = counter.sends.find((each) => each.hash === hash)
      if (known) return { seq: known.seq, known: true }
      const seq = counter.seq + 1
      const sends = [{ hash, seq }, ...counter.sends].slice(0, lastSendsMax)
      setCounter(redis, conversationId, { ...counter, seq, sends })
      return { seq, known: false }
    },

    async prepareSeed(conversationId) {
      await redis.beginCall()
      const known = tokenOf(redis, conversationId)
      if (known !== undefined) return known
      const token = `${redis.nextVersion()}`
      if (!counterOf(redis, conversationId))
        counters.set(conversationId, { token, runId: redis.runId() }, seedTokenTtlMs)
      return token
    },

    async seed(conversationId, lastSeq, token) {
      await redis.beginCall()
      const counter = counterOf(redis, conversationId)
      if (counter) setCounter(redis, conversationId, raised(counter, lastSeq))
      else if (tokenOf(redis, conversationId) === token)
        setCounter(redis, conversationId, { seq: lastSeq, published: lastSeq, sends: [] })
    },

    async reserveAbove(conversationId, taken) {
      await redis.beginCall()
      const counter = counterOf(redis, conversationId)
      if (!counter) return taken + 1
      const next = raised(counter, taken)
      setCounter(redis, conversationId, { ...next, seq: next.seq + 1 })
      return next.seq + 1
    },

    async giveBack(conversationId, seq) {
      await redis.beginCall()
      const counter = counterOf(redis, conversationId)
      const active = redis.activities.get(conversationId)?.seq ?? -1
      if (counter?.seq !== seq || Math.max(counter.published, active) >= seq) return false
      setCounter(redis, conversationId, { ...counter, seq: seq - 1 })
      return true
    },

    async counters(conversationIds) {
      await redis.beginCall()
      return conversationIds.map((conversationId) => counterOf(redis, conversationId)?.seq)
    },
  }
}

type Counter = { seq: Seq; published: Seq; sends: readonly MemorySend[] }

/** Returns undefined where there is no counter, or only one of another process. */
export function counterOf(redis: MemoryRedis, id: ConversationId): Counter | undefined {
  const kept = keptOf(redis, id)
  return kept && 'seq' in kept ? kept : undefined
}

/** It is called where an entry is published. A counter of another process stays one, and is lifted as well. */
export function liftCounter(redis: MemoryRedis, id: ConversationId, seq: Seq): void {
  const kept = redis.counters.get(id)
  if (kept && 'token' in kept) redis.counters.delete(id)
  else if (kept && (kept.seq < seq || Math.max(kept.published, redis.activities.get(id)?.seq ?? -1) < seq))
    redis.counters.set(id, { ...raised(kept, seq), runId: kept.runId }, counterTtlMs)
}

/** Raises a counter for a caller that knows that the log is taken up to there. */
const raised = ({ seq, published, sends }: Counter, taken: Seq): Counter => ({
  seq: Math.max(seq, taken),
  published: Math.max(published, taken),
  sends,
})

export const setCounter = (redis: MemoryRedis, id: ConversationId, { seq, published, sends }: Counter): void =>
  redis.counters.set(id, { seq, published, sends, runId: redis.runId() }, counterTtlMs)

function tokenOf(redis: MemoryRedis, id: ConversationId): string | undefined {
  const kept = keptOf(redis, id)
  return kept && 'token' in kept ? kept.token : undefined
}

function keptOf(redis: MemoryRedis, id: ConversationId) {
  const kept = redis.counters.get(id)
  return kept?.runId === redis.runId() ? kept : undefined
}
