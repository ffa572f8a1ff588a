import type { Ports } from '../../ports/ports.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { FeedEvent } from './feed-events.ts'
import type { FeedReader } from './feed-reader.ts'
import { partitions } from './partitions.ts'
import type { FeedPositions } from './positions.ts'

// How backends read the feed by themselves: page by page, or as it happens. The server keeps nothing of what they have read; where to go on is
// with each event.

/** Whoever follows the feed looks for more this often. While nothing happens, that is one call to Redis. */
const lookEveryMs = 200
const eventsAtATime = 50

/** `after` is where to go on after the event. */
export type PlacedEvent = { event: FeedEvent; after: FeedPositions }
type FeedPage = { events: PlacedEvent[]; after: FeedPositions; hasMore: boolean }

type Needs = Pick<Ports, 'feed' | 'clock'> & { openFeed: (from: FeedPositions) => FeedReader }

export function createReadFeed({ feed, clock, openFeed }: Needs) {
  /** Returns where the feed ends now. What is announced from now on comes after it. */
  const end = (): Promise<FeedPositions> =>
    Promise.all(partitions.map(async (each) => (await feed.last(each)) ?? (await feed.start(each)) ?? 0))

  async function page(from: FeedPositions, limit: number): Promise<FeedPage> {
    const reader = openFeed(from)
    const found: FeedEvent[] = []
    while (found.length < limit) {
      const more = await reader.read(limit - found.length)
      if (more.length === 0) break
      found.push(...more)
    }
    const after = reader.positions()
    const hasMore = found.length === limit && (await reader.read(1)).length > 0
    return { events: placed(from, found), after, hasMore }
  }

  function follow(from: FeedPositions): AsyncIterableIterator<PlacedEvent> {
    const reader = openFeed(from)
    const ended = new AbortController()
    let waiting: PlacedEvent[] = []
    let before = from

    async function next(): Promise<IteratorResult<PlacedEvent, undefined>> {
      while (!ended.signal.aborted) {
        const event = waiting.shift()
        if (event) return { done: false, value: event }
        waiting = placed(before, await retryWhileUnavailable(clock, () => reader.read(eventsAtATime)))
        before = reader.positions()
        if (waiting.length === 0) await clock.sleep(lookEveryMs, ended.signal)
      }
      return { done: true, value: undefined }
    }

    return {
      next,
      async return() {
        ended.abort()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  return { end, page, follow }
}

/** Each event moves on in its own partition alone. */
function placed(from: FeedPositions, events: readonly FeedEvent[]): PlacedEvent[] {
  let after = from
  return events.map((event) => {
    after = after.with(event.partition, event.position)
    return { event, after }
  })
}
