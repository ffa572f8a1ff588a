// Events on a channel are JSON with a version, so that nodes of two releases may share a Redis. A node that does not understand an event
// ignores it, as if it were lost: its streams find what they missed in the log.

import type { ChatEvent } from '../../ports/events.ts'
import type { LogEntry } from '../../ports/log.ts'
import type { ConversationId } from '../../protocol/ids.ts'

/** A subscription publishes this event to itself: when it arrives, everything before it has arrived. */
type FlushEvent = { type: 'flush'; id: string }

const version = 1

export function eventOf(entry: LogEntry): ChatEvent {
  if (entry.kind === 'message') return { type: 'message', message: entry }
  return entry.kind === 'change' ? { type: 'change', change: entry } : { type: 'group', change: entry }
}

/** `traceparent` names the trace that the event belongs to, if any. Nodes without tracing ignore it. */
export const encodeEvent = (event: ChatEvent | FlushEvent, traceparent?: string): string =>
  JSON.stringify(
    traceparent === undefined ? { v: version, ...toWire(event) } : { v: version, ...toWire(event), traceparent },
  )

/** A membership event is called `seat` on the wire. */
const toWire = (event: ChatEvent | FlushEvent) =>
  event.type === 'membership' ? { type: 'seat', seat: event.membership } : event

/** Takes the result of JSON.parse. */
export function decodeEvent(wire: unknown): ChatEvent | FlushEvent | undefined {
  if (!isRecord(wire) || wire.v !== version) return undefined
  switch (wire.type) {
    case 'message':
      return hasAddress(wire.message) ? ({ type: 'message', message: wire.message } as ChatEvent) : undefined
    case 'change':
      return hasAddress(wire.change) ? ({ type: 'change', change: wire.change } as ChatEvent) : undefined
    case 'group':
      return hasAddress(wire.change) ? ({ type: 'group', change: wire.change } as ChatEvent) : undefined
    case 'seat':
      return isMembership(wire.seat) ? ({ type: 'membership', membership: wire.seat } as ChatEvent) : undefined
    case 'ticks':
      return hasBoundaries(wire.ticks) ? ({ type: 'ticks', ticks: wire.ticks } as ChatEvent) : undefined
    case 'typing':
      return isTyping(wire.typing) ? ({ type: 'typing', typing: wire.typing } as ChatEvent) : undefined
    case 'conversation':
      return typeof wire.conversationId === 'string'
        ? { type: 'conversation', conversationId: wire.conversationId as ConversationId }
        : undefined
    case 'presence':
      return typeof wire.userId === 'string' ? ({ type: 'presence', userId: wire.userId } as ChatEvent) : undefined
    case 'flush':
      return typeof wire.id === 'string' ? { type: 'flush', id: wire.id } : undefined
    default:
      return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const hasAddress = (value: unknown): boolean =>
  isRecord(value) && typeof value.conversationId === 'string' && Number.isInteger(value.seq)

const isMembership = (value: unknown): boolean =>
  isRecord(value) && hasAddress(value) && typeof value.joined === 'boolean'

const isTyping = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.conversationId === 'string' &&
  typeof value.userId === 'string' &&
  typeof value.typing === 'boolean'

const hasBoundaries = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.conversationId === 'string' &&
  typeof value.userId === 'string' &&
  Number.isInteger(value.lastDeliveredSeq) &&
  Number.isInteger(value.lastReadSeq)
