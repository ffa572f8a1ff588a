import { createRisingLine, type RisingLine } from '../people/rising-line.ts'
import type { Anomaly } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type History, type SendCall, sends, type TicksSeen } from './history.ts'

// Checks P5. A boundary that was seen is judged against three lines over time: what was seen of it before, what the member's own clients had
// asked for, and the log's last seq.

/**
 * A sighting is a boundary that a client was shown. `since` is when it was asked for, if it is as fresh as that; an event may have been on
 * its way for longer.
 */
type Sighting = { ticks: TicksSeen; atMs: number; since?: number; by: string }

/** An attempt that was not answered may go on behind the client's back for this long. */
const ghostMs = 15_000

export function checkTicks(history: History, log: FinalLog): Anomaly[] {
  const sightings = sightingsOf(history)
  const seen = new Map<string, { delivered: RisingLine; read: RisingLine }>()
  for (const { ticks, atMs } of sightings) {
    const lines = seen.get(keyOf(ticks)) ?? { delivered: createRisingLine(), read: createRisingLine() }
    lines.delivered.add(atMs, ticks.lastDeliveredSeq)
    lines.read.add(atMs, ticks.lastReadSeq)
    seen.set(keyOf(ticks), lines)
  }
  const asked = askedLines(history)
  const anomalies = sightings.flatMap(({ ticks, atMs, since, by }): Anomaly[] => {
    const { conversationId, userId, lastDeliveredSeq: delivered, lastReadSeq: read } = ticks
    const found = (text: string): Anomaly => ({
      promise: 'P5',
      text: `${by} saw ${userId} at ${delivered}/${read}: ${text}`,
      atMs,
      conversationId,
      userId,
      seq: delivered,
    })
    const lines = seen.get(keyOf(ticks))
    const own = asked.get(keyOf(ticks))
    const problems: Anomaly[] = []
    if (read > delivered) problems.push(found('read is above delivered'))
    if (delivered > log.lastSeq(conversationId)) problems.push(found(`the log ends at ${log.lastSeq(conversationId)}`))
    const floor = since === undefined ? undefined : { d: lines?.delivered.before(since), r: lines?.read.before(since) }
    if (delivered < (floor?.d ?? 0) || read < (floor?.r ?? 0))
      problems.push(found(`it was ${floor?.d}/${floor?.r} before`))
    const ceiling = { d: own?.delivered.until(atMs) ?? 0, r: own?.read.until(atMs) ?? 0 }
    if (delivered > ceiling.d || read > ceiling.r) {
      problems.push(found(`the member's own clients had asked for ${ceiling.d}/${ceiling.r} at most`))
    }
    return problems
  })
  return [...anomalies, ...checkTickStreams(history), ...checkAnswers(history)]
}

function sightingsOf(history: History): Sighting[] {
  const sightings: Sighting[] = []
  for (const call of history.calls) {
    const { client, askedAtMs: since, endedAtMs: atMs = since } = call
    const by = `${client} by ${call.kind}`
    if (call.kind === 'ticks')
      for (const ticks of answerOf(call)?.ticks ?? []) sightings.push({ ticks, atMs, since, by })
    if (call.kind !== 'ack' && call.kind !== 'read') continue
    const ticks = answerOf(call)
    if (ticks) sightings.push({ ticks, atMs, since, by })
  }
  for (const { client, conversationId, openedAtMs, events } of history.tickStreams) {
    events.forEach(({ ticks, atMs }, i) => {
      const fresh = conversationId !== undefined && i === 0
      sightings.push({ ticks, atMs, by: `${client} by ticksChanged`, ...(fresh && { since: openedAtMs }) })
    })
  }
  for (const { client, userId, begun, ticks } of history.runtimes) {
    // A new device begins where another device of its user was already.
    for (const { atMs, conversationId, seq } of begun)
      sightings.push({ ticks: { conversationId, userId, lastDeliveredSeq: seq, lastReadSeq: 0 }, atMs, by: client })
    for (const { atMs, conversationId, seq, tick } of ticks) {
      if (tick === 'SENT') continue
      for (const other of history.members[conversationId] ?? []) {
        if (other === userId) continue
        const seen = { conversationId, userId: other, lastDeliveredSeq: seq, lastReadSeq: tick === 'READ' ? seq : 0 }
        sightings.push({ ticks: seen, atMs, by: `${client}, whose #${seq} was shown as ${tick},` })
      }
    }
  }
  return sightings.sort((one, other) => one.atMs - other.atMs)
}

/** Returns the most that a member's own clients had asked for, at any time. */
function askedLines(history: History) {
  const lines = new Map<string, { delivered: RisingLine; read: RisingLine }>()
  const of = (userId: string, conversationId: string) => {
    const key = keyOf({ userId, conversationId })
    const found = lines.get(key) ?? { delivered: createRisingLine(), read: createRisingLine() }
    lines.set(key, found)
    return found
  }
  for (const call of history.calls) {
    if (call.kind !== 'ack' && call.kind !== 'read') continue
    const own = of(call.userId, call.ask.conversationId)
    own.delivered.add(call.askedAtMs, call.ask.seq)
    if (call.kind === 'read') own.read.add(call.askedAtMs, call.ask.seq)
  }
  // The client runtime asks by itself, for what it has told the application and nothing else.
  const runtimes = new Set(history.runtimes.map(({ client }) => client))
  for (const { client, userId, events } of history.streams) {
    if (!runtimes.has(client)) continue
    for (const { message, atMs } of events) of(userId, message.conversationId).delivered.add(atMs, message.seq)
  }
  for (const { userId, reads } of history.runtimes) {
    for (const { atMs, conversationId, seq } of reads) {
      of(userId, conversationId).delivered.add(atMs, seq)
      of(userId, conversationId).read.add(atMs, seq)
    }
  }
  // A send reads what was delivered while it was under way. A retry that found its message reads nothing.
  for (const call of sends(history)) {
    if (call.ask.forged || answerOf(call)?.duplicate) continue
    const own = of(call.userId, call.ask.conversationId)
    own.delivered.copyTo(own.read, call.askedAtMs, endOf(call))
  }
  return lines
}

const endOf = (call: SendCall): number => {
  if (call.endedAtMs === undefined) return Number.POSITIVE_INFINITY
  // An earlier attempt of the runtime may still go on.
  return answerOf(call) && call.ask.via !== 'runtime' ? call.endedAtMs : call.endedAtMs + ghostMs
}

function checkTickStreams({ tickStreams }: History): Anomaly[] {
  return tickStreams.flatMap(({ client, events }) => {
    const last = new Map<string, TicksSeen>()
    return events.flatMap(({ ticks, atMs }): Anomaly[] => {
      const before = last.get(keyOf(ticks))
      last.set(keyOf(ticks), ticks)
      if (!before) return []
      const { lastDeliveredSeq: delivered, lastReadSeq: read, conversationId, userId } = ticks
      if (delivered >= before.lastDeliveredSeq && read >= before.lastReadSeq) return []
      const text = `ticksChanged of ${client} fell from ${before.lastDeliveredSeq}/${before.lastReadSeq} to ${delivered}/${read}`
      return [{ promise: 'P5', text, atMs, conversationId, userId, seq: delivered }]
    })
  })
}

/** An ack or read that was answered has taken effect. */
function checkAnswers({ calls }: History): Anomaly[] {
  return calls.flatMap((call): Anomaly[] => {
    if (call.kind !== 'ack' && call.kind !== 'read') return []
    const ticks = answerOf(call)
    const reached = call.kind === 'ack' ? ticks?.lastDeliveredSeq : ticks?.lastReadSeq
    if (!ticks || (reached ?? 0) >= call.ask.seq) return []
    const text = `${call.client} asked to ${call.kind} #${call.ask.seq} and was answered ${JSON.stringify(ticks)}`
    return [{ promise: 'P5', text, atMs: call.askedAtMs, ...call.ask, userId: call.userId }]
  })
}

const keyOf = ({ userId, conversationId }: { userId: string; conversationId: string }): string =>
  `${userId} ${conversationId}`
