import { LRUCache } from 'lru-cache'
import type { FeedEntry, FeedPartition, FeedPosition, FeedRow } from '../../ports/feed.ts'
import type { LogEntry, LogRow } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { entriesMax } from '../../shared/entries-max.ts'
import type { Log } from '../log/log.ts'
import type { EntryEvents } from './entry-events.ts'
import { eventOfFact, type FeedEvent } from './feed-events.ts'
import { partitions } from './partitions.ts'
import { type FeedPositions, rowOf, within } from './positions.ts'

// Reads the feed from any positions on. What it gives depends on the rows alone, so every reader gives the same, in the same order in each
// conversation.
//
// A row announces an entry. The entry happened if its cell names the position of the row; otherwise another row announces what the cell holds, or
// nothing was written. An empty cell is waited for, and then voided as by any reader of the log, so nothing is written there later.
//
// Two sends of a conversation may be announced in the wrong order. So before an entry is given, the entries below it are looked at, down to
// one that was announced earlier: those that are announced later are given first, and skipped where their own rows come.

/** A position or a cell that is empty is waited for this long. Then its writer is late, and has to take another one. */
const patienceMs = 1000
/** A row this old is not waited for. Clocks of two machines may differ, which does no harm: a void is right at any time. */
const oldMs = 30_000
const rowsAtATime = 32
/** Never are more numbers under way at once. A longer hole means that its rows have expired, or that the partition has begun anew. */
const holesMax = 1000
/** A partition is read this often even if its counter says that nothing is new. */
const lookAnywayMs = 30_000
/** What the counters say is good for this long, for all readers of a node. */
const endsGoodMs = 150
const conversationsMax = 10_000
const neighbours = 16
const neighboursMax = 256

type Needs = Pick<Ports, 'feed' | 'feedCounters' | 'messages' | 'clock'> & {
  log: Log
  eventsOfEntry: EntryEvents
  observer: Observer
}

export interface FeedReader {
  /** Returns the next events that are due, oldest first; none if none is. */
  read(limit: number): Promise<FeedEvent[]>
  /** Where to go on after what was returned. */
  positions(): FeedPositions
}

/** `after` is the last row that was looked at. `ready` are the events that it and earlier rows gave, and that were not returned yet. */
type PartitionState = {
  after: FeedPosition
  returned: FeedPosition
  ready: FeedEvent[]
  waitingFor: { what: string; sinceMs: number } | undefined
  /** What the counter said before the partition was last read to its end. `none`: there may be more to read. */
  endSeen: FeedPosition | undefined | 'none'
}

export function createFeedReaders(needs: Needs) {
  const { feed, messages, clock, log, eventsOfEntry, observer } = needs
  const endsNow = createSharedEnds(needs)

  /** Reads the partitions in `mine`. The positions of the others stay as they are. */
  return function openReader(from: FeedPositions, mine: readonly FeedPartition[] = partitions): FeedReader {
    const states = from.map(
      (position): PartitionState => ({
        after: rowOf(position).row,
        returned: position,
        ready: [],
        waitingFor: undefined,
        endSeen: 'none',
      }),
    )
    /** The last seq that was given of a conversation. */
    const given = new LRUCache<ConversationId, Seq>(entriesMax(conversationsMax))
    let lookedAtMs = Number.NEGATIVE_INFINITY

    const stateOf = (partition: FeedPartition): PartitionState => states[partition] as PartitionState

    /**
     * Reads the partitions that may have something new. If a counter says the same as when its partition was last read to the end, no position
     * was given out since. That holds also where there is no counter: Redis has none for a partition that is not written to.
     */
    async function fillAll(): Promise<void> {
      const now = clock.monotonic()
      const ends = await endsNow()
      const looksAnyway = now - lookedAtMs >= lookAnywayMs
      const news = mine
        .map((partition) => ({ partition, end: ends[partition] }))
        .filter(({ partition, end }) => looksAnyway || stateOf(partition).endSeen !== end)
      // Where one fails, the others are waited for: whoever reads tries again, and two calls that fill one partition would give its events twice.
      const filled = await Promise.allSettled(news.map(({ partition, end }) => fill(partition, end)))
      for (const each of filled) if (each.status === 'rejected') throw each.reason
      if (looksAnyway) lookedAtMs = now
    }

    /** Reads the next rows of a partition, up to the first that is not due. */
    async function fill(partition: FeedPartition, end: FeedPosition | undefined | 'none' = 'none'): Promise<void> {
      const state = stateOf(partition)
      if (state.ready.length > 0) return
      state.endSeen = 'none'
      const rows = await feed.above(partition, state.after, rowsAtATime)
      const cells = await cellsOf(rows)
      for (const row of rows) {
        if (!(await reach(state, row))) return
        const events = await eventsOf(state, row, cells)
        if (!events) return
        const { taken } = rowOf(state.returned)
        state.ready.push(...(isNextOf(state.returned, row) ? events.slice(taken) : events))
        state.after = row.position
      }
      // Rows may be on their way to positions that the counter has given out already.
      if (rows.length < rowsAtATime && (typeof end !== 'number' || end <= state.after)) state.endSeen = end
    }

    /** Returns whether nothing is missing in front of this row. */
    async function reach(state: PartitionState, { partition, position, atMs }: FeedRow): Promise<boolean> {
      if (position - state.after > holesMax) {
        const start = (await feed.start(partition)) ?? 0
        state.after = start >= state.after && start < position ? start : position - 1
      }
      const missing = position - state.after - 1
      if (missing <= 0) return true
      if (!isDue(state, `positions from ${state.after + 1}`, atMs)) return false
      const holes = Array.from({ length: missing }, (_, i) => state.after + 1 + i)
      const filled = await Promise.all(
        holes.map((each) => feed.put({ kind: 'void', partition, position: each, atMs: clock.now() })),
      )
      // A position that was taken just now is read with the next call.
      if (filled.includes('taken')) return false
      state.after = position - 1
      return true
    }

    function isDue(state: PartitionState, what: string, announcedAtMs: number): boolean {
      if (clock.now() - announcedAtMs > oldMs) return true
      const now = clock.monotonic()
      if (state.waitingFor?.what !== what) state.waitingFor = { what, sinceMs: now }
      return now - state.waitingFor.sinceMs >= patienceMs
    }

    /** Returns what a row gives; undefined if it is not due yet. */
    async function eventsOf(
      state: PartitionState,
      row: FeedRow,
      cells: ReadonlyMap<string, LogRow>,
    ): Promise<FeedEvent[] | undefined> {
      if (row.kind === 'void') return []
      if (row.kind === 'fact') return [eventOfFact(row, row)]
      const cell = cells.get(cellKey(row)) ?? (await lateCell(state, row))
      if (!cell) return undefined
      return cell.kind === 'void' || cell.feedPosition !== row.position ? [] : eventsUpTo(cell, row)
    }

    async function lateCell(state: PartitionState, row: FeedRow & FeedEntry): Promise<LogRow | undefined> {
      const { conversationId, seq, atMs } = row
      const found = await messages.get(row)
      if (found || !isDue(state, `cell ${conversationId} ${seq}`, atMs)) return found
      const hole = { kind: 'void', conversationId, seq } as const
      if ((await messages.put(hole)) === 'taken') return messages.get(hole)
      observer.voided('reader')
      return hole
    }

    /** Returns the events of this entry and of those below it whose rows come later. */
    async function eventsUpTo(entry: LogEntry, row: FeedRow): Promise<FeedEvent[]> {
      const { conversationId, seq } = entry
      const last = given.get(conversationId)
      if (last !== undefined && last >= seq) return []
      if (last === undefined && (await wasGivenBefore(entry, row.position))) return []
      const { below, isFirst } = last === seq - 1 ? onlyThis : await announcedLater(entry, row.position)
      const events: FeedEvent[] = []
      for (const [i, each] of [...below, entry].entries())
        events.push(...(await eventsOfEntry(each, row, isFirst && i === 0)))
      given.set(conversationId, seq)
      const isLast = (i: number) => i === events.length - 1
      return events.map((event, i) => (isLast(i) ? event : { ...event, position: within(row.position, i + 1) }))
    }

    /** Returns whether an entry above this one was announced before it. Then this one was given together with that one. */
    async function wasGivenBefore({ conversationId, seq }: LogEntry, position: FeedPosition): Promise<boolean> {
      for (let after = seq; after - seq < neighboursMax; after += neighbours) {
        const rows = await messages.above(conversationId, after, neighbours)
        for (const [i, row] of rows.entries()) {
          if (row.seq !== after + 1 + i) return false
          if (row.kind === 'void') continue
          if (row.feedPosition === undefined) return false
          if (row.feedPosition < position) return true
        }
        if (rows.length < neighbours) return false
      }
      return false
    }

    /** Returns the entries below this one that were announced after it, ascending, and whether nothing else is below. */
    async function announcedLater({ conversationId, seq }: LogEntry, position: FeedPosition) {
      const below: LogEntry[] = []
      for (let before = seq; before > 1; ) {
        const rows = await wholeBelow(conversationId, before)
        for (const row of rows) {
          before = row.seq
          if (row.kind === 'void') continue
          if (row.feedPosition === undefined || row.feedPosition < position) return { below, isFirst: false }
          below.unshift(row)
        }
      }
      return { below, isFirst: true }
    }

    /** Returns some rows below `before`, which is taken, descending and without a hole. */
    async function wholeBelow(id: ConversationId, before: Seq): Promise<readonly LogRow[]> {
      const rows = await log.below(id, before, neighbours)
      if (rows.length > 0) return rows
      // There are only holes, which are found from below.
      const fromFirst = await log.above(id, 0, 1)
      return fromFirst.filter(({ seq }) => seq < before).reverse()
    }

    async function cellsOf(rows: readonly FeedRow[]): Promise<ReadonlyMap<string, LogRow>> {
      const entries = rows.filter((row) => row.kind === 'entry')
      const cells = entries.length > 0 ? await messages.getMany(entries) : []
      return new Map(cells.map((cell) => [cellKey(cell), cell]))
    }

    /** Returns the partition whose next event was announced first. */
    function oldest(): PartitionState | undefined {
      let found: PartitionState | undefined
      for (const state of states) {
        const [event] = state.ready
        if (event && (!found || event.occurredAtMs < (found.ready[0]?.occurredAtMs ?? 0))) found = state
      }
      return found
    }

    return {
      async read(limit) {
        const events: FeedEvent[] = []
        await fillAll()
        while (events.length < limit) {
          const state = oldest()
          const event = state?.ready.shift()
          if (!state || !event) break
          events.push(event)
          state.returned = event.position
          if (state.ready.length > 0) continue
          state.returned = state.after
          if (events.length === limit) break
          try {
            await fill(event.partition)
          } catch {
            // What was read so far must be returned, as the reader has gone past it. The next call meets the failure again.
            break
          }
        }
        return events
      },

      positions: () => states.map(({ after, returned, ready }) => (ready.length > 0 ? returned : after)),
    }
  }
}

/** All readers of a node ask the counters together. Where Redis does not answer, nothing is known, and nothing can be announced either. */
function createSharedEnds({ feedCounters, clock }: Pick<Ports, 'feedCounters' | 'clock'>) {
  const unknown: (FeedPosition | undefined)[] = partitions.map(() => undefined)
  let askedAtMs = Number.NEGATIVE_INFINITY
  let ends = Promise.resolve(unknown)
  return () => {
    const now = clock.monotonic()
    if (now - askedAtMs >= endsGoodMs) {
      askedAtMs = now
      ends = feedCounters.ends(partitions).catch(() => unknown)
    }
    return ends
  }
}

const isNextOf = (position: FeedPosition, row: FeedRow): boolean => row.position === rowOf(position).row + 1

const onlyThis = { below: [] as LogEntry[], isFirst: false }

const cellKey = ({ conversationId, seq }: { conversationId: ConversationId; seq: Seq }): string =>
  `${conversationId} ${seq}`
