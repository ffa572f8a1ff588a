import type { Change, GroupChange, LogEntry, LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import { createSeqRanges, type SeqRange } from './seq-ranges.ts'

// Reads a conversation's log so that what was skipped stays skipped (P3).
//
// A reader that meets n+1 but no n cannot tell a slow writer from a dead one. It waits a moment, then puts a void at n. If the writer was
// only slow, it finds its cell taken and moves on to a new seq: nothing is lost, and no reader that has gone past n will ever see a message
// appear behind it. So the functions here return rows without holes.
//
// Every hole is waited for by itself. A reader that has waited for some seqs (gaps.ts) fills those at once and stops in front of the next hole
// instead of sleeping: what is above it is returned apart, and the reader treats it like an event that came early.

/** This is long enough for a write in flight to finish, and too short to be noticed. */
const patienceMs = 300
const voidsAtATime = 25
/** This is about what DynamoDB reads for one answer. */
const stepMax = 1000
const logsMax = 10_000

/** Returns how many rows to read where `limit` were not enough: in a long range of changes the steps grow. */
export const nextStep = (limit: number): number => Math.min(2 * limit, stepMax)

export type Log = ReturnType<typeof createLog>

type Needs = Pick<Ports, 'messages' | 'clock'> & { observer: Observer }

export function createLog({ messages, clock, observer }: Needs) {
  /** Returns the first rows above `after`, ascending, from after + 1 on without a hole. */
  async function above(conversationId: ConversationId, after: Seq, limit: number): Promise<readonly LogRow[]> {
    const rows = await messages.above(conversationId, after, limit)
    const last = rows.at(-1)
    if (!last) return []
    return fillHoles(conversationId, rows, after + 1, last.seq, true)
  }

  /**
   * Does the same for a reader that has waited for the seqs under `below` and for no others: `rows` end in front of the first hole from there
   * on, and `beyond` is what was found above it.
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
    return { rows: await fillHoles(conversationId, whole, after + 1, lastSeq, false), beyond }
  }

  /** Returns the last rows below `before`, descending, without a hole down to their last one, or to 1 where the log begins. */
  async function below(conversationId: ConversationId, before: Seq, limit: number): Promise<readonly LogRow[]> {
    const rows = await messages.below(conversationId, before, limit)
    const newest = rows[0]
    const oldest = rows.at(-1)
    if (!newest || !oldest) return []
    const from = rows.length < limit ? 1 : oldest.seq
    const to = before > seqMax ? newest.seq : before - 1
    if (rows.length === to - from + 1) return rows
    return [...(await fillHoles(conversationId, rows, from, to, true))].reverse()
  }

  /** Returns these rows and what is missing among them, ascending. Where nothing is missing, it returns the same array. */
  async function fillHoles(
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
      const filled = await Promise.all(empty.slice(i, i + voidsAtATime).map((seq) => fill(conversationId, seq)))
      for (const row of filled) present.set(row.seq, row)
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

  /** These ranges have only changes of messages and voids. */
  const passed = createSeqRanges(logsMax)
  /** These ranges have no message, but perhaps a group change. */
  const silent = createSeqRanges(logsMax)

  /**
   * Return where a reader that goes down from `before`, or up from `after`, may go on: perhaps behind a range without messages. `version` is
   * that of the group the reader knows. It includes the group changes up to there, so they may be skipped; those above it may have removed
   * the reader from the group.
   */
  const skipDown = (id: ConversationId, before: Seq, version: Seq): Seq =>
    (before - 1 <= version ? silent : passed).at(id, before - 1)?.from ?? before
  const skipUp = (id: ConversationId, after: Seq, version: Seq): Seq =>
    Math.max(passed.at(id, after + 1)?.to ?? after, Math.min(silent.at(id, after + 1)?.to ?? after, version))

  /** Notes that these rows were met one after the other. */
  function notePassed(id: ConversationId, rows: readonly LogRow[]): void {
    for (const { from, to } of runsOf(rows, isSilent)) silent.note(id, from, to)
    for (const { from, to } of runsOf(rows, isPassed)) passed.note(id, from, to)
  }

  /** Returns the newest message between `floor` and `before` and skips everything else. */
  async function lastMessage(
    id: ConversationId,
    before: Seq = seqMax + 1,
    floor: Seq = 0,
  ): Promise<Message | undefined> {
    const isFound = (row: LogRow) => isMessage(row) || row.seq <= floor
    const found = await nearest(
      (rows) => rows.find(isFound),
      before,
      async (edge, limit) => {
        const rows = await messages.below(id, silent.at(id, edge - 1)?.from ?? edge, limit)
        if (limit > 1) notePassed(id, rows)
        return rows
      },
    )
    return found && isMessage(found) && found.seq > floor ? found : undefined
  }

  /** Returns the seq of the newest message, or of the newest group change that fits, between `floor` and `before`; 0 if there is none. */
  async function lastMessageOrGroupChange(
    id: ConversationId,
    { before, floor }: { before: Seq; floor: Seq },
    fits: (change: GroupChange) => Promise<boolean>,
  ): Promise<Seq> {
    const found = await nearest(
      async (rows) => {
        for (const row of rows)
          if (row.seq <= floor || isMessage(row) || (row.kind === 'group' && (await fits(row)))) return row
        return undefined
      },
      before,
      async (edge, limit) => {
        const rows = await messages.below(id, passed.at(id, edge - 1)?.from ?? edge, limit)
        if (limit > 1) notePassed(id, rows)
        return rows
      },
    )
    return found && found.seq > floor ? found.seq : 0
  }

  /** Returns the oldest message above `after` and skips everything else. */
  const firstMessage = (id: ConversationId, after: Seq): Promise<Message | undefined> =>
    nearest(findMessage, after, async (edge, limit) => {
      const rows = await messages.above(id, silent.at(id, edge + 1)?.to ?? edge, limit)
      if (limit > 1) notePassed(id, rows)
      return rows
    })

  /** Returns the newest entry and skips voids. */
  const lastEntry = (conversationId: ConversationId): Promise<LogEntry | undefined> =>
    nearest(findEntry, seqMax + 1, (edge, limit) => messages.below(conversationId, edge, limit))

  /** Returns the oldest entry and skips voids. */
  const firstEntry = (conversationId: ConversationId): Promise<LogEntry | undefined> =>
    nearest(findEntry, 0, (edge, limit) => messages.above(conversationId, edge, limit))

  /** Returns the last cell that is taken, voids included. A counter is seeded from it. */
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
    lastMessageOrGroupChange,
    firstMessage,
    firstEntry,
    lastEntry,
    lastSeq,
  }
}

/** Reads away from `edge` until it finds a row. The first row nearly always is it. */
async function nearest<Row extends LogRow>(
  find: (rows: readonly LogRow[]) => Row | undefined | Promise<Row | undefined>,
  edge: Seq,
  read: (edge: Seq, limit: number) => Promise<readonly LogRow[]>,
): Promise<Row | undefined> {
  for (let from = edge, limit = 1; ; limit = Math.max(25, nextStep(limit))) {
    const rows = await read(from, limit)
    const found = await find(rows)
    if (found) return found
    const furthest = rows.at(-1)
    if (!furthest || rows.length < limit) return undefined
    from = furthest.seq
  }
}

/** Returns the ranges of neighbouring cells that fit. The rows may be in either order. */
function runsOf(rows: readonly LogRow[], fits: (row: LogRow) => boolean): SeqRange[] {
  const runs: SeqRange[] = []
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

const findMessage = (rows: readonly LogRow[]): Message | undefined => rows.find(isMessage)

const findEntry = (rows: readonly LogRow[]): LogEntry | undefined => rows.find(isEntry)

const range = (from: Seq, to: Seq): Seq[] => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
