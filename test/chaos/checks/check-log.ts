import { isDeepStrictEqual } from 'node:util'
import { type Anomaly, clientMessageIdOf, identity, short } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type History, type MessageSeen, noMessage, type PageCall, type SendCall, sends } from './history.ts'
import { memberOf, type Tenures } from './tenures.ts'

/** P1: an acknowledged message is in the log, where and as it was acknowledged. */
export function checkDurable(history: History, log: FinalLog): Anomaly[] {
  return sends(history).flatMap((call) => {
    const { message } = answerOf(call) ?? {}
    if (!message || call.ask.forged) return []
    const about = { ...aboutSend(call), seq: message.seq }
    const stored = log.at(message.conversationId, message.seq)
    // The answer to a retry shows the message as it is by then.
    const isChanged = log.changesOf(message).length > 0 && clientMessageIdOf(message) === call.ask.clientMessageId
    const asked = message.conversationId === call.ask.conversationId && (message.body === call.ask.body || isChanged)
    if (!asked)
      return [{ promise: 'P1', text: `the answer is another message than asked for: ${short(message)}`, ...about }]
    if (!stored) return [{ promise: 'P1', text: `acknowledged, but not in the log: ${short(message)}`, ...about }]
    if (log.fits(message)) return []
    return [{ promise: 'P1', text: `acknowledged as ${short(message)}, but the log has ${short(stored)}`, ...about }]
  })
}

/** P2: there is one message per (sender, clientMessageId), and every answer tells of that one. */
export function checkOnce(history: History, log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const first = new Map<string, SendCall>()
  const fresh = new Map<string, SendCall>()
  const asked = new Set<string>()
  for (const call of sends(history)) {
    const key = `${call.userId} ${call.ask.clientMessageId}`
    if (!call.ask.forged) asked.add(key)
    const answer = answerOf(call)
    if (!answer) continue
    const about = aboutSend(call)
    if (call.ask.forged) {
      anomalies.push({ promise: 'P2', text: 'another body under a known clientMessageId was accepted', ...about })
      continue
    }
    const earlier = answerOf(first.get(key) ?? call)
    if (earlier && identity(earlier.message) !== identity(answer.message)) {
      const text = `two answers differ: ${short(earlier.message)} and ${short(answer.message)}`
      anomalies.push({ promise: 'P2', text, ...about })
    }
    if (!first.has(key)) first.set(key, call)
    if (!answer.duplicate && fresh.has(key)) {
      anomalies.push({ promise: 'P2', text: 'two attempts were both told duplicate: false', ...about })
    }
    if (!answer.duplicate) fresh.set(key, call)
  }

  const stored = new Map<string, MessageSeen>()
  const byMessageId = new Map<string, MessageSeen>()
  for (const conversationId of log.conversationIds) {
    for (const message of log.of(conversationId)) {
      const clientMessageId = clientMessageIdOf(message)
      const key = `${message.senderId} ${clientMessageId}`
      const about = { conversationId, seq: message.seq, clientMessageId }
      const twin = stored.get(key)
      if (twin) anomalies.push({ promise: 'P2', text: `stored twice: ${short(twin)} and ${short(message)}`, ...about })
      if (!asked.has(key) || !log.isAsMade(message))
        anomalies.push({ promise: 'P2', text: `nobody sent ${short(message)}`, ...about })
      stored.set(key, message)
      const namesake = byMessageId.get(message.messageId)
      if (namesake)
        anomalies.push({ promise: 'P2', text: `two have one id: ${short(namesake)} and ${short(message)}`, ...about })
      byMessageId.set(message.messageId, message)
    }
  }
  return anomalies
}

/** P3: there is one order, and a seq that was passed over stays empty. */
export function checkOrder(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const anomalies: Anomaly[] = []
  for (const { conversationId, node, userId, direction, messages } of history.walks) {
    const name = `${userId} at ${node}, ${direction}`
    messages.forEach(({ seq }, i) => {
      const before = messages[i - 1]?.seq ?? 0
      if (seq <= before)
        anomalies.push({ promise: 'P3', text: `${name}: #${seq} follows #${before}`, conversationId, seq })
    })
    const { joinedSeq = 0 } = tenures.last(userId, conversationId) ?? {}
    const reference = log.of(conversationId).filter(({ seq }) => seq > joinedSeq)
    const differs = reference.findIndex((message, i) => !isSame(message, messages[i] ?? noMessage))
    if (differs >= 0 || messages.length !== reference.length) {
      const seq = reference[differs]?.seq ?? messages[reference.length]?.seq ?? 0
      const text = `${name}: ${messages.length} messages where the log has ${reference.length}, from #${seq} on`
      anomalies.push({ promise: 'P3', text, conversationId, seq })
    }
  }
  for (const call of history.calls)
    if (call.kind === 'page') anomalies.push(...checkPage(call, log, beganAt(call, tenures)))
  return [...anomalies, ...checkFreshness(history, tenures)]
}

/** In the end the message also looks like that. */
const isSame = (stored: MessageSeen, read: MessageSeen): boolean =>
  identity(stored) === identity(read) &&
  stored.body === read.body &&
  (!stored.look || !read.look || isDeepStrictEqual(stored.look, read.look))

/** Returns where the part of the conversation that the user may see began when they asked, at the latest. */
function beganAt({ userId, ask, askedAtMs, endedAtMs = askedAtMs }: PageCall, tenures: Tenures): number {
  const members = tenures.between(ask.conversationId, askedAtMs, endedAtMs).map(({ group }) => memberOf(group, userId))
  return Math.max(0, ...members.map((member) => member?.joinedSeq ?? 0))
}

function checkPage(call: PageCall, log: FinalLog, began: number): Anomaly[] {
  const page = answerOf(call)
  if (!page) return []
  const { conversationId, count, from, cursor } = call.ask
  const where = `a page of ${call.client} at ${call.node}`
  const found = (text: string, seq?: number): Anomaly => ({
    promise: 'P3',
    text: `${where} ${text}`,
    atMs: call.askedAtMs,
    conversationId,
    ...(seq !== undefined && { seq }),
  })
  const anomalies: Anomaly[] = []
  page.messages.forEach((message, i) => {
    const { seq } = message
    const stored = log.at(conversationId, seq)
    if (!log.fits(message)) {
      anomalies.push(found(`shows ${short(message)}, but the log has ${stored ? short(stored) : 'nothing there'}`, seq))
    }
    const newer = page.messages[i - 1]
    if (!newer) return
    if (newer.seq <= seq) anomalies.push(found(`has #${newer.seq} before #${seq}`, seq))
    const skipped = log.between(conversationId, seq, newer.seq)
    if (skipped.length > 0) anomalies.push(found(`skips #${skipped.join(', #')}`, skipped[0]))
  })
  const oldest = page.messages.at(-1)?.seq ?? 0
  const atTheEnd = from === 'newest' ? !page.more : !cursor
  if (oldest > 0 && atTheEnd && log.before(conversationId, oldest) > began) {
    anomalies.push(found(`ends at #${oldest}, but the log goes on below`, oldest))
  }
  if (page.more && page.messages.length !== count) {
    anomalies.push(found(`has ${page.messages.length} messages of ${count}, although there are more`))
  }
  return anomalies
}

/** The newest page includes every message that was acknowledged before the page was asked for. */
function checkFreshness(history: History, tenures: Tenures): Anomaly[] {
  const acknowledged = new Map<string, { atMs: number; seq: number }[]>()
  for (const call of sends(history)) {
    const { message } = answerOf(call) ?? {}
    if (!message || call.endedAtMs === undefined) continue
    const list = acknowledged.get(message.conversationId) ?? []
    list.push({ atMs: call.endedAtMs, seq: message.seq })
    acknowledged.set(message.conversationId, list)
  }
  return history.calls.flatMap((call): Anomaly[] => {
    if (call.kind !== 'page' || call.ask.from !== 'newest' || call.ask.cursor) return []
    const page = answerOf(call)
    if (!page) return []
    const { conversationId } = call.ask
    const newest = Math.max(page.messages[0]?.seq ?? 0, beganAt(call, tenures))
    const late = acknowledged.get(conversationId)?.find(({ atMs, seq }) => atMs < call.askedAtMs && seq > newest)
    if (!late) return []
    const text = `a page of ${call.client} at ${call.node} ends at #${newest}, but #${late.seq} was acknowledged before`
    return [{ promise: 'P1', text, atMs: call.askedAtMs, conversationId, seq: late.seq }]
  })
}

const aboutSend = ({ ask, userId, askedAtMs }: SendCall) => ({
  atMs: askedAtMs,
  conversationId: ask.conversationId,
  clientMessageId: ask.clientMessageId,
  userId,
})
