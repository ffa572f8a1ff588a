import type { Member } from '../../domain/conversations/access.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'

export type ReadTicks = (members: readonly Member[]) => Promise<MemberBoundaries[][]>

const staleAfterMs = 200
const conversationsMax = 100

/**
 * Reads boundaries for the events of one stream at most every 200 ms. The tick of an event is a snapshot anyway, and ticksChanged tells
 * of every later change; but without this, a device that has missed a thousand messages would wait for a thousand reads, one after the
 * other.
 */
export function createRecentTicks(read: ReadTicks, now: () => number): ReadTicks {
  const recent = new Map<ConversationId, { readAtMs: number; ticks: MemberBoundaries[] }>()

  return async (members) => {
    const due = members.filter(({ conversation }) => {
      const known = recent.get(conversation.id)
      return !known || now() - known.readAtMs >= staleAfterMs
    })
    if (recent.size > conversationsMax) recent.clear()
    const readAtMs = now()
    const fresh = due.length > 0 ? await read(due) : []
    for (const [i, { conversation }] of due.entries()) recent.set(conversation.id, { readAtMs, ticks: fresh[i] ?? [] })
    return members.map(({ conversation }) => recent.get(conversation.id)?.ticks ?? [])
  }
}
