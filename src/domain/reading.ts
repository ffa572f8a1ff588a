import { ChatError, notFound } from '../protocol/errors.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'
import { createGaps } from './gaps.ts'
import type { Groups } from './groups.ts'
import type { Heads } from './heads.ts'
import type { Hearing } from './hearing.ts'
import type { Inbox } from './inbox.ts'
import type { Log } from './log.ts'
import { persist } from './persist.ts'
import type { GroupChange, LogEntry, LogRow, Observer, Ports, SeatNews } from './ports.ts'
import { createPositions, type Shown } from './positions.ts'
import { type LogPage, readTogether } from './read-together.ts'

// Reading along in the logs of a user's conversations: first what was missed, then live, in seq order within each
// conversation, each once. What a reader shows of a log is its own choice; all of them go past every cell.
//
// An event is a doorbell. If its entry is the next one, it is taken from the event; if it is known, dropped; if something
// before it is missing, the log is read from where this reader stands. So a lost, doubled or late event costs at most a
// read, never an entry.
//
// In a group, the log also says who is in it. A reader goes past a change of the group only when that is decided (groups.ts), and
// stops where it takes its own user out: what comes after is not shown, whatever rings.

const pageRows = 100

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'clock'> & {
  log: Log
  heads: Heads
  access: Access
  /** The group once this change is decided. */
  settle: Groups['settle']
  observer: Observer
}

export type ReadingOptions<Row extends LogEntry> = {
  stream: 'messages' | 'changes'
  userId: UserId
  /** One conversation instead of all. */
  only?: Member | undefined
  inbox: Inbox
  hearing: Hearing
  /** What the client says it holds. */
  held: ReadonlyMap<ConversationId, Seq>
  /** Where to begin in a conversation the client does not name. */
  startOf: (conversationId: ConversationId) => Seq
  shows: (row: LogRow) => row is Row
  /** What comes before the first one shown, where the beginning is not itself one of those. */
  lastBefore?: (conversationId: ConversationId, seq: Seq) => Promise<Seq>
  /** The conversations to look into at the beginning. */
  toCatchUp: () => Promise<ConversationId[]>
  onCaughtUp: () => Promise<void>
  /** Whether everything up to its positions is known to be whole already before the catch-up. */
  whole: boolean
}

export function createReading<Row extends LogEntry>(needs: Needs, options: ReadingOptions<Row>) {
  const { messages, sequencer, clock, log, heads, access, settle, observer } = needs
  const { stream, userId, only, inbox, hearing, held, startOf, shows, lastBefore, toCatchUp, onCaughtUp } = options
  const positions = createPositions((id) => held.get(id) ?? startOf(id), shows)
  const gaps = createGaps(clock)
  const begun = new Set<ConversationId>()
  /** The groups the user is in, as far as this reader has got, and where their view of each begins. */
  const joined = new Map<ConversationId, Seq>()
  // Cut short during the catch-up, the index is still as good as it was: only acks take from it.
  let { whole } = options
  /** For the observer: how many cells were read, and where the beat found some missing. */
  let cellsRead = 0
  const foundByBeat = new Set<ConversationId>()

  async function* run(): AsyncGenerator<Shown<Row>> {
    const begunAtMs = clock.now()
    yield* read(await toCatchUp(), { catchUp: true, patient: true })
    whole = true
    await persist(clock, onCaughtUp)
    if (stream === 'messages') observer.caughtUp(cellsRead, clock.now() - begunAtMs)
    for (;;) {
      if (only && !isOpen(only.conversation.id)) throw notFound()
      const signal = await inbox.take(gaps.nextDueAtMs())
      if (signal.type === 'closed') return
      if (signal.type === 'message') yield* ringFor(signal.message)
      if (signal.type === 'change' || signal.type === 'group') yield* ringFor(signal.change)
      if (signal.type === 'seat') yield* takeSeat(signal.seat)
      if (signal.type === 'due') {
        whole = false
        const ids = gaps.takeDue()
        const byBeat = ids.filter(takeFoundByBeat).length > 0
        const cellsBefore = cellsRead
        yield* read(ids, { catchUp: false, patient: false })
        whole = true
        // A counter may be ahead of the log: then nothing was missing.
        if (cellsRead > cellsBefore) observer.resynced(stream, byBeat ? 'beat' : 'hole')
      }
      if (signal.type === 'recheck') for (const id of await lagging().catch(noneWhileAway)) suspectAtBeat(id)
      if (signal.type === 'resync') {
        whole = false
        gaps.clear()
        foundByBeat.clear()
        observer.resynced(stream, 'lost')
        yield* read(await persist(clock, everyConversation), { catchUp: false, patient: true })
        whole = true
      }
    }
  }

  function suspectAtBeat(id: ConversationId): void {
    gaps.suspect(id)
    foundByBeat.add(id)
  }

  const takeFoundByBeat = (id: ConversationId): boolean => foundByBeat.delete(id)

  async function* ringFor(entry: LogEntry): AsyncGenerator<Shown<Row>> {
    const { conversationId: id } = entry
    if (only && id !== only.conversation.id) return
    if (!isOpen(id)) yield* enter(id)
    if (!isOpen(id)) return
    await findStart(id)
    yield* hear(entry)
  }

  async function* takeSeat({ conversationId: id, joined: isIn }: SeatNews): AsyncGenerator<Shown<Row>> {
    if (only && id !== only.conversation.id) return
    if (isIn && !isOpen(id)) yield* enter(id)
    // The log says where exactly it ended.
    else if (isOpen(id)) gaps.suspect(id)
  }

  /**
   * Whoever was just added begins with whatever is there already. The channel stood when the news came; but on its way here this
   * reader may have met the removal before it, and have left.
   */
  async function* enter(id: ConversationId): AsyncGenerator<Shown<Row>> {
    await persist(clock, () => hearing.join(id))
    admit(id, (await persist(clock, () => access.find(userId, [id])))[0])
    if (!isOpen(id)) return hearing.part(id)
    yield* read([id], { catchUp: false, patient: false })
  }

  /** A direct chat is open to whoever hears of it. */
  const isOpen = (id: ConversationId): boolean => !isGroupId(id) || joined.has(id)

  function admit(id: ConversationId, member: { joinedSeq: Seq } | undefined): void {
    if (!isGroupId(id)) return
    if (!member) return void joined.delete(id)
    joined.set(id, member.joinedSeq)
    positions.skipTo(id, member.joinedSeq)
  }

  /** Past this one only when it is decided whether, and from where on, the user is in the group. */
  async function meet(change: GroupChange): Promise<void> {
    const { conversationId: id } = change
    if (!isOpen(id)) return
    const group = await persist(clock, () => settle(change))
    admit(id, group?.seats.get(userId))
    if (isOpen(id)) return
    // The news that they are back has a channel of its own, and may have been taken already, as if it were of the stay that ends here.
    admit(id, (await persist(clock, () => access.find(userId, [id])))[0])
    if (!isOpen(id)) await hearing.part(id)
  }

  /** A boundary may be at a change or a void. Where no catch-up has looked, the first event has to, once. */
  async function findStart(id: ConversationId): Promise<void> {
    const at = positions.at(id)
    if (!lastBefore || at === 0 || begun.has(id) || held.has(id)) return
    whole = false
    positions.correctStart(id, await persist(clock, () => shownBefore(id, at + 1)))
    whole = true
    begun.add(id)
  }

  /** Of what the user may see. */
  async function shownBefore(id: ConversationId, seq: Seq): Promise<Seq> {
    const shownSeq = (await lastBefore?.(id, seq)) ?? 0
    return shownSeq > joinedSeq(id) ? shownSeq : 0
  }

  async function* hear(entry: LogEntry): AsyncGenerator<Shown<Row>> {
    const { conversationId, seq } = entry
    if (seq <= positions.at(conversationId)) return
    for (let next: LogEntry | undefined = entry; next; next = gaps.take(conversationId, next.seq + 1)) {
      if (next.seq !== positions.at(conversationId) + 1) return gaps.hold(next)
      const shown = await pass(next, false)
      if (shown) yield shown
    }
  }

  /** Everything above this stream's positions in these conversations. */
  async function* read(
    ids: readonly ConversationId[],
    { catchUp, patient }: { catchUp: boolean; patient: boolean },
  ): AsyncGenerator<Shown<Row>> {
    for await (const row of readTogether(ids, (id) => persist(clock, () => readPage(id, patient)))) {
      cellsRead += 1
      const shown = await pass(row, catchUp)
      if (shown) yield shown
    }
  }

  async function pass(row: LogRow, catchUp: boolean): Promise<Shown<Row> | undefined> {
    if (!isOpen(row.conversationId)) return undefined
    if (row.kind !== 'void') heads.saw(row.conversationId, row.seq)
    const shown = positions.pass(row, catchUp)
    if (row.kind === 'group') await meet(row)
    return shown
  }

  async function readPage(id: ConversationId, patient: boolean): Promise<LogPage> {
    if (!isOpen(id)) return { rows: [], end: true }
    const at = positions.at(id)
    if (at > 0 && !begun.has(id)) return readFirstPage(id, at, patient)
    const rows = await log.above(id, at, pageRows, { patient })
    begun.add(id)
    return { rows, end: rows.length < pageRows }
  }

  /** The first page includes the row this stream begins after, to see that it is there, and a message. */
  async function readFirstPage(id: ConversationId, at: Seq, patient: boolean): Promise<LogPage> {
    const rows = await log.above(id, at - 1, pageRows, { patient })
    const [startRow] = rows
    if (held.has(id)) {
      if (!startRow)
        throw new ChatError('SEQ_OUT_OF_RANGE', 'after names a seq beyond the last one.', { field: 'after' })
    } else if (lastBefore && startRow && !shows(startRow)) {
      positions.correctStart(id, await shownBefore(id, at))
    }
    begun.add(id)
    return { rows: rows.slice(1), end: rows.length < pageRows }
  }

  async function everyConversation(): Promise<ConversationId[]> {
    const members = await hearing.refresh()
    const ids = new Set(members.map(({ conversation }) => conversation.id))
    for (const id of joined.keys()) if (!ids.has(id)) joined.delete(id)
    for (const member of members) admit(member.conversation.id, member)
    return [...ids]
  }

  /** Conversations whose counter is not where this reader is. The counter may be ahead of the log; then a read finds nothing. */
  async function lagging(among?: readonly ConversationId[]): Promise<ConversationId[]> {
    const ids = among ?? (await everyConversation())
    const counters = await sequencer.heads(ids)
    return ids.filter((id, i) => counters[i] === undefined || counters[i] > positions.at(id))
  }

  /** Also those where Redis has fallen back, and there is something in the next cell. */
  async function behind(ids: readonly ConversationId[]): Promise<ConversationId[]> {
    const ahead = await lagging(ids)
    const others = ids.filter((id) => !ahead.includes(id))
    const next = await messages.getMany(others.map((id) => ({ conversationId: id, seq: positions.at(id) + 1 })))
    return [...ahead, ...next.map((row) => row.conversationId)]
  }

  const joinedSeq = (id: ConversationId): Seq => joined.get(id) ?? 0

  /** What waits in a gap was heard, so that no sender has put it into an index, and was not shown. */
  const outcome = () => ({ reached: positions.all(), whole: whole && gaps.nextDueAtMs() === undefined })

  return { run, everyConversation, behind, joinedSeq, outcome }
}

/** Without Redis or DynamoDB nobody can send either; the next beat looks again. */
export function noneWhileAway(error: unknown): ConversationId[] {
  if (error instanceof ChatError && error.code === 'UNAVAILABLE') return []
  throw error
}
