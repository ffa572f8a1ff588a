import type { Conversation, Group } from '../../ports/conversations.ts'
import type { ChatEvent, MembershipEvent } from '../../ports/events.ts'
import type { SyncSink } from '../../ports/live-stream.ts'
import type { GroupChange, LogEntry, LogRow } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import { ChatError, notFound } from '../../protocol/errors.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import { type Access, floorSeqOf, type Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { Recount } from '../log/counters.ts'
import { Gaps } from '../log/gaps.ts'
import type { HighestSeqs } from '../log/highest-seqs.ts'
import type { LogPages } from '../log/log-pages.ts'
import { readTogether } from '../log/read-together.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { ComparedStream, Inbox, Signal } from './inbox.ts'
import { Positions, type Shown, type Shows, type Starts } from './positions.ts'
import type { Reader } from './stream.ts'
import type { UserSubscription } from './user-subscription.ts'

// Reads along in the logs of a user's conversations: first what was missed, then live, in seq order within each conversation, each entry
// once. Each kind of reader chooses which rows it shows; all of them go past every cell.
//
// An event only notifies. If its entry is the next one, the reader takes it from the event; if the entry is known, the reader drops it; if
// something before it is missing, the log is read from where this reader stands. So a lost, doubled or late event costs at most a read,
// never an entry.
//
// In a group, the log also says who is in it. A reader goes past a group change only when that is decided (groups.ts), and stops where the
// change removes its own user: what comes after is not shown, whichever events arrive.
//
// Most events find a reader that waits and bring the next entry. Then the reader moves on in the turn of the event (`tryPush`), unless
// it would have to wait for something. `tryPush` is called only while `run` waits in the inbox with nothing due (inbox.ts), so the two
// never run at the same time.

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'clock'> & {
  highestSeqs: HighestSeqs
  recount: Recount
  access: Access
  /** Returns the group once this change is decided. */
  decideChange: Groups['decideChange']
  observer: Observer
}

/** What all readers of a kind have in common. For `pages` see log-pages.ts. */
export type ReadingKind<Row extends LogEntry> = {
  stream: 'messages' | 'changes'
  shows: Shows<Row>
  pages: LogPages<Row>
  /** Only streams with notices have it: returns what is shown of a decided change, or undefined if that did not take effect. */
  noticeOf?: (group: Group, change: GroupChange) => Promise<Row | undefined>
}

type ReadingOptions = Starts & {
  userId: UserId
  /** One conversation instead of all. */
  only: Member | undefined
  inbox: Inbox
  subscription: UserSubscription
  /** Whether it is known before the catch-up that nothing is missing up to the positions. */
  whole: boolean
  /** Called with every row that is shown. */
  onShown?: ((row: LogEntry) => void) | undefined
  beginning: Beginning
}

/** `uncounted`: Redis has no counter, so only the log can tell. */
type Lag = 'behind' | 'uncounted'
/** `counter` is the last seq that was given out, as far as Redis knows. */
type Lagging = { id: ConversationId; lag: Lag; counter: Seq }

export type Beginning = {
  /** Returns the conversations to look into. */
  toCatchUp: () => Promise<ConversationId[]>
  onCaughtUp: () => Promise<void>
}

/** There is one for each open stream, so it holds little while nothing happens: what is seldom needed is made when it is needed. */
export class Reading<Row extends LogEntry> implements Reader<Shown<Row>>, ComparedStream {
  sink: SyncSink<Shown<Row>> | undefined
  readonly #needs: Needs
  readonly #kind: ReadingKind<Row>
  readonly userId: UserId
  readonly #only: Member | undefined
  readonly #inbox: Inbox
  readonly #subscription: UserSubscription
  readonly #positions: Positions<Row>
  readonly #gaps: Gaps
  readonly #onShown: ((row: LogEntry) => void) | undefined
  /** It is undefined once the catch-up is over. */
  #beginning: Beginning | undefined
  // A stream that ends during the catch-up leaves the pending index as good as it was: only acks remove from it.
  #whole: boolean
  /** Counted for the observer. */
  #cellsRead = 0
  /** What the user was in at the last periodic resync, and the stamp that the index had for long enough by then. */
  #compared: readonly ConversationId[] | undefined
  #comparedUnder: string | undefined
  /** The conversations in which the periodic resync found that something may be missing. */
  #foundPeriodically: Map<ConversationId, Lag> | undefined

  constructor(needs: Needs, kind: ReadingKind<Row>, options: ReadingOptions) {
    this.#needs = needs
    this.#kind = kind
    this.userId = options.userId
    this.#only = options.only
    this.#inbox = options.inbox
    this.#subscription = options.subscription
    this.#positions = new Positions(options, kind.shows, kind.noticeOf !== undefined)
    this.#gaps = new Gaps(needs.clock)
    this.#onShown = options.onShown
    this.#beginning = options.beginning
    this.#whole = options.whole
    options.inbox.comparedStream = this
  }

  async *run(): AsyncGenerator<Shown<Row>> {
    yield* this.#catchUp()
    for (;;) {
      if (this.#only && !this.#positions.isOpen(this.#only.conversation.id)) throw notFound()
      const signal = await this.#inbox.take(this.#gaps.nextDueAtMs())
      if (signal.type === 'closed') return
      const entry = entryOf(signal)
      if (!entry) yield* this.#handle(signal)
      else if (this.#concerns(entry.conversationId)) {
        if (!this.#positions.isOpen(entry.conversationId)) yield* this.#enter(entry.conversationId)
        if (!this.#positions.isOpen(entry.conversationId)) continue
        for (const shown of await this.#hear(entry)) yield shown
      }
    }
  }

  /** Accepts messages and changes that are the next row. A group change must be decided first, and what is missing must be read. */
  tryPush(event: ChatEvent): boolean {
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
    if (shown) this.#onShown?.(shown.row)
    this.#needs.highestSeqs.note(id, seq)
    this.#positions.moveTo(seq, position, shown !== undefined)
    return true
  }

  async *#catchUp(): AsyncGenerator<Shown<Row>> {
    const { clock, observer } = this.#needs
    const begunAtMs = clock.monotonic()
    const { toCatchUp, onCaughtUp } = this.#beginning ?? nothingToBegin
    yield* this.#read(await toCatchUp(), { catchUp: true })
    this.#whole = true
    await retryWhileUnavailable(clock, onCaughtUp)
    this.#beginning = undefined
    if (this.#kind.stream === 'messages') observer.caughtUp(this.#cellsRead, clock.monotonic() - begunAtMs)
  }

  /** Handles a signal that brings no entry. */
  async *#handle(signal: Signal): AsyncGenerator<Shown<Row>> {
    const { clock, observer } = this.#needs
    if (signal.type === 'membership') yield* this.#takeMembership(signal.membership)
    if (signal.type === 'due') {
      this.#whole = false
      const waited = new Map(this.#gaps.takeDue().map(({ conversationId, below }) => [conversationId, below]))
      const ids = [...waited.keys()]
      const found = ids.map((id) => this.#takeFound(id))
      const cellsBefore = this.#cellsRead
      yield* this.#read(ids, { catchUp: false, waited })
      this.#whole = true
      // A counter may be ahead of the log. Then nothing was missing.
      if (this.#cellsRead > cellsBefore) {
        observer.resynced(this.#kind.stream, found.some((lag) => lag !== undefined) ? 'beat' : 'hole')
      }
      const uncounted = ids.filter((_id, i) => found[i] === 'uncounted')
      if (uncounted.length > 0) await this.#needs.recount(uncounted).catch(noneWhileUnavailable)
    }
    if (signal.type === 'periodicResync') {
      const lagging = this.#compare(signal.stamp).catch(noneWhileUnavailable)
      for (const each of await lagging) this.#suspectPeriodically(each)
    }
    if (signal.type === 'resync') {
      this.#whole = false
      this.#gaps.clear()
      this.#foundPeriodically = undefined
      observer.resynced(this.#kind.stream, 'lost')
      yield* this.#read(await retryWhileUnavailable(clock, () => this.everyConversation()), { catchUp: false })
      this.#whole = true
    }
  }

  #suspectPeriodically({ id, lag, counter }: Lagging): void {
    if (lag === 'uncounted') this.#gaps.suspectAny(id)
    else this.#gaps.suspect(id, counter)
    this.#foundPeriodically ??= new Map()
    this.#foundPeriodically.set(id, lag)
  }

  #takeFound(id: ConversationId): Lag | undefined {
    const lag = this.#foundPeriodically?.get(id)
    this.#foundPeriodically?.delete(id)
    return lag
  }

  #concerns(id: ConversationId): boolean {
    return !this.#only || id === this.#only.conversation.id
  }

  async *#takeMembership({ conversationId: id, joined: isIn }: MembershipEvent): AsyncGenerator<Shown<Row>> {
    if (!this.#concerns(id)) return
    const isOpen = this.#positions.isOpen(id)
    if (isIn && !isOpen) yield* this.#enter(id)
    // The log says at which entry the membership ended.
    else if (isOpen) this.#gaps.suspectAny(id)
  }

  /**
   * Begins to read a group to which the user was just added, with what is in its log already. The channel was subscribed to when the event
   * came; but since then this reader may have met an earlier removal in the log and have left the channel.
   */
  async *#enter(id: ConversationId): AsyncGenerator<Shown<Row>> {
    await retryWhileUnavailable(this.#needs.clock, () => this.#subscription.joinGroup(id))
    this.#admitMember(id, await this.#currentMember(id))
    if (!this.#positions.isOpen(id)) return this.#subscription.leaveGroup(id)
    yield* this.#read([id], { catchUp: false, waited: noWaits })
  }

  async #currentMember(id: ConversationId): Promise<Member | undefined> {
    const [member] = await retryWhileUnavailable(this.#needs.clock, () => this.#needs.access.find(this.userId, [id]))
    return member
  }

  #admit(id: ConversationId, member: { joinedSeq: Seq } | undefined, conversation?: Conversation): void {
    const floorSeq = conversation ? floorSeqOf(conversation) : 0
    if (isGroupId(id) || floorSeq > 0) this.#positions.admit(id, member?.joinedSeq, floorSeq)
  }

  #admitMember(id: ConversationId, member: Member | undefined): void {
    this.#admit(id, member, member?.conversation)
  }

  /** Decides a group change before the reader goes past it: whether, and from where on, the user is in the group. */
  async #meet(change: GroupChange): Promise<Group | undefined> {
    const { conversationId: id } = change
    const group = await retryWhileUnavailable(this.#needs.clock, () => this.#needs.decideChange(change))
    this.#admit(id, group?.membersById.get(this.userId), group)
    if (this.#positions.isOpen(id)) return group
    // The event that the user is back comes on another channel. It may have been handled already, as if it belonged to the membership that ends here.
    this.#admitMember(id, await this.#currentMember(id))
    if (!this.#positions.isOpen(id)) await this.#subscription.leaveGroup(id)
    // The event of the change that brought the user back may have come and gone. The reader has still to show that change.
    else if (this.#kind.noticeOf) this.#gaps.suspectAny(id)
    return group
  }

  /** Returns the notice of a change that was met, if it took effect and the user is in the group after it. */
  async #noticeOf(group: Group, change: GroupChange): Promise<Row | undefined> {
    const { noticeOf } = this.#kind
    const { conversationId: id, seq } = change
    if (!noticeOf || !this.#positions.isOpen(id) || this.#positions.joinedSeq(id) > seq) return undefined
    return retryWhileUnavailable(this.#needs.clock, () => noticeOf(group, change))
  }

  /** Looks up, once, what comes before the first row shown, if no catch-up has done so. */
  async #findStart(id: ConversationId): Promise<void> {
    const { pages } = this.#kind
    const position = this.#positions.of(id)
    if (pages.knowsStart(this.#positions, id, position)) return
    this.#whole = false
    position.shownSeq = await retryWhileUnavailable(this.#needs.clock, () =>
      pages.shownBefore(this.#positions, id, position.at + 1),
    )
    this.#whole = true
    position.begun = true
  }

  /** Returns what can be shown now that this entry has come: the entry and those that waited for it, or nothing. */
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
   * Reads everything above this stream's positions in these conversations. `waited` says up to where holes were waited for already; rows above
   * other holes are held until those were waited for, too. Without `waited`, holes are waited for during the read.
   */
  async *#read(
    ids: readonly ConversationId[],
    { catchUp, waited }: { catchUp: boolean; waited?: ReadonlyMap<ConversationId, Seq> },
  ): AsyncGenerator<Shown<Row>> {
    const readPage = async (id: ConversationId) => {
      const below = waited && (waited.get(id) ?? 0)
      const page = await retryWhileUnavailable(this.#needs.clock, () =>
        this.#kind.pages.read(this.#positions, id, below),
      )
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
    if (row.kind !== 'void') this.#needs.highestSeqs.note(row.conversationId, row.seq)
    const notice = row.kind === 'group' ? await this.#meetAndShow(row) : undefined
    const shown = this.#positions.pass(notice ?? row, catchUp)
    if (shown) this.#onShown?.(shown.row)
    return shown
  }

  /** Meets the change, and returns its notice where this stream shows one. */
  async #meetAndShow(change: GroupChange): Promise<Row | undefined> {
    const group = await this.#meet(change)
    return this.#kind.noticeOf && group && this.#noticeOf(group, change)
  }

  async everyConversation(): Promise<ConversationId[]> {
    const members = await this.#subscription.refresh()
    const ids = new Set(members.map(({ conversation }) => conversation.id))
    for (const id of this.#positions.groups()) if (!ids.has(id)) this.#admit(id, undefined)
    for (const member of members) this.#admitMember(member.conversation.id, member)
    return [...ids]
  }

  /**
   * What an idle stream would find at the periodic resync is the same whether it looks or the scheduler does: the index with a stamp that stood
   * is the index it has read, and the positions of a stream only rise.
   */
  compared(stamp: string): readonly ConversationId[] | undefined {
    if (this.#only && this.#compared) return this.#compared
    return stamp === this.#comparedUnder ? this.#compared : undefined
  }

  hasReached(id: ConversationId, counter: Seq | undefined): boolean {
    return counter !== undefined && counter <= this.#positions.at(id)
  }

  async #compare(stamp: string | undefined): Promise<Lagging[]> {
    const ids = await this.everyConversation()
    this.#compared = ids
    this.#comparedUnder = stamp
    return this.#lagging(ids)
  }

  /** Returns the conversations whose counter is not where this reader is. A counter may be ahead of the log; then a read finds nothing. */
  async #lagging(ids: readonly ConversationId[]): Promise<Lagging[]> {
    const counters = await this.#needs.sequencer.counters(ids)
    return ids.flatMap((id, i): Lagging[] => {
      const counter = counters[i]
      if (counter === undefined) return [{ id, lag: 'uncounted', counter: 0 }]
      return counter > this.#positions.at(id) ? [{ id, lag: 'behind', counter }] : []
    })
  }

  /** Returns the conversations that lag, and those where Redis has fallen back and the next cell is taken. */
  async behind(ids: readonly ConversationId[]): Promise<ConversationId[]> {
    const ahead = (await this.#lagging(ids)).map(({ id }) => id)
    const others = ids.filter((id) => !ahead.includes(id))
    const nextCells = others.map((id) => ({ conversationId: id, seq: this.#positions.at(id) + 1 }))
    const next = await this.#needs.messages.getMany(nextCells)
    return [...ahead, ...next.map((row) => row.conversationId)]
  }

  passedInVain(cells: number): [ConversationId, Seq][] {
    return this.#positions.passedInVain(cells)
  }

  /** A row that waits in a gap was heard but not shown, and no sender has written a pending row for it. So the outcome is not whole. */
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

/** While Redis or DynamoDB is unavailable, no message can be sent either. The next periodic resync looks again. */
export function noneWhileUnavailable(error: unknown): [] {
  if (error instanceof ChatError && error.code === 'UNAVAILABLE') return []
  throw error
}
