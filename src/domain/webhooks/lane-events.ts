import type { LogEntry } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { EventPlace } from '../../ports/webhooks.ts'
import { type ConversationId, isGroupId, type Seq } from '../../protocol/ids.ts'
import type { EntryEvents } from '../feed/entry-events.ts'
import { eventOfFact, type FeedEvent } from '../feed/feed-events.ts'
import { partitionOf } from '../feed/partitions.ts'
import type { Log } from '../log/log.ts'

// Events that are not taken from the feed but from where they are: what a conversation has from some place on, while the feed is further already;
// and single ones that are delivered again.

const rowsAtATime = 32

type Needs = Pick<Ports, 'feed' | 'messages'> & { log: Log; eventsOfEntry: EntryEvents }

export type LaneEvents = ReturnType<typeof createLaneEvents>

export function createLaneEvents({ feed, messages, log, eventsOfEntry }: Needs) {
  /** Returns the next events of a conversation from `from` to `upTo`. Everything up to `reached` was looked at. */
  async function read(
    conversationId: ConversationId,
    from: { seq: Seq; nth: number },
    upTo: Seq,
  ): Promise<{ events: FeedEvent[]; reached: Seq }> {
    const rows = (await log.above(conversationId, from.seq - 1, rowsAtATime)).filter(({ seq }) => seq <= upTo)
    const entries = rows.filter((row): row is LogEntry => row.kind !== 'void' && row.feedPosition !== undefined)
    const firstSeq = entries.length > 0 ? await firstSeqOf(conversationId) : 0
    const partition = partitionOf(conversationId)
    // They may have been announced in another order than that of their seqs. The feed gives all of them from the lowest position on.
    const position = Math.min(...entries.map(({ feedPosition = 0 }) => feedPosition))
    const events: FeedEvent[] = []
    for (const entry of entries)
      events.push(...(await eventsOfEntry(entry, { partition, position }, entry.seq === firstSeq)))
    return {
      events: events.filter(({ seq, nth }) => seq !== from.seq || nth >= from.nth),
      reached: rows.length < rowsAtATime ? upTo : (rows.at(-1)?.seq ?? upTo),
    }
  }

  /** Only the first entry of a direct chat gives another event for being the first. */
  async function firstSeqOf(conversationId: ConversationId): Promise<Seq> {
    if (isGroupId(conversationId)) return 0
    return (await log.firstEntry(conversationId))?.seq ?? 0
  }

  /** Returns the event at this place; undefined if it is gone, as is after thirty days whatever no log has. */
  async function at(place: EventPlace): Promise<FeedEvent | undefined> {
    const { partition, row } = place
    if (place.conversationId === undefined) {
      const [found] = await feed.above(partition, row - 1, 1)
      return found?.kind === 'fact' && found.position === row
        ? eventOfFact(found, { partition, position: row })
        : undefined
    }
    const { conversationId, seq, nth } = place
    const entry = await messages.get({ conversationId, seq })
    if (!entry || entry.kind === 'void') return undefined
    const isFirst = entry.seq === (await firstSeqOf(conversationId))
    return (await eventsOfEntry(entry, { partition, position: row }, isFirst))[nth]
  }

  return { read, at }
}
