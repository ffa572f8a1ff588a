// Events on a channel are JSON with a version, so that nodes of two releases may share a Redis. A node that does not understand an event
// ignores it, as if it were lost: its streams find what they missed in the log.

import type { ChatEvent } from '../../ports/events.ts'
import type { LogEntry } from '../../ports/log.ts'
import { GroupTicks } from '../../protocol/group-ticks.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'

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
function toWire(event: ChatEvent | FlushEvent): object {
  if (event.type === 'membership') return { type: 'seat', seat: event.membership }
  return event.type === 'groupTicks' ? groupTicksToWire(event.group) : event
}

type WireRise = [userId: string, delivered: number, read: number, deliveredBefore?: number, readBefore?: number]

/**
 * On the wire it is an event of the type `ticks` with all rises beside the boundaries of the first. A node of an earlier release understands
 * those boundaries and finds the others by its periodic resync, as if their events were lost.
 */
function groupTicksToWire({ rises }: GroupTicks): object {
  const more = rises.map(({ ticks, before }): WireRise => {
    const now: [string, number, number] = [ticks.userId, ticks.lastDeliveredSeq, ticks.lastReadSeq]
    return before ? [...now, before.lastDeliveredSeq, before.lastReadSeq] : now
  })
  return { type: 'ticks', ticks: rises[0]?.ticks, rises: more }
}

function toGroupTicks(conversationId: ConversationId, rises: readonly WireRise[]): GroupTicks {
  return new GroupTicks(
    conversationId,
    rises.map(([userId, delivered, read, deliveredBefore, readBefore = 0]) => {
      const ticks = { conversationId, userId: userId as UserId, lastDeliveredSeq: delivered, lastReadSeq: read }
      if (deliveredBefore === undefined) return { ticks }
      return { ticks, before: { lastDeliveredSeq: deliveredBefore, lastReadSeq: readBefore } }
    }),
  )
}

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
      if (!hasBoundaries(wire.ticks)) return undefined
      if (wire.rises === undefined) return { type: 'ticks', ticks: wire.ticks }
      if (!Array.isArray(wire.rises) || !wire.rises.every(isWireRise)) return undefined
      return { type: 'groupTicks', group: toGroupTicks(wire.ticks.conversationId, wire.rises) }
    case 'typing':
      return isTyping(wire.typing) ? ({ type: 'typing', typing: wire.typing } as ChatEvent) : undefined
    case 'conversation':
      return typeof wire.conversationId === 'string'
        ? { type: 'conversation', conversationId: wire.conversationId as ConversationId }
        : undefined
    case 'presence':
      return typeof wire.userId === 'string' ? ({ type: 'presence', userId: wire.userId } as ChatEvent) : undefined
    case 'restriction':
      return typeof wire.userId === 'string' && Number.isInteger(wire.version)
        ? ({ type: 'restriction', userId: wire.userId, version: wire.version } as ChatEvent)
        : undefined
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

const isWireRise = (value: unknown): value is WireRise => {
  if (!Array.isArray(value)) return false
  const [userId, ...seqs] = value
  return typeof userId === 'string' && (seqs.length === 2 || seqs.length === 4) && seqs.every(Number.isInteger)
}

const hasBoundaries = (value: unknown): value is MemberBoundaries =>
  isRecord(value) &&
  typeof value.conversationId === 'string' &&
  typeof value.userId === 'string' &&
  Number.isInteger(value.lastDeliveredSeq) &&
  Number.isInteger(value.lastReadSeq)
