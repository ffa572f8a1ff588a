import type { LogRow, MessageLog } from '../domain/ports.ts'
import type { ConversationId, Seq } from '../protocol/ids.ts'

// conversation → seq → row
export function createMessagesMemory(): MessageLog {
  const logs = new Map<ConversationId, Map<Seq, LogRow>>()

  const cell = (conversationId: ConversationId, seq: Seq): LogRow | undefined => {
    const row = logs.get(conversationId)?.get(seq)
    return row && { ...row }
  }
  const ascending = (conversationId: ConversationId): LogRow[] =>
    [...(logs.get(conversationId)?.values() ?? [])].sort((a, b) => a.seq - b.seq).map((row) => ({ ...row }))

  return {
    async put(row) {
      const log = logs.get(row.conversationId) ?? new Map<Seq, LogRow>()
      if (log.has(row.seq)) return 'taken'
      logs.set(row.conversationId, log.set(row.seq, { ...row }))
      return 'written'
    },

    async get({ conversationId, seq }) {
      return cell(conversationId, seq)
    },

    async getMany(addresses) {
      const rows = addresses.map(({ conversationId, seq }) => cell(conversationId, seq))
      const present = rows.filter((row) => row !== undefined)
      return [...new Map(present.map((row) => [`${row.conversationId}#${row.seq}`, row])).values()]
    },

    async above(conversationId, after, limit) {
      return ascending(conversationId)
        .filter(({ seq }) => seq > after)
        .slice(0, limit)
    },

    async below(conversationId, before, limit) {
      return ascending(conversationId)
        .filter(({ seq }) => seq < before)
        .reverse()
        .slice(0, limit)
    },

    async countOfOthers(conversationId, after, senderId, most) {
      const rows = ascending(conversationId).filter(({ seq }) => seq > after)
      return Math.min(most, rows.filter((row) => row.kind === 'message' && row.senderId !== senderId).length)
    },
  }
}
