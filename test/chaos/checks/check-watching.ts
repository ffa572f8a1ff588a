import type { Anomaly } from './anomaly.ts'
import { type FaultWindow, type History, isGroup, type Span } from './history.ts'
import { memberOf, type Tenures } from './tenures.ts'

// Streams of ticks and typing may learn of a removal only when they compare, every 30 s. After that they show nothing more of the group, and
// those of this group alone have ended.

/** This is the 30 s, and a moment more. */
const comparedWithinMs = 35_000

export const checkWatching = (history: History, tenures: Tenures): Anomaly[] => [
  ...checkTyping(history, tenures),
  ...checkEnds(history, tenures),
]

/** P6: a stream shows only typing that a member has announced, and only to members of the same conversation. */
function checkTyping(history: History, tenures: Tenures): Anomaly[] {
  const said = new Map<string, number>()
  for (const call of history.calls) {
    if (call.kind !== 'typing' || !call.ask.typing) continue
    const key = `${call.userId} ${call.ask.conversationId}`
    said.set(key, Math.min(call.askedAtMs, said.get(key) ?? Number.POSITIVE_INFINITY))
  }
  return history.typingStreams.flatMap(({ client, userId, conversationId = '', events }) =>
    events.flatMap(({ typing, atMs }): Anomaly[] => {
      const found = (text: string): Anomaly[] => [
        { promise: 'P6', text: `typingChanged shows ${client} ${text}`, atMs, conversationId, userId },
      ]
      const isIn = (each: string) => wasIn(each, conversationId, atMs, history, tenures)
      if (!isIn(userId) || !isIn(typing.userId)) return found(`${typing.userId}, long after one of them was out`)
      const saidAtMs = said.get(`${typing.userId} ${conversationId}`) ?? Number.POSITIVE_INFINITY
      return typing.userId === userId || saidAtMs > atMs ? found(`${typing.userId}, who had not said so`) : []
    }),
  )
}

function wasIn(userId: string, conversationId: string, atMs: number, { members }: History, tenures: Tenures): boolean {
  if (!isGroup(conversationId)) return members[conversationId]?.includes(userId) === true
  const then = tenures.between(conversationId, atMs - comparedWithinMs, atMs)
  return then.some(({ group }) => memberOf(group, userId))
}

/** A stream of one group ends when its reader is out. The time of faults does not count. */
function checkEnds(history: History, tenures: Tenures): Anomaly[] {
  const endedAtMs = Math.max(0, ...history.calls.map((call) => call.endedAtMs ?? call.askedAtMs))
  const kinds = {
    messageAdded: history.streams,
    ticksChanged: history.tickStreams,
    typingChanged: history.typingStreams,
    messageChanged: history.changeStreams,
  }
  return Object.entries(kinds).flatMap(([field, streams]) =>
    streams.flatMap(({ client, userId, conversationId, openedAtMs, end }): Anomaly[] => {
      if (conversationId === undefined || !isGroup(conversationId)) return []
      const toMs = end?.atMs ?? endedAtMs
      return outOf(userId, conversationId, tenures).flatMap((out): Anomaly[] => {
        const span = { fromMs: Math.max(out.fromMs, openedAtMs), toMs: Math.min(out.toMs, toMs) }
        const calmMs = calmOf(span, history.faults)
        if (calmMs <= comparedWithinMs) return []
        const text = `${field} of one group went on for ${client} ${span.toMs - span.fromMs} ms after they were out, ${calmMs} ms of it without any fault`
        return [{ promise: 'P6', text, atMs: span.fromMs, conversationId, userId }]
      })
    }),
  )
}

/** Returns when the user was certainly out: from when the removal was acknowledged until another user may have added them again. */
function outOf(userId: string, conversationId: string, tenures: Tenures): Span[] {
  const versions = tenures.versions(conversationId)
  return versions.flatMap(({ group, latestMs }, i): Span[] => {
    const before = versions[i - 1]
    if (!before || memberOf(group, userId) || !memberOf(before.group, userId)) return []
    const back = versions.slice(i + 1).find((later) => memberOf(later.group, userId))
    return [{ fromMs: latestMs, toMs: back?.earliestMs ?? Number.POSITIVE_INFINITY }]
  })
}

function calmOf({ fromMs, toMs }: Span, faults: readonly FaultWindow[]): number {
  let calmMs = 0
  let atMs = fromMs
  for (const fault of faults.toSorted((one, other) => one.fromMs - other.fromMs)) {
    calmMs += Math.max(0, Math.min(fault.fromMs, toMs) - atMs)
    atMs = Math.max(atMs, fault.toMs)
  }
  return calmMs + Math.max(0, toMs - atMs)
}
