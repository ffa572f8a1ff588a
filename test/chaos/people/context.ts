import type { Anomaly } from '../checks/anomaly.ts'
import { answerOf, type Call, type History, type MessageSeen, noMessage } from '../checks/history.ts'

const linesMax = 60
const aroundMs = 2000

/** Tells what led to an anomaly, from all clients, sorted by time. Of a long story it keeps what is nearest to the anomaly. */
export function contextOf(history: History, anomaly: Anomaly): string[] {
  const { conversationId, seq } = anomaly
  const body = bodyOf(history, anomaly)
  const isIt = (message: MessageSeen) =>
    message.conversationId === conversationId && (message.seq === seq || message.body === body)
  const lines: [number, string][] = []
  const pagesTold = new Set<string>()
  for (const call of history.calls) {
    if (call.ask.conversationId !== conversationId || !concerns(call, isIt, body, anomaly)) continue
    // Each content is told once per client: a device pages through the same messages again and again.
    if (call.kind === 'page') {
      const shown = `${call.client} ${JSON.stringify(answerOf(call)?.messages.find(isIt))}`
      if (pagesTold.has(shown)) continue
      pagesTold.add(shown)
    }
    lines.push([call.askedAtMs, `${call.client} asks ${call.node} ${call.kind} ${JSON.stringify(call.ask)}`])
    if (call.endedAtMs !== undefined)
      lines.push([call.endedAtMs, `${call.client} gets for ${call.kind} ${answerLine(call, isIt)}`])
  }
  for (const { client, node, openedAtMs, events, after } of history.streams) {
    for (const { message, previousSeq, catchUp, atMs } of events) {
      if (!isIt(message)) continue
      const how = `${catchUp ? 'catching up' : 'live'}, stream opened at ${openedAtMs} after ${after?.[message.conversationId] ?? 'nothing'}`
      lines.push([
        atMs,
        `${client} receives from ${node} #${message.seq} ${message.messageId}, previousSeq ${previousSeq}, ${how}`,
      ])
    }
  }
  for (const { client, node, openedAtMs, events, after } of history.changeStreams) {
    for (const { message, seq: changeSeq, previousSeq, atMs } of events) {
      if (!isIt(message)) continue
      const how = `stream opened at ${openedAtMs} after ${after[message.conversationId] ?? 'nothing'}`
      lines.push([
        atMs,
        `${client} receives from ${node} change #${changeSeq} of #${message.seq}, previousSeq ${previousSeq}, ${how}`,
      ])
    }
  }
  for (const row of history.tables.find((table) => table.conversationId === conversationId)?.rows ?? []) {
    if (row.kind !== 'group' && (row.kind !== 'change' || row.targetSeq !== seq)) continue
    const { kind, sentAtMs, seq: at, senderId } = row
    const what =
      row.kind === 'group' ? { base: row.baseVersion, added: row.added, removed: row.removed } : row.alteration
    if (kind === 'group' && !isAbout(anomaly)) continue
    lines.push([sentAtMs - history.startedAtMs, `== #${at}, ${kind} by ${senderId}: ${JSON.stringify(what)}`])
  }
  const times = lines.map(([atMs]) => atMs)
  const fromMs = Math.min(anomaly.atMs ?? Number.POSITIVE_INFINITY, ...times) - aroundMs
  const toMs = Math.max(anomaly.atMs ?? 0, ...times.slice(0, linesMax)) + aroundMs
  for (const fault of history.faults) {
    if (fault.toMs < fromMs || fault.fromMs > toMs) continue
    lines.push([fault.fromMs, `-- ${fault.kind} ${fault.target ?? ''} begins`])
    lines.push([fault.toMs, `-- ${fault.kind} ${fault.target ?? ''} is over`])
  }
  const { atMs: whenMs = 0 } = anomaly
  // If there are too many, the nearest ones are kept.
  lines.sort(([one], [other]) => Math.abs(one - whenMs) - Math.abs(other - whenMs))
  const nearest = lines.slice(0, linesMax).sort(([one], [other]) => one - other)
  const shown = nearest.map(([atMs, text]) => `  ${String(atMs).padStart(7)}  ${text}`)
  return lines.length > linesMax ? [...shown, `  and ${lines.length - linesMax} more`] : shown
}

/** Returns whether it matters who was in the group. */
const isAbout = ({ promise }: Pick<Anomaly, 'promise'>): boolean => ['groups', 'P1', 'P4', 'P6'].includes(promise)

function bodyOf(history: History, { clientMessageId, conversationId, seq }: Anomaly): string | undefined {
  for (const call of history.calls) {
    if (call.kind !== 'send' || call.ask.forged || call.ask.conversationId !== conversationId) continue
    const answer = answerOf(call)
    if (call.ask.clientMessageId === clientMessageId || (seq !== undefined && answer?.message.seq === seq))
      return call.ask.body
  }
  return undefined
}

function concerns(
  call: Call,
  isIt: (message: MessageSeen) => boolean,
  body: string | undefined,
  { promise, atMs = 0, userId }: Anomaly,
): boolean {
  if (call.kind === 'send') return call.ask.body === body
  if (call.kind === 'change') return isIt({ ...noMessage, conversationId: call.ask.conversationId, seq: call.ask.seq })
  if (call.kind === 'group') return isAbout({ promise }) && Math.abs(call.askedAtMs - atMs) < aroundMs
  if (call.kind === 'page') return answerOf(call)?.messages.some(isIt) === true || call.askedAtMs === atMs
  // Boundaries move all the time, so only those nearby are told.
  return (
    promise === 'P5' &&
    Math.abs(call.askedAtMs - atMs) < aroundMs &&
    (userId === undefined || call.userId === userId || call.kind === 'ticks')
  )
}

function answerLine(call: Call, isIt: (message: MessageSeen) => boolean): string {
  if (call.kind !== 'page') return JSON.stringify(call.outcome)
  const page = answerOf(call)
  if (!page) return JSON.stringify(call.outcome)
  const seqs = page.messages.map(({ seq }) => seq)
  return `#${seqs[0]} to #${seqs.at(-1)}, with ${JSON.stringify(page.messages.find(isIt) ?? null)}`
}
