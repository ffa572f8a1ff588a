import type { Change, LogRow, Message } from '../../../src/ports/log.ts'
import { messageNodeId } from '../../../src/protocol/ids.ts'
import { clientMessageIdOf, identity } from './anomaly.ts'
import { changeCalls, type History, type MessageSeen, sends } from './history.ts'

/**
 * Looks up what the conversations hold in the end, by the tables, or else as it was first read. The checks ask it about what was seen on the
 * way.
 */
export type FinalLog = ReturnType<typeof createFinalLog>

export function createFinalLog(history: History) {
  const { walks, tables } = history
  const logs = new Map(
    tables.map(({ conversationId, rows }) => [conversationId, rows.filter(isMessage).map(asSeen)] as const),
  )
  const rows = new Map(tables.map((table) => [table.conversationId, new Map(table.rows.map((row) => [row.seq, row]))]))
  const changes = new Map<string, Change[]>()
  const asked = new Map(
    changeCalls(history).map(({ userId, ask }) => [`${userId} ${ask.clientMessageId}`, ask.alteration]),
  )
  for (const row of tables.flatMap((table) => table.rows.filter(isChange))) {
    // An edit that no longer shows has lost its text; here it has the text that was asked for.
    const isStripped = row.alteration.type === 'edit' && row.alteration.body === ''
    const alteration = isStripped ? asked.get(`${row.senderId} ${row.clientMessageId}`) : undefined
    const change = alteration ? { ...row, alteration } : row
    const key = `${change.conversationId} ${change.targetSeq}`
    changes.set(key, [...(changes.get(key) ?? []), change])
  }
  const written = new Map<string, string>()
  for (const { userId, ask } of sends(history))
    if (!ask.forged) written.set(`${userId} ${ask.clientMessageId}`, ask.body)
  for (const { conversationId, messages } of walks) if (!logs.has(conversationId)) logs.set(conversationId, messages)
  const bySeq = new Map(
    [...logs].map(([id, messages]) => [id, new Map(messages.map((message) => [message.seq, message]))]),
  )

  const of = (conversationId: string): readonly MessageSeen[] => logs.get(conversationId) ?? []

  /** Returns how many messages have a seq up to this one. */
  function countTo(conversationId: string, seq: number): number {
    const messages = of(conversationId)
    let low = 0
    let high = messages.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((messages[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  const at = (conversationId: string, seq: number): MessageSeen | undefined => bySeq.get(conversationId)?.get(seq)

  /** Returns what was done to a message, by seq. */
  const changesOf = ({ conversationId, seq }: Pick<MessageSeen, 'conversationId' | 'seq'>): readonly Change[] =>
    changes.get(`${conversationId} ${seq}`) ?? []

  /** Returns whether the author, or some change in the log, made the message look like this. */
  function isAsMade(message: MessageSeen): boolean {
    const stored = at(message.conversationId, message.seq)
    const made = changesOf(message)
    if (message.look?.deleted || message.body === '')
      return message.body === '' && made.some(({ alteration }) => alteration.type === 'delete')
    const original = stored && (written.get(`${stored.senderId} ${clientMessageIdOf(stored)}`) ?? stored.body)
    const isEdit = ({ alteration }: Change) => alteration.type === 'edit' && alteration.body === message.body
    return message.body === original || made.some(isEdit)
  }

  return {
    conversationIds: [...logs.keys()],
    of,
    changesOf,
    isAsMade,
    /** Returns whether this is the message that is there, as it looked at some time. */
    fits: (message: MessageSeen): boolean => {
      const stored = at(message.conversationId, message.seq)
      return stored !== undefined && identity(stored) === identity(message) && isAsMade(message)
    },
    changes: [...changes.values()].flat(),
    rowAt: (conversationId: string, seq: number): LogRow | undefined => rows.get(conversationId)?.get(seq),
    at,
    /** Returns the seq of the last entry of any kind. */
    lastSeq: (conversationId: string): number =>
      Math.max(0, of(conversationId).at(-1)?.seq ?? 0, ...(rows.get(conversationId)?.keys() ?? [])),
    /** Returns the seq of the message before this one, or 0 if there is none. */
    before: (conversationId: string, seq: number): number =>
      of(conversationId)[countTo(conversationId, seq - 1) - 1]?.seq ?? 0,
    /** Returns the seqs of the messages strictly between the two. */
    between: (conversationId: string, above: number, below: number): number[] =>
      of(conversationId)
        .slice(countTo(conversationId, above), Math.max(0, countTo(conversationId, below - 1)))
        .map(({ seq }) => seq),
  }
}

const isMessage = (row: LogRow): row is Message => row.kind === 'message'
const isChange = (row: LogRow): row is Change => row.kind === 'change'

const asSeen = (row: Message): MessageSeen => ({
  conversationId: row.conversationId,
  seq: row.seq,
  id: messageNodeId(row),
  messageId: row.messageId,
  senderId: row.senderId,
  body: row.body,
  clientMessageId: row.clientMessageId,
  look: {
    edited: row.edited !== undefined,
    deleted: row.deletedAtMs !== undefined,
    reactions: countsOf((row.reactions ?? []).filter(({ on }) => on).map(({ emoji }) => emoji)),
  },
})

function countsOf(all: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of all) counts[each] = (counts[each] ?? 0) + 1
  return counts
}
