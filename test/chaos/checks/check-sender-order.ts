import { type Anomaly, clientMessageIdOf, short } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type History, type SendCall, sends } from './history.ts'

type Acknowledged = { seq: number; atMs: number; node: string }

/**
 * P3 in real time: a message that a user sends after an earlier one of theirs was acknowledged comes after it in the same conversation, at
 * any nodes and from any devices. A message that the client runtime accepted counts as sent from then on, which is early and so never unjust.
 */
export function checkSenderOrder(history: History, log: FinalLog): Anomaly[] {
  const first = new Map<string, SendCall>()
  const acknowledged = new Map<string, Acknowledged[]>()
  for (const call of sends(history)) {
    if (call.ask.forged) continue
    const key = `${call.userId} ${call.ask.clientMessageId}`
    if (call.askedAtMs < (first.get(key)?.askedAtMs ?? Number.POSITIVE_INFINITY)) first.set(key, call)
    const { message } = answerOf(call) ?? {}
    if (!message || call.endedAtMs === undefined) continue
    const own = `${call.userId} ${message.conversationId}`
    const known = acknowledged.get(own) ?? []
    known.push({ seq: message.seq, atMs: call.endedAtMs, node: call.node })
    acknowledged.set(own, known)
  }
  return log.conversationIds.flatMap((conversationId) =>
    log.of(conversationId).flatMap((message): Anomaly[] => {
      const clientMessageId = clientMessageIdOf(message)
      const call = first.get(`${message.senderId} ${clientMessageId}`)
      if (!call) return []
      const { askedAtMs: atMs, userId } = call
      const own = acknowledged.get(`${userId} ${conversationId}`) ?? []
      const passed = own.find((each) => each.atMs < atMs && each.seq > message.seq)
      if (!passed) return []
      const where = passed.node === call.node ? 'at the same node' : 'at another node'
      const text = `${userId} sent ${short(message)} after their own #${passed.seq} was acknowledged, ${where}, ${atMs - passed.atMs} ms before`
      return [{ promise: 'P3', text, atMs, conversationId, seq: message.seq, clientMessageId, userId }]
    }),
  )
}
