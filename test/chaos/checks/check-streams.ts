import { type Anomaly, short } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type History, isGroup, type MessageSeen, type MessageStream } from './history.ts'
import { namedStart, type Tenures } from './tenures.ts'

/** P4: a stream shows each message once, in order and without a gap, and every device ends with everything. */
export function checkDelivery(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  return [
    ...history.streams.flatMap((stream) => checkStream(stream, log, tenures)),
    ...checkComplete(history, log, tenures),
  ]
}

function checkStream(stream: MessageStream, log: FinalLog, tenures: Tenures): Anomaly[] {
  const anomalies: Anomaly[] = []
  const last = new Map<string, number>()
  for (const { message, previousSeq, atMs } of stream.events) {
    const { conversationId, seq } = message
    const found = (text: string) => {
      const where = `the stream of ${stream.client} at ${stream.node}, opened at ${stream.openedAtMs}`
      anomalies.push({ promise: 'P4', text: `${where} ${text}`, atMs, conversationId, seq, userId: stream.userId })
    }
    const before = last.get(conversationId) ?? namedStart(stream, { conversationId, seq, previousSeq }, tenures)
    last.set(conversationId, seq)
    if (before !== undefined && seq <= before) {
      found(`shows #${seq} after #${before}`)
      continue
    }
    // Nothing from before the user came counts: it is neither left out, nor is it the message that the first one follows.
    const { joinedSeq = 0 } = tenures.around(stream.userId, conversationId, seq) ?? {}
    const visibleBefore = log.before(conversationId, seq)
    const expected = before ?? (visibleBefore > joinedSeq ? visibleBefore : 0)
    if (previousSeq !== expected)
      found(`says previousSeq ${previousSeq} of #${seq}, where ${expected} was to be expected`)
    const skipped = log.between(conversationId, Math.max(expected, joinedSeq), seq)
    if (skipped.length > 0) found(`goes from #${expected} to #${seq} and skips #${skipped.join(', #')}`)
    const stored = log.at(conversationId, seq)
    if (!log.fits(message)) {
      found(`shows ${short(message)}, but the log has ${stored ? short(stored) : 'nothing there'}`)
    }
  }
  return anomalies
}

/** A device whose user is in a conversation in the end has everything since they came. */
function checkComplete(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const held = new Map<string, Set<string>>()
  for (const { client, events } of history.streams) {
    const own = held.get(client) ?? new Set()
    for (const { message } of events) own.add(`${message.conversationId} ${message.seq}`)
    held.set(client, own)
  }
  return history.devices.flatMap(({ client, userId, begins }) =>
    log.conversationIds.flatMap((conversationId): Anomaly[] => {
      const tenure = tenures.last(userId, conversationId)
      if (!tenure) return []
      const from = Math.max(begins?.[conversationId] ?? 0, tenure.joinedSeq)
      const lacking = log
        .of(conversationId)
        .filter(({ seq }) => seq > from && !held.get(client)?.has(`${conversationId} ${seq}`))
      const [first] = lacking
      if (!first) return []
      const text = `${client} never got ${lacking.length} of the messages, the first of them ${short(first)}`
      return [{ promise: 'P4', text, conversationId, seq: first.seq, userId }]
    }),
  )
}

/** P6: no user is shown anything of a conversation they are not in, nor a clientMessageId that is not theirs. */
export function checkPrivacy(history: History, tenures: Tenures): Anomaly[] {
  const anomalies: Anomaly[] = []
  const isIn = (userId: string, conversationId: string) => tenures.of(userId, conversationId).length > 0
  const shown = (userId: string, message: MessageSeen, where: string, atMs: number, isTheirs: boolean) => {
    const { conversationId, seq } = message
    const about = { atMs, conversationId, seq, userId }
    if (!isTheirs) {
      anomalies.push({ promise: 'P6', text: `${where} shows ${userId} a message of others`, ...about })
    }
    if ((message.clientMessageId !== null) !== (message.senderId === userId)) {
      const text = `${where} shows ${userId} clientMessageId ${message.clientMessageId} of ${message.senderId}`
      anomalies.push({ promise: 'P6', text, ...about })
    }
  }
  for (const { client, userId, events, conversationId: scope } of history.streams) {
    for (const { message, atMs } of events) {
      // An application also shows what its user has sent where they were taken out just before it was stored.
      const isOwn = message.senderId === userId && isIn(userId, message.conversationId)
      const isTheirs = isOwn || tenures.around(userId, message.conversationId, message.seq) !== undefined
      shown(userId, message, `a stream of ${client}`, atMs, isTheirs)
      if (scope !== undefined && message.conversationId !== scope) {
        const text = `a stream of one conversation shows ${client} another`
        anomalies.push({ promise: 'P6', text, atMs, conversationId: message.conversationId, seq: message.seq, userId })
      }
    }
  }
  for (const { client, userId, events } of history.tickStreams) {
    for (const { ticks, atMs } of events) {
      const { conversationId } = ticks
      if (isIn(userId, conversationId) && isIn(ticks.userId, conversationId) && ticks.userId !== userId) continue
      const text = `ticksChanged shows ${client} the boundaries of ${ticks.userId}`
      anomalies.push({ promise: 'P6', text, atMs, conversationId, userId })
    }
  }
  for (const call of history.calls) {
    const { userId, client, askedAtMs: atMs } = call
    // check-groups.ts judges groups: it knows who was in a group at what time.
    if (call.kind === 'page')
      for (const each of answerOf(call)?.messages ?? [])
        shown(
          userId,
          each,
          `a page of ${client}`,
          atMs,
          isGroup(each.conversationId) || isIn(userId, each.conversationId),
        )
    if (call.kind !== 'probe' || answerOf(call) !== 'shown') continue
    const { conversationId, by } = call.ask
    anomalies.push({ promise: 'P6', text: `${client} could reach it by ${by}`, atMs, conversationId, userId })
  }
  return anomalies
}
