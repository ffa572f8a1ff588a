import type { ChatEvent, SeatNews } from '../../ports/events.ts'
import type { SyncSink } from '../../ports/live-stream.ts'
import type { GroupChange, LogEntry, LogRow } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import { ChatError, notFound } from '../../protocol/errors.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { Recount } from '../log/counters.ts'
import { Gaps } from '../log/gaps.ts'
import type { Heads } from '../log/heads.ts'
import type { LogPages } from '../log/log-pages.ts'
import { readTogether } from '../log/read-together.ts'
import { persist } from '../persist.ts'
import type { Hearing } from './hearing.ts'
import type { Inbox, Signal } from './inbox.ts'
import { Positions, type Shown, type Shows, type Starts } from './positions.ts'
import type { Reader } from './stream.ts'

// Reading along in the logs of a user's conversations: first what was missed, then live, in seq order within each
// conversation, each once. What a reader shows of a log is its own choice; all of them go past every cell.
//
// An event is a doorbell. If its entry is the next one, it is taken from the event; if it is known, dropped; if something
// before it is missing, the log is read from where this reader stands. So a lost, doubled or late event costs at most a
// read, never an entry.
//
// In a group, the log also says who is in it. A reader goes past a change of the group only when that is decided (groups.ts), and
// stops where it takes its own user out: what comes after is not shown, whatever rings.
//
// Most events find a reader that waits and that they take one step further. That step is made at once, in the turn of the event
// (`takeAtOnce`), if nobody has to be waited for. It is made only while `run` waits in the inbox with nothing due (inbox.ts), so the
// two never meet halfway.

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'clock'> & {
  heads: Heads
  recount: Recount
  access: Access
  /** The group once this change is decided. */
  settle: Groups['settle']
  observer: Observer
}

/** What all readers of a kind have in common. `pages`: see log-pages.ts. */
export type ReadingKind<Row extends LogEntry> = {
  stream: 'messages' | 'changes'
  shows: Shows<Row>
  pages: LogPages<Row>
}

export type ReadingOptions = Starts & {
  userId: UserId
  /** One conversation instead of all. */
  only: Member | undefined
  inbox: Inbox
  hearing: Hearing
  /** Whether everything up to its positions is known to be whole already before the catch-up. */
  whole: boolean
  beginning: Beginning
}

/** `uncounted`: Redis has no counter, so that only the log can tell. */
type Lag = 'behind' | 'uncounted'
/** `counter`: the last number that was given out, as far as Redis knows. */
type Lagging = { id: ConversationId; lag: Lag; counter: Seq }

export type Beginning = {
  /** The conversations to look into. */
  toCatchUp: () => Promise<ConversationId[]>
  onCaughtUp: () => Promise<void>
}

/** One for each open stream, so it holds little while nothing happens: what is seldom needed is made when it is. */
export class Reading<Row extends LogEntry> implements Reader<Shown<Row>> {
  sink: SyncSink<Shown<Row>> | undefined
  readonly #needs: Needs
  readonly #kind: ReadingKind<Row>
  readonly #userId: UserId
  readonly #only: Member | undefined
  readonly #inbox: Inbox
  readonly #hearing: Hearing
  readonly #positions: Positions<Row>
  readonly #gaps: Gaps
  /** Gone when that is over. */
  #beginning: Beginning | undefined
  // Cut short during the catch-up, the index is still as good as it was: only acks take from it.
  #whole: boolean
  /** For the observer. */
  #cellsRead = 0
  /** Where the beat found that something may be missing. */
  #foundByBeat: Map<ConversationId, Lag> | undefined

  constructor(needs: Needs, kind: ReadingKind<Row>, options: ReadingOptions) {
    this.#needs = needs
    this.#kind = kind
    this.#userId = options.userId
    this.#only = options.only
    this.#inbox = options.inbox
    this.#hearing = options.hearing
    this.#positions = new Positions(options, kind.shows)
    this.#gaps = new Gaps(needs.clock)
    this.#beginning = options.beginning
    this.#whole = options.whole
  }

  async *run(): AsyncGenerator<Shown<Row>> {
    yield* this.#catchUp()
    for (;;) {
      if (this.#only && !this.#positions.isOpen(this.#only.conversation.id)) throw notFound()
      const signal = await this.#inbox.take(this.#gaps.nextDueAtMs())
      if (signal.type === 'closed') return
      const entry = entryOf(signal)
      if (!entry) yield* this.#answer(signal)
      else if (this.#concerns(entry.conversationId)) {
        if (!this.#positions.isOpen(entry.conversationId)) yield* this.#enter(entry.conversationId)
        if (!this.#positions.isOpen(entry.conversationId)) continue
        for (const shown of await this.#hear(entry)) yield shown
      }
    }
  }

  /** Messages and changes that are simply the next one. A change of the group has to be decided, and what is missing read. */
  takeAtOnce(event: ChatEvent): boolean {
    const row = event.type === 'message' ? event.message : event.type === 'change' ? event.change : undefined
    if (!row) return false
    const { conversationId: id, seq } = row
    if (!this.#concerns(id)) return true
    if (!this.#positions.isOpen(id)) return false
    const position = this.#positions.of(id)
    if (!this.#kind.pages.knowsStart(this.#positions, id, position)) return false
    if (seq <= position.at) return true
    if (seq !== position.at + 1) return false
    const shown = this.#positions.show(row, position, false)
    if (shown && !this.sink?.tryPush(shown)) return false
    this.#needs.heads.saw(id, seq)
    this.#positions.moveTo(seq, position, shown !== undefined)
    return true
  }

  async *#catchUp(): AsyncGenerator<Shown<Row>> {
    const { clock, observer } = this.#needs
    const begunAtMs = clock.monotonic()
    const { toCatchUp, onCaughtUp } = this.#beginning ?? nothingToBegin
    yield* this.#read(await toCatchUp(), { catchUp: true })
    this.#whole = true
    await persist(clock, onCaughtUp)
    this.#beginning = undefined
    if (this.#kind.stream === 'messages') observer.caughtUp(this.#cellsRead, clock.monotonic() - begunAtMs)
  }

  /** To what is no entry. */
  async *#answer(signal: Signal): AsyncGenerator<Shown<Row>> {
    const { clock, observer } = this.#needs
    if (signal.type === 'seat') yield* this.#takeSeat(signal.seat)
    if (signal.type === 'due') {
      this.#whole = false
      const waited = new Map(this.#gaps.takeDue().map(({ conversationId, below }) => [conversationId, below]))
      const ids = [...waited.keys()]
      const found = ids.map((id) => this.#takeFound(id))
      const cellsBefore = this.#cellsRead
      yield* this.#read(ids, { catchUp: false, waited })
      this.#whole = true
      // A counter may be ahead of the log: then nothing was missing.
      if (this.#cellsRead > cellsBefore) {
        observer.resynced(this.#kind.stream, found.some((lag) => lag !== undefined) ? 'beat' : 'hole')
      }
      const uncounted = ids.filter((_id, i) => found[i] === 'uncounted')
      if (uncounted.length > 0) await this.#needs.recount(uncounted).catch(noneWhileAway)
    }
    if (signal.type === 'recheck') {
      for (const each of await this.#lagging().catch(noneWhileAway)) this.#suspectAtBeat(each)
    }
    if (signal.type === 'resync') {
      this.#whole = false
      this.#gaps.clear()
      this.#foundByBeat = undefined
      observer.resynced(this.#kind.stream, 'lost')
      yield* this.#read(await persist(clock, () => this.everyConversation()), { catchUp: false })
      this.#whole = true
    }
  }

  #suspectAtBeat({ id, lag, counter }: Lagging): void {
    if (lag === 'uncounted') this.#gaps.suspectAny(id)
    else this.#gaps.suspect(id, counter)
    this.#foundByBeat ??= new Map()
    this.#foundByBeat.set(id, lag)
  }

  #takeFound(id: ConversationId): Lag | undefined {
    const lag = this.#foundByBeat?.get(id)
    this.#foundByBeat?.delete(id)
    return lag
  }

  #concerns(id: ConversationId): boolean {
    return !this.#only || id === this.#only.conversation.id
  }

  async *#takeSeat({ conversationId: id, joined: isIn }: SeatNews): AsyncGenerator<Shown<Row>> {
    if (!this.#concerns(id)) return
    const isOpen = this.#positions.isOpen(id)
    if (isIn && !isOpen) yield* this.#enter(id)
    // The log says where exactly it ended.
    else if (isOpen) this.#gaps.suspectAny(id)
  }

  /**
   * Whoever was just added begins with whatever is there already. The channel stood when the news came; but on its way here this
   * reader may have met the removal before it, and have left.
   */
  async *#enter(id: ConversationId): AsyncGenerator<Shown<Row>> {
    await persist(this.#needs.clock, () => this.#hearing.join(id))
    this.#admit(id, await this.#seatNow(id))
    if (!this.#positions.isOpen(id)) return this.#hearing.part(id)
    yield* this.#read([id], { catchUp: false, waited: noWaits })
  }

  async #seatNow(id: ConversationId): Promise<Member | undefined> {
    const [member] = await persist(this.#needs.clock, () => this.#needs.access.find(this.#userId, [id]))
    return member
  }

  #admit(id: ConversationId, member: { joinedSeq: Seq } | undefined): void {
    if (isGroupId(id)) this.#positions.admit(id, member?.joinedSeq)
  }

  /** Past this one only when it is decided whether, and from where on, the user is in the group. */
  async #meet(change: GroupChange): Promise<void> {
    const { conversationId: id } = change
    if (!this.#positions.isOpen(id)) return
    const group = await persist(this.#needs.clock, () => this.#needs.settle(change))
    this.#admit(id, group?.seats.get(this.#userId))
    if (this.#positions.isOpen(id)) return
    // The news that they are back has a channel of its own, and may have been taken already, as if it were of the stay that ends here.
    this.#admit(id, await this.#seatNow(id))
    if (!this.#positions.isOpen(id)) await this.#hearing.part(id)
  }

  /** Where no catch-up has looked what comes before the first one shown, the first event has to, once. */
  async #findStart(id: ConversationId): Promise<void> {
    const { pages } = this.#kind
    const position = this.#positions.of(id)
    if (pages.knowsStart(this.#positions, id, position)) return
    this.#whole = false
    position.shownSeq = await persist(this.#needs.clock, () => pages.shownBefore(this.#positions, id, position.at + 1))
    this.#whole = true
    position.begun = true
  }

  /** What there is to show now that this entry came: it, and those that waited for it; or nothing. */
  async #hear(entry: LogEntry): Promise<Shown<Row>[]> {
    const { conversationId: id } = entry
    const all: Shown<Row>[] = []
    await this.#findStart(id)
    if (entry.seq <= this.#positions.at(id)) return all
    for (let next: LogRow | undefined = entry; next; next = this.#gaps.takeNext(id, next.seq + 1)) {
      if (next.seq !== this.#positions.at(id) + 1) {
        this.#gaps.hold([next])
        return all
      }
      const shown = await this.#pass(next, false)
      if (shown) all.push(shown)
    }
    return all
  }

  /**
   * Everything above this stream's positions in these conversations. `waited`: up to where holes were waited for already; what is found
   * above others is held until they have had their time, too. Without it, they are waited for on the way.
   */
  async *#read(
    ids: readonly ConversationId[],
    { catchUp, waited }: { catchUp: boolean; waited?: ReadonlyMap<ConversationId, Seq> },
  ): AsyncGenerator<Shown<Row>> {
    const readPage = async (id: ConversationId) => {
      const below = waited && (waited.get(id) ?? 0)
      const page = await persist(this.#needs.clock, () => this.#kind.pages.read(this.#positions, id, below))
      this.#gaps.hold(page.beyond ?? [])
      return page
    }
    for await (const row of readTogether(ids, readPage)) {
      this.#cellsRead += 1
      const shown = await this.#pass(row, catchUp)
      if (shown) yield shown
    }
  }

  async #pass(row: LogRow, catchUp: boolean): Promise<Shown<Row> | undefined> {
    if (!this.#positions.isOpen(row.conversationId)) return undefined
    if (row.kind !== 'void') this.#needs.heads.saw(row.conversationId, row.seq)
    const shown = this.#positions.pass(row, catchUp)
    if (row.kind === 'group') await this.#meet(row)
    return shown
  }

  async everyConversation(): Promise<ConversationId[]> {
    const members = await this.#hearing.refresh()
    const ids = new Set(members.map(({ conversation }) => conversation.id))
    for (const id of this.#positions.groups()) if (!ids.has(id)) this.#admit(id, undefined)
    for (const member of members) this.#admit(member.conversation.id, member)
    return [...ids]
  }

  /** Conversations whose counter is not where this reader is. The counter may be ahead of the log; then a read finds nothing. */
  async #lagging(among?: readonly ConversationId[]): Promise<Lagging[]> {
    const ids = among ?? (await this.everyConversation())
    const counters = await this.#needs.sequencer.heads(ids)
    return ids.flatMap((id, i): Lagging[] => {
      const counter = counters[i]
      if (counter === undefined) return [{ id, lag: 'uncounted', counter: 0 }]
      return counter > this.#positions.at(id) ? [{ id, lag: 'behind', counter }] : []
    })
  }

  /** Also those where Redis has fallen back, and there is something in the next cell. */
  async behind(ids: readonly ConversationId[]): Promise<ConversationId[]> {
    const ahead = (await this.#lagging(ids)).map(({ id }) => id)
    const others = ids.filter((id) => !ahead.includes(id))
    const nextCells = others.map((id) => ({ conversationId: id, seq: this.#positions.at(id) + 1 }))
    const next = await this.#needs.messages.getMany(nextCells)
    return [...ahead, ...next.map((row) => row.conversationId)]
  }

  /** What waits in a gap was heard, so that no sender has put it into an index, and was not shown. */
  outcome(): { reached: [ConversationId, Seq][]; whole: boolean } {
    return { reached: this.#positions.all(), whole: this.#whole && this.#gaps.nextDueAtMs() === undefined }
  }
}

const noWaits: ReadonlyMap<ConversationId, Seq> = new Map()

const nothingToBegin: Beginning = { toCatchUp: async () => [], onCaughtUp: async () => undefined }

function entryOf(signal: Signal): LogEntry | undefined {
  if (signal.type === 'message') return signal.message
  return signal.type === 'change' || signal.type === 'group' ? signal.change : undefined
}

/** Without Redis or DynamoDB nobody can send either; the next beat looks again. */
export function noneWhileAway(error: unknown): [] {
  if (error instanceof ChatError && error.code === 'UNAVAILABLE') return []
  throw error
}
