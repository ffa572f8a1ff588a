import { LRUCache } from 'lru-cache'
import { ChatError } from '../../protocol/errors.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { entriesMax } from '../../shared/entries-max.ts'
import type { Log } from './log.ts'

/** Keeps the highest seq of each log that this node has seen. Logs only grow, so a log is at least that long, and may be longer. */
export type HighestSeqs = ReturnType<typeof createHighestSeqs>

export function createHighestSeqs(log: Log, cacheSize: number) {
  const seen = new LRUCache<ConversationId, Seq>(entriesMax(cacheSize))
  /** What was noted last: a thousand readers note the same entry one after the other. */
  let latest: { conversationId: ConversationId | undefined; seq: Seq } = { conversationId: undefined, seq: 0 }

  function note(conversationId: ConversationId, seq: Seq): void {
    if (seq === latest.seq && conversationId === latest.conversationId) return
    latest = { conversationId, seq }
    if (seq > (seen.get(conversationId) ?? 0)) seen.set(conversationId, seq)
  }

  /** Returns 0 where this node has seen nothing of the conversation. */
  const known = (conversationId: ConversationId): Seq => seen.get(conversationId) ?? 0

  /** Returns whether the conversation has an entry at `seq` or above. Reads the log only if this node has not seen that far. */
  async function reaches(conversationId: ConversationId, seq: Seq): Promise<boolean> {
    if (seq <= known(conversationId)) return true
    const last = await log.lastEntry(conversationId)
    if (last) note(conversationId, last.seq)
    return last !== undefined && seq <= last.seq
  }

  async function assertInRange(conversationId: ConversationId, seq: Seq): Promise<void> {
    if (seq >= 1 && (await reaches(conversationId, seq))) return
    throw new ChatError('SEQ_OUT_OF_RANGE', 'seq must be between 1 and the last seq of the conversation.', {
      field: 'seq',
    })
  }

  return { note, known, reaches, assertInRange }
}
