import type { Anomaly } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { type Call, type FaultWindow, type History, isGroup, type Loss, type Refusal } from './history.ts'
import { memberOf, type Tenures } from './tenures.ts'

/** Every failure has a code, none is a bug of the server, and nothing is refused for good that was rightly asked for. */
export function checkErrors(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const calls = history.calls.flatMap((call): Anomaly[] => {
    const about = { atMs: call.askedAtMs, userId: call.userId, ...aboutCall(call) }
    const where = `${call.client} asked ${call.node} to ${call.kind}`
    if (!call.outcome || 'answer' in call.outcome) return []
    if ('lost' in call.outcome) return problemOfLoss(history, call.outcome.lost, call.endedAtMs ?? 0, where, about)
    if (call.kind === 'send' && call.ask.forged && call.outcome.refused.code === 'IDEMPOTENCY_CONFLICT') return []
    if (isProper(call, call.outcome.refused, log, tenures)) return []
    return problemOf(call.outcome.refused, where, about)
  })
  const all = [...history.streams, ...history.tickStreams, ...history.typingStreams, ...history.changeStreams]
  const streams = all.flatMap((stream): Anomaly[] => {
    const { client, node, userId, conversationId, end } = stream
    if (end?.refused?.code === 'NOT_FOUND' && wasOut(stream, end.atMs, tenures)) return []
    const about = { userId, ...(end && { atMs: end.atMs }), ...(conversationId && { conversationId }) }
    const where = `the stream of ${client} at ${node}`
    return [
      ...(end?.refused ? problemOf(end.refused, where, about) : []),
      ...(end?.lost ? problemOfLoss(history, end.lost, end.atMs, where, about) : []),
    ]
  })
  return [...calls, ...streams]
}

/** Only calls about groups and changes are refused for good with these. check-groups.ts judges NOT_FOUND in a group. */
function isProper(call: Call, { code }: Refusal, log: FinalLog, tenures: Tenures): boolean {
  const { conversationId } = call.ask
  if (code === 'NOT_FOUND') return isGroup(conversationId) && call.kind !== 'probe'
  const then = tenures.between(conversationId, call.askedAtMs, call.endedAtMs ?? call.askedAtMs)
  const roles = then.map(({ group }) => memberOf(group, call.userId)?.role)
  if (call.kind === 'group') {
    const { request } = call.ask
    if (code === 'BAD_USER_INPUT') return request.type === 'members' && request.roles.length > 0
    return code === 'FORBIDDEN' && roles.some((role) => role !== 'OWNER')
  }
  if (call.kind !== 'change') return false
  const isDeletion = call.ask.alteration.type === 'delete'
  if (code === 'FORBIDDEN') return isDeletion && roles.some((role) => role === 'MEMBER')
  const deleted = log.changesOf(call.ask).some(({ alteration }) => alteration.type === 'delete')
  return code === 'BAD_USER_INPUT' && !isDeletion && deleted
}

type Named = { userId: string; openedAtMs: number; conversationId?: string; after?: Record<string, number> }

/** Returns whether the user may have been out of a group that the stream was asked for. */
function wasOut(
  { userId, openedAtMs, conversationId, after = {} }: Named,
  endedAtMs: number,
  tenures: Tenures,
): boolean {
  const named = conversationId === undefined ? Object.keys(after) : [conversationId]
  return named
    .filter(isGroup)
    .some((id) => tenures.between(id, openedAtMs, endedAtMs).some(({ group }) => !memberOf(group, userId)))
}

type About = Omit<Anomaly, 'promise' | 'text'>

function problemOf({ code, retryable, message }: Refusal, where: string, about: About): Anomaly[] {
  if ((code === 'UNAVAILABLE' || code === 'RATE_LIMITED') && retryable) return []
  const shown = `${code ?? 'an error without a code'}${retryable ? ', retryable' : ''}: ${message}`
  return [{ promise: 'errors', text: `${where} and got ${shown}`, ...about }]
}

const saidNothing = 4408
/** The old timers of a node have their effect within this time after it goes on. */
const feltMs = 2000

/**
 * Codes of 4000 and above, and 1011, say that the client or the server has a bug. Here both are our own code. But a node that was stopped for
 * longer than it waits for the first message of a client looks at the clock before it looks at its sockets.
 */
export function tellsOfBug({ faults }: History, closeCode: number, atMs: number): boolean {
  if (closeCode < 4000 && closeCode !== 1011) return false
  const wasStopped = ({ kind, toMs }: FaultWindow) => kind === 'pause a node' && Math.abs(atMs - toMs) < feltMs
  return closeCode !== saidNothing || !faults.some(wasStopped)
}

function problemOfLoss(
  history: History,
  { closeCode = 0, reason }: Loss,
  atMs: number,
  where: string,
  about: About,
): Anomaly[] {
  if (!tellsOfBug(history, closeCode, atMs)) return []
  return [{ promise: 'errors', text: `${where} and was ${reason}`, ...about }]
}

function aboutCall(call: Call): About {
  const { conversationId } = call.ask
  if (call.kind === 'send') return { conversationId, clientMessageId: call.ask.clientMessageId }
  if (call.kind === 'ack' || call.kind === 'read') return { conversationId, seq: call.ask.seq }
  return { conversationId }
}
