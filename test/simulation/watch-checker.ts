import { type ConversationId, isGroupId, type UserId } from '../../src/protocol/ids.ts'
import { type Anomaly, only } from './final-log.ts'
import type { Fact } from './group-checker.ts'
import type { Entry } from './history.ts'

/** After this time a removed member is shown nothing more: the periodic resync finds out within 30 s, as soon as it is answered. */
const graceMs = 45_000

/** Checks what users were shown of the ticks and the typing of others. */
export function checkWatches(entries: readonly Entry[], facts: readonly Fact[]): Anomaly[] {
  return [...forMembers(entries, facts), ...ended(entries, facts), ...rising(entries)]
}

/** Returns whether it was known long ago, between these times, that the user is out of the group, and the user was not back in time. */
function isLongOut(
  entries: readonly Entry[],
  facts: readonly Fact[],
  viewer: { userId: UserId; id: ConversationId; fromMs: number; toMs: number },
): boolean {
  const { userId, id, fromMs, toMs } = viewer
  return facts.some((fact) => {
    if (fact.isIn || fact.userId !== userId || fact.id !== id) return false
    const sinceMs = Math.max(fromMs, entries[fact.index]?.atMs ?? 0)
    return sinceMs + graceMs < Math.min(toMs, fact.untilMs) && fact.untilMs > toMs
  })
}

/** P6: a removed member is shown no ticks and no typing of the group. */
function forMembers(entries: readonly Entry[], facts: readonly Fact[]): Anomaly[] {
  return entries.flatMap((entry) => {
    const seen =
      entry.kind === 'typing'
        ? { ...entry, of: entry.typing }
        : entry.kind === 'ticks' && entry.watch
          ? { ...entry.watch, of: entry.ticks }
          : undefined
    if (!seen || !isGroupId(seen.of.conversationId)) return []
    const { userId, of, stream } = seen
    if (!isLongOut(entries, facts, { userId, id: of.conversationId, fromMs: 0, toMs: entry.atMs })) return []
    const what = `stream ${stream} shows ${userId} the ${entry.kind} of ${of.userId} in ${of.conversationId}`
    return [{ promise: 'P6', what: `${what}, which they were taken out of` }]
  })
}

/** P6: a stream of one group ends when its user is no longer in it. */
function ended(entries: readonly Entry[], facts: readonly Fact[]): Anomaly[] {
  const lastMs = entries.at(-1)?.atMs ?? 0
  const endOf = new Map(only(entries, 'left').map(({ stream, atMs }) => [stream, atMs]))
  return only(entries, 'watch').flatMap(({ stream, userId, only: id, of, atMs }) => {
    if (!id || !isGroupId(id)) return []
    const toMs = endOf.get(stream) ?? lastMs
    if (!isLongOut(entries, facts, { userId, id, fromMs: atMs, toMs })) return []
    return [{ promise: 'P6', what: `stream ${stream} of ${of} goes on for ${userId}, who was taken out of ${id}` }]
  })
}

/** P5: the boundaries that one stream shows of a member never fall. */
function rising(entries: readonly Entry[]): Anomaly[] {
  const shown = new Map<string, { lastDeliveredSeq: number; lastReadSeq: number }>()
  return only(entries, 'ticks').flatMap(({ ticks, watch }) => {
    if (!watch) return []
    const key = `${watch.stream} ${ticks.conversationId} ${ticks.userId}`
    const before = shown.get(key)
    shown.set(key, ticks)
    if (!before || (ticks.lastDeliveredSeq >= before.lastDeliveredSeq && ticks.lastReadSeq >= before.lastReadSeq))
      return []
    return [{ promise: 'P5', what: `stream ${watch.stream}: the ticks of ${ticks.userId} fell` }]
  })
}
