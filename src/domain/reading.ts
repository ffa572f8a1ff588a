import { ChatError } from '../protocol/errors.ts'
import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Member } from './access.ts'
import { createGaps } from './gaps.ts'
import type { Heads } from './heads.ts'
import type { Inbox } from './inbox.ts'
import type { Log } from './log.ts'
import { persist } from './persist.ts'
import type { Change, LogRow, Message, Ports } from './ports.ts'
import { createPositions, type Shown } from './positions.ts'
import { type LogPage, readTogether } from './read-together.ts'

// Reading along in the logs of a user's conversations: first what was missed, then live, in seq order within each
// conversation, each once. What a reader shows of a log is its own choice; all of them go past every cell.
//
// An event is a doorbell. If its entry is the next one, it is taken from the event; if it is known, dropped; if something
// before it is missing, the log is read from where this reader stands. So a lost, doubled or late event costs at most a
// read, never an entry.

const pageRows = 100

type Needs = Pick<Ports, 'sequencer' | 'memberships' | 'clock'> & { log: Log; heads: Heads }

export type ReadingOptions<Row extends Message | Change> = {
  userId: UserId
  /** One conversation instead of all. */
  only?: Member | undefined
  inbox: Inbox
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

export function createReading<Row extends Message | Change>(needs: Needs, options: ReadingOptions<Row>) {
  const { sequencer, memberships, clock, log, heads } = needs
  const { userId, only, inbox, held, startOf, shows, lastBefore, toCatchUp, onCaughtUp } = options
  const positions = createPositions((id) => held.get(id) ?? startOf(id), shows)
  const gaps = createGaps(clock)
  const begun = new Set<ConversationId>()
  // Cut short during the catch-up, the index is still as good as it was: only acks take from it.
  let { whole } = options

  async function* run(): AsyncGenerator<Shown<Row>> {
    yield* read(await toCatchUp(), { catchUp: true, patient: true })
    whole = true
    await persist(clock, onCaughtUp)
    for (;;) {
      const signal = await inbox.take(gaps.nextDueAtMs())
      if (signal.type === 'closed') return
      if (signal.type === 'message' || signal.type === 'change') {
        const entry = signal.type === 'message' ? signal.message : signal.change
        await findStart(entry.conversationId)
        yield* hear(entry)
      }
      if (signal.type === 'due') {
        whole = false
        yield* read(gaps.takeDue(), { catchUp: false, patient: false })
        whole = true
      }
      if (signal.type === 'recheck') for (const id of await lagging().catch(noneWhileAway)) gaps.suspect(id)
      if (signal.type === 'resync') {
        whole = false
        gaps.clear()
        yield* read(await persist(clock, everyConversation), { catchUp: false, patient: true })
        whole = true
      }
    }
  }

  /** A boundary may be at a change or a void. Where no catch-up has looked, the first event has to, once. */
  async function findStart(id: ConversationId): Promise<void> {
    const at = positions.at(id)
    if (!lastBefore || at === 0 || begun.has(id) || (only && id !== only.conversation.id)) return
    whole = false
    positions.correctStart(id, await persist(clock, () => lastBefore(id, at + 1)))
    whole = true
    begun.add(id)
  }

  function* hear(entry: Message | Change): Generator<Shown<Row>> {
    const { conversationId, seq } = entry
    if (only && conversationId !== only.conversation.id) return
    if (seq <= positions.at(conversationId)) return
    for (let next: Message | Change | undefined = entry; next; next = gaps.take(conversationId, next.seq + 1)) {
      if (next.seq !== positions.at(conversationId) + 1) return gaps.hold(next)
      const shown = pass(next, false)
      if (shown) yield shown
    }
  }

  /** Everything above this stream's positions in these conversations. */
  async function* read(
    ids: readonly ConversationId[],
    { catchUp, patient }: { catchUp: boolean; patient: boolean },
  ): AsyncGenerator<Shown<Row>> {
    for await (const row of readTogether(ids, (id) => persist(clock, () => readPage(id, patient)))) {
      const shown = pass(row, catchUp)
      if (shown) yield shown
    }
  }

  function pass(row: LogRow, catchUp: boolean): Shown<Row> | undefined {
    if (row.kind !== 'void') heads.saw(row.conversationId, row.seq)
    return positions.pass(row, catchUp)
  }

  async function readPage(id: ConversationId, patient: boolean): Promise<LogPage> {
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
      positions.correctStart(id, await lastBefore(id, at))
    }
    begun.add(id)
    return { rows: rows.slice(1), end: rows.length < pageRows }
  }

  async function everyConversation(): Promise<ConversationId[]> {
    if (only) return [only.conversation.id]
    return (await memberships.ofUser(userId)).map((each) => each.conversationId)
  }

  /** Conversations whose counter is not where this reader is. The counter may be ahead of the log; then a read finds nothing. */
  async function lagging(): Promise<ConversationId[]> {
    const ids = await everyConversation()
    const counters = await sequencer.heads(ids)
    return ids.filter((id, i) => counters[i] === undefined || counters[i] > positions.at(id))
  }

  /** What waits in a gap was heard, so that no sender has put it into an index, and was not shown. */
  const outcome = () => ({ reached: positions.all(), whole: whole && gaps.nextDueAtMs() === undefined })

  return { run, everyConversation, lagging, at: positions.at, outcome }
}

/** Without Redis or DynamoDB nobody can send either; the next beat looks again. */
export function noneWhileAway(error: unknown): ConversationId[] {
  if (error instanceof ChatError && error.code === 'UNAVAILABLE') return []
  throw error
}
