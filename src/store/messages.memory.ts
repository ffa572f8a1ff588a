import type { Change, LogRow, Message, MessageLog } from '../ports/log.ts'
import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'

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

    async alter(change) {
      const log = logs.get(change.conversationId)
      const target = log?.get(change.targetSeq)
      if (target?.kind !== 'message') return undefined
      const altered = target.deletedAtMs === undefined ? alter(target, change) : target
      log?.set(change.targetSeq, altered)
      return { ...altered }
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
      return Math.min(most, rows.filter((row) => isOfOthers(row, senderId)).length)
    },
  }
}

const isOfOthers = (row: LogRow, senderId: UserId): boolean =>
  row.kind === 'message' && row.senderId !== senderId && row.deletedAtMs === undefined

function alter(message: Message, { seq, senderId, sentAtMs, alteration }: Change): Message {
  if (alteration.type === 'delete') {
    const { reactions: _reactions, attachments: _attachments, ...rest } = message
    return { ...rest, body: '', deletedAtMs: sentAtMs }
  }
  if (alteration.type === 'edit') {
    if ((message.edited?.seq ?? 0) >= seq) return message
    return { ...message, body: alteration.body, edited: { seq, atMs: sentAtMs } }
  }
  const { emoji, on } = alteration
  const reactions = message.reactions ?? []
  const earlier = reactions.find((each) => each.emoji === emoji && each.userId === senderId)
  if (earlier && earlier.seq >= seq) return message
  const others = reactions.filter((each) => each !== earlier)
  return { ...message, reactions: [...others, { emoji, userId: senderId, seq, on }].sort((a, b) => a.seq - b.seq) }
}
