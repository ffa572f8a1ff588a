import type { FeedPosition } from '../../ports/feed.ts'
import type { EventPlace, ShareProgress, StoredLane } from '../../ports/webhooks.ts'
import type { Seq } from '../../protocol/ids.ts'
import type { FeedEvent } from '../feed/feed-events.ts'

// What is under way to one endpoint. A lane is the queue of one conversation: its events are posted one after the other, those of different
// lanes side by side. A lane holds the next few events; of what is behind them it knows only the last seq, and reads them from the log
// when it comes to them. So a conversation that waits for its endpoint takes no more memory, and no larger row, than one event.

/** A lane holds so many events. If more come before they are taken, it reads the others from the log later. */
const bufferMax = 16

/** `buffer` has the events up to `heldTo`; those from there to `upTo` are in the log. Of lanes with the same `busyKey`, one posts at a time. */
export type Lane = StoredLane & { key: string; busyKey: string; buffer: FeedEvent[]; heldTo: Seq }

export const storedLanes = (lanes: Iterable<Lane>): StoredLane[] =>
  [...lanes].map(({ key: _key, busyKey: _busyKey, buffer: _buffer, heldTo: _heldTo, ...stored }) => stored)

export function openLane(stored: StoredLane): Lane {
  const { place, failureId } = stored
  const own = place.conversationId ?? `${place.partition}:${place.row}`
  const busyKey = place.conversationId ?? place.about ?? own
  return { ...stored, key: failureId ?? own, busyKey, buffer: [], heldTo: 0 }
}

export const openLanes = ({ lanes }: ShareProgress): Map<string, Lane> =>
  new Map(lanes.map(openLane).map((lane) => [lane.key, lane]))

/** An event that lies within a row is reached again from the row before. */
export const placeOf = ({ partition, position, conversationId, seq, nth }: FeedEvent): EventPlace => {
  const row: FeedPosition = Math.ceil(position)
  return conversationId !== undefined && seq !== undefined
    ? { partition, row, conversationId, seq, nth }
    : { partition, row, ...(conversationId !== undefined && { about: conversationId }) }
}

/** Puts an event of the feed behind what is under way. */
export function enqueue(lanes: Map<string, Lane>, event: FeedEvent, nowMs: number): void {
  const { seq } = event
  const place = placeOf(event)
  const lane = place.conversationId === undefined ? undefined : lanes.get(place.conversationId)
  if (!lane) {
    const sinceMs = announcedAt(event, nowMs)
    const fresh = openLane({ place, ...(seq !== undefined && { upTo: seq }), sinceMs, attempts: 0, nextAtMs: 0 })
    lanes.set(fresh.key, { ...fresh, buffer: [event], heldTo: seq ?? 0 })
    return
  }
  if (seq === undefined || lane.upTo === undefined || seq < lane.upTo) return
  const isWhole = lane.buffer.length > 0 && lane.heldTo === lane.upTo
  if (isWhole && (seq === lane.upTo || lane.buffer.length < bufferMax)) {
    lane.buffer.push(event)
    lane.heldTo = seq
  }
  lane.upTo = seq
}

/** Notes an event that the webhook does not want. It is not posted, but a lane that is behind has to go past it. */
export function passUnwanted(lanes: ReadonlyMap<string, Lane>, { conversationId, seq }: FeedEvent): void {
  const lane = conversationId === undefined ? undefined : lanes.get(conversationId)
  if (lane?.upTo === undefined || seq === undefined || seq <= lane.upTo) return
  if (lane.heldTo === lane.upTo && lane.buffer.length > 0) lane.heldTo = seq
  lane.upTo = seq
}

/** Returns when an event came into the feed. One that was read from a log does not say so, and counts as announced when it occurred. */
const announcedAt = ({ announcedAtMs, occurredAtMs }: FeedEvent, nowMs: number): number =>
  Math.min(announcedAtMs ?? occurredAtMs, nowMs)

/** Goes past the event at the head. Returns whether the lane has more. */
export function advance(lane: Lane, nowMs: number): boolean {
  const past = lane.buffer.shift()
  const [next] = lane.buffer
  lane.attempts = 0
  delete lane.notBeforeMs
  delete lane.lastStatus
  delete lane.lastError
  if (next) {
    lane.place = placeOf(next)
    lane.sinceMs = Math.max(lane.sinceMs, announcedAt(next, nowMs))
    return true
  }
  if (lane.upTo === undefined || lane.place.conversationId === undefined || lane.heldTo >= lane.upTo) return false
  const row = past ? Math.ceil(past.position) : lane.place.row
  lane.place = { ...lane.place, row, seq: lane.heldTo + 1, nth: 0 }
  return true
}

/** Ends a lane that has nothing more, unless something has come behind it meanwhile. */
export function endLane(lanes: Map<string, Lane>, { key, upTo, heldTo }: Lane): void {
  if (upTo === undefined || heldTo >= upTo) lanes.delete(key)
}
