import type { Change, LogEntry, LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import { createStretches, type Stretch } from './stretches.ts'

// Reading a conversation's log so that what was skipped stays skipped (P3).
//
// A reader that meets n+1 but no n cannot tell a slow writer from a dead one. It waits a moment, then puts a void at n.
// If the writer was only slow, it finds its cell taken and moves on to a new number: nothing is lost, and no reader that
// has gone past n will ever see a message appear behind it. So rows come back from here without holes.
//
// Every hole has its own moment. A reader that has waited for some numbers (gaps.ts) settles those at once, and stops in front of
// the next hole instead of sleeping: what is above it comes back apart, and the reader waits for it as for an event that came early.

/** Long enough for a write in flight to land, short enough not to be noticed. */
const patienceMs = 300
const voidsAtATime = 25
/** About what DynamoDB reads for one answer. */
const stepMax = 1000
const logsMax = 10_000

/** How many rows to read where as many were not enough: in a long stretch of changes the steps grow. */
export const nextStep = (limit: number): number => Math.min(2 * limit, stepMax)

export type Log = ReturnType<typeof createLog>

type Needs = Pick<Ports, 'messages' | 'clock'> & { observer: Observer }

export function createLog({ messages, clock, observer }: Needs) {
  /** The first rows above `after`, ascending, from after + 1 on without a hole. */
  async function above(conversationId: ConversationId, after: Seq, limit: number): Promise<readonly LogRow[]> {
    const rows = await messages.above(conversationId, after, limit)
    const last = rows.at(-1)
    if (!last) return []
    return settle(conversationId, rows, after + 1, last.seq, true)
  }

  /**
   * The same for a reader that has waited for the numbers under `below` and for no others: `rows` end in front of the first hole
   * from there on, and `beyond` is what was found above it.
   */
  async function aboveWaited(
    conversationId: ConversationId,
    after: Seq,
    limit: number,
    below: Seq,
  ): Promise<{ rows: readonly LogRow[]; beyond: readonly LogRow[] }> {
    const found = await messages.above(conversationId, after, limit)
    const end = found.findIndex(({ seq }, i) => {
      const previous = found[i - 1]?.seq ?? after
      return seq > previous + 1 && seq > below
    })
    const whole = end < 0 ? found : found.slice(0, end)
    const beyond = end < 0 ? [] : found.slice(end)
    const lastSeq = Math.max(whole.at(-1)?.seq ?? after, Math.min(below, beyond[0]?.seq ?? 0) - 1)
    return { rows: await settle(conversationId, whole, after + 1, lastSeq, false), beyond }
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

  /** Where there are only changes of messages and voids. */
  const passed = createStretches(logsMax)
  /** Where there is no message, but perhaps changes of the group. */
  const silent = createStretches(logsMax)

  /**
   * Where a reader of a page who goes down from `before`, or up from `after`, may go on: perhaps behind a stretch without messages.
   * `version` is that of the group the reader knows. Changes of the group up to there are in it, so they need not be met again; those
   * above it may have taken the reader out of the group.
   */
  const skipDown = (id: ConversationId, before: Seq, version: Seq): Seq =>
    (before - 1 <= version ? silent : passed).at(id, before - 1)?.from ?? before
  const skipUp = (id: ConversationId, after: Seq, version: Seq): Seq =>
    Math.max(passed.at(id, after + 1)?.to ?? after, Math.min(silent.at(id, after + 1)?.to ?? after, version))

  /** These rows were met one after the other. */
  function notePassed(id: ConversationId, rows: readonly LogRow[]): void {
    for (const { from, to } of runsOf(rows, isSilent)) silent.note(id, from, to)
    for (const { from, to } of runsOf(rows, isPassed)) passed.note(id, from, to)
  }

  /** The newest message below `before`, whatever else is there passed over. */
  const lastMessage = (id: ConversationId, before: Seq = seqMax + 1): Promise<Message | undefined> =>
    nearest(isMessage, before, async (edge, limit) => {
      const rows = await messages.below(id, silent.at(id, edge - 1)?.from ?? edge, limit)
      if (limit > 1) notePassed(id, rows)
      return rows
    })

  /** The oldest message above `after`, whatever else is there passed over. */
  const firstMessage = (id: ConversationId, after: Seq): Promise<Message | undefined> =>
    nearest(isMessage, after, async (edge, limit) => {
      const rows = await messages.above(id, silent.at(id, edge + 1)?.to ?? edge, limit)
      if (limit > 1) notePassed(id, rows)
      return rows
    })

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

  return {
    above,
    aboveWaited,
    below,
    skipDown,
    skipUp,
    notePassed,
    lastMessage,
    firstMessage,
    firstEntry,
    lastEntry,
    lastSeq,
  }
}

/** Walks away from `edge` until it meets one that fits. The first row nearly always does. */
async function nearest<Row extends LogRow>(
  fits: (row: LogRow) => row is Row,
  edge: Seq,
  read: (edge: Seq, limit: number) => Promise<readonly LogRow[]>,
): Promise<Row | undefined> {
  for (let from = edge, limit = 1; ; limit = Math.max(25, nextStep(limit))) {
    const rows = await read(from, limit)
    const found = rows.find(fits)
    if (found) return found
    const furthest = rows.at(-1)
    if (!furthest || rows.length < limit) return undefined
    from = furthest.seq
  }
}

/** The stretches of neighbouring cells that fit, of rows in either order. */
function runsOf(rows: readonly LogRow[], fits: (row: LogRow) => boolean): Stretch[] {
  const runs: Stretch[] = []
  for (const row of rows) {
    if (!fits(row)) continue
    const run = runs.at(-1)
    if (run && row.seq === run.from - 1) run.from = row.seq
    else if (run && row.seq === run.to + 1) run.to = row.seq
    else runs.push({ from: row.seq, to: row.seq })
  }
  return runs
}

const isPassed = ({ kind }: LogRow): boolean => kind === 'change' || kind === 'void'

const isSilent = (row: LogRow): boolean => !isMessage(row)

const isEntry = (row: LogRow): row is LogEntry => row.kind !== 'void'

export const isChange = (row: LogRow): row is Change => row.kind === 'change'

export const isMessage = (row: LogRow): row is Message => row.kind === 'message'

const range = (from: Seq, to: Seq): Seq[] => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
