import type { FeedEntry, FeedFact, FeedPartition, FeedPosition } from '../../ports/feed.ts'
import type { Ports } from '../../ports/ports.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { MessageAddress } from '../../protocol/ids.ts'
import { partitionOf } from './partitions.ts'

// Puts a row into the feed: of an entry of a log before its cell is written, of a fact after it is stored.
//
// A cell is written only by an attempt that has announced it, and names the position of that announcement. So no entry is without its place in
// the feed, and each has exactly one. What a crash leaves:
//   after the position was given   a hole; the next reader of the feed voids it
//   after the announcement         an announcement without a cell, or with a cell that names another position; readers skip it
//   after the cell                 an entry with its place in the feed

/** Each further attempt means that Redis has forgotten how far the partition is taken, or that a reader has voided the position. */
const attemptsMax = 20
/** This is when positions begin, in a partition that has no rows. */
const epochMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

/** Returns where the entry is announced; undefined if there is no feed. */
export type AnnounceEntry = (entry: MessageAddress) => Promise<FeedPosition | undefined>
/**
 * Tells of something that no log has, after it was stored. A caller that is not answered repeats both, so a fact may be told twice, with two ids
 * unless it brings one.
 */
export type Tell = (fact: Omit<FeedFact, 'kind' | 'id'> & { id?: string }) => Promise<void>

type Needs = Pick<Ports, 'feed' | 'feedCounters' | 'clock'> & { isOn: boolean; nextEventId: () => string }

export function createAnnounce({ feed, feedCounters, clock, isOn, nextEventId }: Needs): {
  announceEntry: AnnounceEntry
  tell: Tell
} {
  async function put(partition: FeedPartition, row: FeedEntry | FeedFact): Promise<FeedPosition> {
    let taken: FeedPosition | undefined
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const position = await feedCounters.next(partition, taken)
      if (position === undefined) taken = await endOf(partition)
      else if ((await feed.put({ ...row, partition, position, atMs: clock.now() })) === 'written') return position
      else taken = Math.max(position, await endOf(partition))
    }
    throw unavailable(new Error('Others kept taking the positions of the feed.'))
  }

  /** Returns the last position of the partition, or the one above which it begins. */
  const endOf = async (partition: FeedPartition): Promise<FeedPosition> =>
    (await feed.last(partition)) ?? (await begin(partition))

  /**
   * Returns where a partition without rows begins. All its rows may have expired, and consumers that have taken them know how far they were. So
   * it begins anew above them: positions are given out more slowly than milliseconds pass. All nodes that find it empty within a day begin it at
   * the same place, the one that was written first.
   */
  async function begin(partition: FeedPartition): Promise<FeedPosition> {
    const before = await feed.start(partition)
    const now = clock.now() - epochMs
    if (before !== undefined && now - before < dayMs) return before
    await feed.setStart(partition, Math.max(now, (before ?? 0) + 1), before)
    const start = await feed.start(partition)
    if (start === undefined) throw unavailable()
    return start
  }

  return {
    async announceEntry({ conversationId, seq }) {
      return isOn ? put(partitionOf(conversationId), { kind: 'entry', conversationId, seq }) : undefined
    },
    async tell(fact) {
      if (!isOn) return
      const { id = nextEventId() } = fact
      await put(partitionOf(fact.conversationId ?? fact.userId ?? id), { ...fact, kind: 'fact', id })
    },
  }
}
