import type { Change, LogEntry, LogRow, Message } from '../ports/log.ts'
import type { Observer } from '../ports/observer.ts'
import type { Ports } from '../ports/ports.ts'
import type { ConversationId, Seq } from '../protocol/ids.ts'
import { seqMax } from '../protocol/limits.ts'

// Reading a conversation's log so that what was skipped stays skipped (P3).
//
// A reader that meets n+1 but no n cannot tell a slow writer from a dead one. It waits a moment, then puts a void at n.
// If the writer was only slow, it finds its cell taken and moves on to a new number: nothing is lost, and no reader that
// has gone past n will ever see a message appear behind it. So rows come back from here without holes.

/** Long enough for a write in flight to land, short enough not to be noticed. */
const patienceMs = 300
const voidsAtATime = 25

export type Log = ReturnType<typeof createLog>

type Needs = Pick<Ports, 'messages' | 'clock'> & { observer: Observer }

export function createLog({ messages, clock, observer }: Needs) {
  /** The first rows above `after`, ascending, from after + 1 on without a hole. */
  async function above(
    conversationId: ConversationId,
    after: Seq,
    limit: number,
    options: { patient: boolean } = { patient: true },
  ): Promise<readonly LogRow[]> {
    const rows = await messages.above(conversationId, after, limit)
    const last = rows.at(-1)
    if (!last) return []
    return settle(conversationId, rows, after + 1, last.seq, options.patient)
  }

  /** The last rows below `before`, descending, without a hole down to their last one, or to 1 where the log begins. */
  async function below(conversationId: ConversationId, before: Seq, limit: number): Promise<readonly LogRow[]> {
    const rows = await messages.below(conversationId, before, limit)
    const newest = rows[0]
    const oldest = rows.at(-1)
    if (!newest || !oldest) return []
    const from = rows.length < limit ? 1 : oldest.seq
    const to = before > seqMax ? newest.seq : before - 1
    if (rows.length === to - from + 1) return rows
    return [...(await settle(conversationId, rows, from, to, true))].reverse()
  }

  /** These and what is missing among them, ascending. Where nothing is, the very same. */
  async function settle(
    conversationId: ConversationId,
    rows: readonly LogRow[],
    from: Seq,
    to: Seq,
    patient: boolean,
  ): Promise<readonly LogRow[]> {
    if (rows.length === to - from + 1) return rows
    const present = new Map(rows.map((row) => [row.seq, row]))
    const missing = range(from, to).filter((seq) => !present.has(seq))
    if (patient) {
      await clock.sleep(patienceMs)
      const late = await messages.getMany(missing.map((seq) => ({ conversationId, seq })))
      for (const row of late) present.set(row.seq, row)
    }
    const empty = missing.filter((seq) => !present.has(seq))
    for (let i = 0; i < empty.length; i += voidsAtATime) {
      const settled = await Promise.all(empty.slice(i, i + voidsAtATime).map((seq) => fill(conversationId, seq)))
      for (const row of settled) present.set(row.seq, row)
    }
    return range(from, to).map((seq) => present.get(seq) ?? { kind: 'void', conversationId, seq })
  }

  async function fill(conversationId: ConversationId, seq: Seq): Promise<LogRow> {
    const hole = { kind: 'void', conversationId, seq } as const
    if ((await messages.put(hole)) === 'written') {
      observer.voided('reader')
      return hole
    }
    return (await messages.get(hole)) ?? hole
  }

  /** The newest message below `before`, whatever else is there passed over. */
  const lastMessage = (conversationId: ConversationId, before: Seq = seqMax + 1): Promise<Message | undefined> =>
    nearest(isMessage, before, (edge, limit) => messages.below(conversationId, edge, limit))

  /** The oldest message above `after`, whatever else is there passed over. */
  const firstMessage = (conversationId: ConversationId, after: Seq): Promise<Message | undefined> =>
    nearest(isMessage, after, (edge, limit) => messages.above(conversationId, edge, limit))

  /** The newest entry, voids passed over. */
  const lastEntry = (conversationId: ConversationId): Promise<LogEntry | undefined> =>
    nearest(isEntry, seqMax + 1, (edge, limit) => messages.below(conversationId, edge, limit))

  /** The oldest entry, voids passed over. */
  const firstEntry = (conversationId: ConversationId): Promise<LogEntry | undefined> =>
    nearest(isEntry, 0, (edge, limit) => messages.above(conversationId, edge, limit))

  /** The last cell that is taken, voids included: what a counter is seeded from. */
  async function lastSeq(conversationId: ConversationId): Promise<Seq> {
    const [row] = await messages.below(conversationId, seqMax + 1, 1)
    return row?.seq ?? 0
  }

  return { above, below, lastMessage, firstMessage, firstEntry, lastEntry, lastSeq }
}

/** Walks away from `edge` until it meets one that fits. The first row nearly always does. */
async function nearest<Row extends LogRow>(
  fits: (row: LogRow) => row is Row,
  edge: Seq,
  read: (edge: Seq, limit: number) => Promise<readonly LogRow[]>,
): Promise<Row | undefined> {
  for (let from = edge, limit = 1; ; limit = 25) {
    const rows = await read(from, limit)
    const found = rows.find(fits)
    if (found) return found
    const furthest = rows.at(-1)
    if (!furthest || rows.length < limit) return undefined
    from = furthest.seq
  }
}

const isEntry = (row: LogRow): row is LogEntry => row.kind !== 'void'

export const isChange = (row: LogRow): row is Change => row.kind === 'change'

export const isMessage = (row: LogRow): row is Message => row.kind === 'message'

const range = (from: Seq, to: Seq): Seq[] => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
