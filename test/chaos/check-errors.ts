import type { Anomaly } from './anomaly.ts'
import type { Call, FaultWindow, History, Loss, Refusal } from './history.ts'

/** Every failure has a code, none is a bug of the server, and nothing is refused for good that was rightly asked for. */
export function checkErrors(history: History): Anomaly[] {
  const calls = history.calls.flatMap((call): Anomaly[] => {
    const about = { atMs: call.askedAtMs, userId: call.userId, ...aboutCall(call) }
    const where = `${call.client} asked ${call.node} to ${call.kind}`
    if (!call.outcome || 'answer' in call.outcome) return []
    if ('lost' in call.outcome) return problemOfLoss(history, call.outcome.lost, call.endedAtMs ?? 0, where, about)
    if (call.kind === 'send' && call.ask.forged && call.outcome.refused.code === 'IDEMPOTENCY_CONFLICT') return []
    return problemOf(call.outcome.refused, where, about)
  })
  const streams = [...history.streams, ...history.tickStreams].flatMap((stream): Anomaly[] => {
    const { client, node, userId, conversationId, end } = stream
    const about = { userId, ...(end && { atMs: end.atMs }), ...(conversationId && { conversationId }) }
    const where = `the stream of ${client} at ${node}`
    return [
      ...(end?.refused ? problemOf(end.refused, where, about) : []),
      ...(end?.lost ? problemOfLoss(history, end.lost, end.atMs, where, about) : []),
    ]
  })
  return [...calls, ...streams]
}

type About = Omit<Anomaly, 'promise' | 'text'>

function problemOf({ code, retryable, message }: Refusal, where: string, about: About): Anomaly[] {
  if ((code === 'UNAVAILABLE' || code === 'RATE_LIMITED') && retryable) return []
  const shown = `${code ?? 'an error without a code'}${retryable ? ', retryable' : ''}: ${message}`
  return [{ promise: 'errors', text: `${where} and got ${shown}`, ...about }]
}

const saidNothing = 4408
/** How soon after a node goes on its old timers are felt. */
const feltMs = 2000

/**
 * Codes of 4000 and above, and 1011, say that the client or the server has a bug. Here both would be ours. But a node that was
 * stopped for longer than it waits for a client's first word looks at the clock before it looks at its sockets.
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
