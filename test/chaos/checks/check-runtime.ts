import type { Tick } from '../../../src/protocol/ticks.ts'
import { type Anomaly, clientMessageIdOf, short } from './anomaly.ts'
import { tellsOfBug } from './check-errors.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type History, type RuntimeDevice, type SendCall, sends, type TicksSeen } from './history.ts'
import type { Tenures } from './tenures.ts'

// Checks what the client runtime promises to its application, beyond what holds for the stream and the sends of every client: what it accepts
// is stored, in the order written; ticks only rise; what it has told the application is acked; and what was read is marked as read.

export function checkRuntimes(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const found = history.runtimes.flatMap((runtime) => [
    ...runtime.problems.map(
      ({ atMs, text }): Anomaly => ({ promise: 'runtime', text: `${runtime.client}: ${text}`, atMs }),
    ),
    ...runtime.closings.flatMap(({ atMs, code }): Anomaly[] => {
      const text = `${runtime.client}: a socket was closed with ${code}`
      return tellsOfBug(history, code, atMs) ? [{ promise: 'runtime', text, atMs }] : []
    }),
    ...checkOutbox(runtime, history, log),
    ...checkOwnTicks(runtime),
    ...checkTimelines(runtime, log, tenures),
  ])
  return [...found, ...checkReceipts(history, log, tenures)]
}

function checkOutbox({ client, userId }: RuntimeDevice, history: History, log: FinalLog): Anomaly[] {
  const stored = new Map<string, number>()
  for (const id of log.conversationIds)
    for (const message of log.of(id))
      if (message.senderId === userId) stored.set(`${id} ${clientMessageIdOf(message)}`, message.seq)
  const anomalies: Anomaly[] = []
  const highest = new Map<string, SendCall & { seq: number }>()
  for (const call of sends(history)) {
    if (call.client !== client || call.ask.via !== 'runtime') continue
    const { conversationId, clientMessageId } = call.ask
    const seq = stored.get(`${conversationId} ${clientMessageId}`)
    const found = (text: string) => {
      const about = { atMs: call.askedAtMs, conversationId, clientMessageId, userId, ...(seq && { seq }) }
      anomalies.push({ promise: 'runtime', text: `${client} ${text}`, ...about })
    }
    const vanished = call.outcome !== undefined && 'lost' in call.outcome
    if (vanished && seq !== undefined) found('was killed before it had kept this message, but had sent it')
    if (seq === undefined) {
      if (vanished || (call.outcome && 'refused' in call.outcome)) continue
      if (call.endedAtMs === undefined) found('accepted a message that was never stored')
      else found('said of a message that it was stored, and it is not in the log')
      continue
    }
    if (call.endedAtMs === undefined) found(`was never told that its message was stored as #${seq}`)
    const before = highest.get(conversationId)
    if (before && seq < before.seq)
      found(`wrote this after ${before.ask.clientMessageId}, but it is #${seq} and that #${before.seq}`)
    else highest.set(conversationId, { ...call, seq })
  }
  return anomalies
}

const rank: Record<Tick, number> = { SENT: 0, DELIVERED: 1, READ: 2 }

/** Ticks rise while the application runs. A new life knows nothing at first, and shows a message as sent only. */
function checkOwnTicks({ client, userId, ticks }: RuntimeDevice): Anomaly[] {
  const last = new Map<string, Tick>()
  return ticks.flatMap(({ atMs, life, conversationId, seq, tick }): Anomaly[] => {
    const key = `${life} ${conversationId} ${seq}`
    const before = last.get(key) ?? 'SENT'
    last.set(key, tick)
    if (rank[tick] >= rank[before]) return []
    const text = `${client} was shown #${seq} as ${before} and then as ${tick}`
    return [{ promise: 'runtime', text, atMs, conversationId, seq, userId }]
  })
}

/**
 * A timeline shows the end of the log, or all of it. A user who was out of a group for a moment may still be shown what they had seen before,
 * as it was then.
 */
function checkTimelines({ client, userId, timelines }: RuntimeDevice, log: FinalLog, tenures: Tenures): Anomaly[] {
  return timelines.flatMap(({ conversationId, seqs: everySeq, bodies: everyBody, hasOlder }): Anomaly[] => {
    const { joinedSeq = 0 } = tenures.last(userId, conversationId) ?? {}
    // A message that waits to be sent has no seq yet.
    const isOfNow = (seq = 0) => seq === 0 || seq > joinedSeq
    const seqs = everySeq.filter((seq) => isOfNow(seq))
    const bodies = everyBody?.filter((_, i) => isOfNow(everySeq[i]))
    const all = log.of(conversationId).flatMap(({ seq }) => (seq > joinedSeq ? [seq] : []))
    const wanted = hasOlder ? all.slice(-seqs.length) : all
    const at = wanted.findIndex((seq, i) => seqs[i] !== seq)
    const old = seqs.findIndex((seq, i) => bodies && log.at(conversationId, seq)?.body !== bodies[i])
    if (at < 0 && seqs.length === wanted.length && old >= 0) {
      const text = `${client} shows #${seqs[old]} as "${bodies?.[old]}", not as it is in the end`
      return [{ promise: 'runtime', text, conversationId, seq: seqs[old] ?? 0, userId }]
    }
    if (at < 0 && seqs.length === wanted.length) return []
    const text = `${client} shows ${seqs.length} messages where the log ends with ${wanted.length}; at ${at} #${seqs[at]}, not #${wanted[at]}`
    return [{ promise: 'runtime', text, conversationId, seq: wanted[at] ?? 0, userId }]
  })
}

/** In the end every message from others is acked, and what was read since the last kill is marked as read. */
export function checkReceipts(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const boundaries = lastBoundaries(history)
  return history.runtimes.flatMap((runtime) => checkReceiptsOf(runtime, log, tenures, boundaries))
}

function checkReceiptsOf(
  { client, userId, reads, lives }: RuntimeDevice,
  log: FinalLog,
  tenures: Tenures,
  boundaries: Map<string, TicksSeen>,
): Anomaly[] {
  const killedAtMs = Math.max(0, ...lives.map(({ end, endedAtMs = 0 }) => (end === 'killed' ? endedAtMs : 0)))
  return log.conversationIds.flatMap((conversationId): Anomaly[] => {
    const reached = boundaries.get(`${conversationId} ${userId}`)
    const tenure = tenures.last(userId, conversationId)
    if (!reached || !tenure) return []
    const about = { conversationId, userId }
    const anomalies: Anomaly[] = []
    const lastOfOthers = log.of(conversationId).findLast(({ senderId }) => senderId !== userId)
    if (lastOfOthers && lastOfOthers.seq > tenure.joinedSeq && reached.lastDeliveredSeq < lastOfOthers.seq) {
      const text = `${client} has not acked ${short(lastOfOthers)}, only up to #${reached.lastDeliveredSeq}`
      anomalies.push({ promise: 'runtime', text, seq: lastOfOthers.seq, ...about })
    }
    const marked = reads.filter((each) => each.conversationId === conversationId && each.atMs > killedAtMs)
    const readSeq = Math.max(0, ...marked.map(({ seq }) => seq))
    if (reached.lastReadSeq < readSeq) {
      const text = `${client} marked #${readSeq} as read, but in the end only #${reached.lastReadSeq} is`
      anomalies.push({ promise: 'runtime', text, seq: readSeq, ...about })
    }
    return anomalies
  })
}

/** Returns the boundaries as the last question about each conversation was answered. */
function lastBoundaries({ calls }: History): Map<string, TicksSeen> {
  const last = new Map<string, TicksSeen>()
  for (const call of calls) {
    if (call.kind !== 'ticks') continue
    for (const ticks of answerOf(call)?.ticks ?? []) last.set(`${call.ask.conversationId} ${ticks.userId}`, ticks)
  }
  return last
}
