import type { MemberAddress } from '../../ports/delivery.ts'
import type { BoundaryHint, BoundaryHints } from '../../ports/soft-state.ts'
import type { Seq } from '../../protocol/ids.ts'
import type { Boundaries } from '../../protocol/ticks.ts'
import { hintTtlMs } from '../redis/hints.ts'
import type { MemoryHint, MemoryRedis } from './memory-redis.ts'

/** The rules, and why, are those of store/redis/hints.ts. */
export function createHintsMemory(redis: MemoryRedis): BoundaryHints {
  return {
    async get(member) {
      await redis.arrive()
      return toHint(redis.hints.get(hintKey(member)))
    },

    async open(member) {
      await redis.arrive()
      const hint = believed(redis, member)
      redis.hints.set(hintKey(member), hint, hintTtlMs)
      if (hint.version > 0) redis.marks.delete(member.userId)
      return { lastReadSeq: hint.read ?? 0, pendingVersion: pendingVersionOf(hint) }
    },

    async lift(member, boundaries, clearedVersion) {
      await redis.arrive()
      liftHint(redis, member, boundaries, clearedVersion)
    },

    async notePending(member) {
      await redis.arrive()
      return notePending(redis, member)
    },
  }
}

/** Returns the pending version as it is then. */
export function liftHint(
  redis: MemoryRedis,
  member: MemberAddress,
  { lastDeliveredSeq, lastReadSeq }: Boundaries,
  clearedVersion?: number,
): number {
  const { delivered = 0, read = 0, version, runId } = believed(redis, member)
  const isCleared = version > 0 && version === clearedVersion
  const hint: MemoryHint = {
    delivered: Math.max(delivered, lastDeliveredSeq),
    read: Math.max(read, lastReadSeq),
    version: isCleared ? -version : version,
    runId: isCleared ? redis.runId() : runId,
  }
  redis.hints.set(hintKey(member), hint, hintTtlMs)
  return pendingVersionOf(hint)
}

/** With a version that may be believed. */
function believed(redis: MemoryRedis, member: MemberAddress): MemoryHint {
  const hint = redis.hints.get(hintKey(member))
  const isBelieved = hint && (hint.version > 0 || hint.runId === redis.runId())
  return isBelieved ? hint : { ...hint, version: redis.nextVersion(), runId: redis.runId() }
}

/** For whoever has written a pending row. Returns what is delivered, as far as the hint knows. */
export function notePending(redis: MemoryRedis, member: MemberAddress): Seq {
  const hint = redis.hints.get(hintKey(member))
  redis.hints.set(hintKey(member), { ...hint, version: redis.nextVersion(), runId: redis.runId() }, hintTtlMs)
  return hint?.delivered ?? 0
}

export const hintKey = ({ userId, conversationId }: MemberAddress): string => `${userId} ${conversationId}`

function toHint(hint: MemoryHint | undefined): BoundaryHint | undefined {
  if (hint?.delivered === undefined) return undefined
  return {
    lastDeliveredSeq: hint.delivered,
    lastReadSeq: hint.read ?? 0,
    pendingVersion: pendingVersionOf(hint),
  }
}

const pendingVersionOf = ({ version }: MemoryHint): number => Math.max(version, 0)
