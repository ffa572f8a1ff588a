import type { Group } from '../../src/ports/conversations.ts'
import type { Change, LogRow, Message } from '../../src/ports/log.ts'
import type { ConversationId, MessageAddress, Seq, UserId } from '../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../src/protocol/ticks.ts'
import type { Entry } from './history.ts'

/** The final state of a run. */
export type FinalState = {
  chats: FinalChat[]
  /** Whether streams and pages showed notices. */
  hasNotices: boolean
  ticks: MemberBoundaries[]
  isBrisk: boolean
  voidedByReaders: number
  /** Returns when the row was written, in the time of the simulation. The time in the row is that of a node's clock, which may be off. */
  writtenAtMs(address: MessageAddress): number
}

/** `indexed` are the users who have it in their index. */
export type FinalChat = {
  id: ConversationId
  members: readonly UserId[]
  group?: Group
  indexed: readonly UserId[]
  rows: readonly LogRow[]
}

export type Anomaly = { promise: string; what: string }

export type FinalLog = ReturnType<typeof createFinalLog>

/** Looks things up in the final logs. An edit that no longer shows has lost its text; here it has the requested text. */
export function createFinalLog({ chats }: Pick<FinalState, 'chats'>, entries: readonly Entry[]) {
  const asked = new Map(only(entries, 'alters').map(({ clientMessageId, alteration }) => [clientMessageId, alteration]))
  const withText = (row: LogRow): LogRow => {
    const isStripped = row.kind === 'change' && row.alteration.type === 'edit' && row.alteration.body === ''
    return isStripped ? { ...row, alteration: asked.get(row.clientMessageId) ?? row.alteration } : row
  }
  const rows = new Map<string, LogRow>()
  for (const row of chats.flatMap((chat) => chat.rows)) rows.set(`${row.conversationId} ${row.seq}`, withText(row))
  const all = [...rows.values()]
  const messages = all.filter((row) => row.kind === 'message')
  const changes = all.filter((row) => row.kind === 'change')
  const numbered: (Message | Change)[] = [...messages, ...changes]

  const at = (id: ConversationId, seq: Seq): LogRow | undefined => rows.get(`${id} ${seq}`)
  const messageAt = (id: ConversationId, seq: Seq): Message | undefined => {
    const row = at(id, seq)
    return row?.kind === 'message' ? row : undefined
  }
  const changeAt = (id: ConversationId, seq: Seq): Change | undefined => {
    const row = at(id, seq)
    return row?.kind === 'change' ? row : undefined
  }
  /** Returns the seq of the last entry, message or change. */
  const last = (id: ConversationId): Seq =>
    Math.max(0, ...numbered.filter((each) => each.conversationId === id).map((each) => each.seq))
  /** Returns the first message strictly between two seqs. */
  const messageBetween = (id: ConversationId, from: Seq, to: Seq): Message | undefined =>
    messages.find((row) => row.conversationId === id && row.seq > from && row.seq < to)
  const changesOf = ({ conversationId, seq }: MessageAddress): Change[] =>
    changes.filter((each) => each.conversationId === conversationId && each.targetSeq === seq)

  const voids = all.filter((row) => row.kind === 'void')

  return { messages, changes, voids, entries: numbered, messageAt, changeAt, changesOf, last, messageBetween }
}

export const only = <Kind extends Entry['kind']>(entries: readonly Entry[], kind: Kind) =>
  entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind)

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
