import type { Change, LogRow, Message, MessageLog, Reaction } from '../../ports/log.ts'
import { isShown, isStripped, keptOf } from '../../protocol/alterations.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { reactingPeopleMax, rowMaxBytes } from '../../protocol/limits.ts'
import { toReacted } from '../rows/reaction-columns.ts'

/** The rows in the order of their seqs, so that a range is read without the rest of the log. */
type Log = { rows: Map<Seq, LogRow>; seqs: Seq[] }

export function createMessagesMemory(): MessageLog {
  const logs = new Map<ConversationId, Log>()

  const cell = (conversationId: ConversationId, seq: Seq): LogRow | undefined => {
    const row = logs.get(conversationId)?.rows.get(seq)
    return row && { ...row }
  }

  const rowsAt = (log: Log | undefined, from: number, to: number): LogRow[] =>
    (log?.seqs.slice(from, to) ?? []).flatMap((seq) => {
      const row = log?.rows.get(seq)
      return row ? [{ ...row }] : []
    })

  return {
    async put(row) {
      const log = logs.get(row.conversationId) ?? { rows: new Map(), seqs: [] }
      if (log.rows.has(row.seq)) return 'taken'
      if (bytesOf(row) > rowMaxBytes) throw new Error('Item size has exceeded the maximum allowed size.')
      logs.set(row.conversationId, log)
      log.rows.set(row.seq, { ...row })
      log.seqs.splice(indexFrom(row.seq, log.seqs), 0, row.seq)
      return 'written'
    },

    async alter(change) {
      const log = logs.get(change.conversationId)?.rows
      const target = log?.get(change.targetSeq)
      if (!log || target?.kind !== 'message') return undefined
      if (!isShown(change, target) && !isStripped(change.alteration)) log.set(target.seq, altered(target, change))
      const now = log.get(target.seq) as Message
      if (change.alteration.type === 'edit') takeText(log, change.seq, now)
      takeText(log, target.edited?.seq, now)
      return { ...now }
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
      const log = logs.get(conversationId)
      const from = indexFrom(after + 1, log?.seqs ?? [])
      return rowsAt(log, from, from + limit)
    },

    async below(conversationId, before, limit) {
      const log = logs.get(conversationId)
      const to = indexFrom(before, log?.seqs ?? [])
      return rowsAt(log, Math.max(0, to - limit), to).reverse()
    },

    async ofOthers(conversationId, { after, before }, senderId, limit) {
      const log = logs.get(conversationId)
      const seqs = log?.seqs ?? []
      const there = rowsAt(log, indexFrom(after + 1, seqs), indexFrom(before, seqs))
      const looked = there.slice(0, limit)
      const upTo = looked.length < there.length ? (looked.at(-1)?.seq ?? after) : before - 1
      const found = looked.filter((row) => isOfOthers(row, senderId)).map(({ seq }) => seq)
      return { seqs: found, upTo, whole: looked.length === upTo - after }
    },
  }
}

/** Returns the index of the first of these ascending seqs that is not below this one. */
function indexFrom(seq: Seq, seqs: readonly Seq[]): number {
  let [low, high] = [0, seqs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((seqs[middle] ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}

const isOfOthers = (row: LogRow, senderId: UserId): boolean =>
  row.kind === 'message' && row.senderId !== senderId && row.deletedAtMs === undefined

/** Removes the text of the edit at this seq, unless it is the one that shows. */
function takeText(log: Map<Seq, LogRow>, seq: Seq | undefined, { edited, deletedAtMs }: Message): void {
  const row = seq === undefined ? undefined : log.get(seq)
  const isShownOne = deletedAtMs === undefined && edited?.seq === seq
  if (row?.kind !== 'change' || row.alteration.type !== 'edit' || isShownOne) return
  log.set(row.seq, { ...row, alteration: { type: 'edit', body: '' } })
}

/** Returns the message with the change applied, or the same message if there is no room. */
function altered(message: Message, change: Change): Message {
  const next = alter(message, change)
  return bytesOf(next) > rowMaxBytes ? message : next
}

/** Estimates the size of the row in DynamoDB, rather too high. */
const bytesOf = (row: LogRow): number =>
  Buffer.byteLength(
    JSON.stringify(row.kind === 'message' && row.reactions ? { ...row, reactions: toReacted(row.reactions) } : row),
  )

function alter(message: Message, { seq, senderId, sentAtMs, alteration }: Change): Message {
  if (alteration.type === 'delete') {
    const { reactions: _reactions, attachments: _attachments, metadata: _metadata, ...rest } = message
    return { ...rest, body: '', deletedAtMs: sentAtMs }
  }
  if (alteration.type === 'edit') {
    return { ...message, body: alteration.body, edited: { seq, atMs: sentAtMs }, edits: (message.edits ?? 0) + 1 }
  }
  const { emoji, on } = alteration
  const reactions = message.reactions ?? []
  const isOwn = ({ userId }: Reaction) => userId === senderId
  const own = reactions.filter(isOwn)
  if (own.length === 0 && new Set(reactions.map(({ userId }) => userId)).size >= reactingPeopleMax) return message
  const changes = (own[0]?.changes ?? 0) + 1
  const kept = keptOf<Reaction>([...own, { emoji, userId: senderId, seq, on }]).map((each) => ({ ...each, changes }))
  const all = [...reactions.filter((each) => !isOwn(each)), ...kept]
  return { ...message, reactions: all.sort((one, other) => one.seq - other.seq) }
}
