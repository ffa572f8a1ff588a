import type { Message } from '../../src/ports/log.ts'
import type { ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../src/protocol/ticks.ts'
import { checkChanges } from './changes-checker.ts'
import { type Anomaly, createFinalLog, type FinalLog, type FinalState, groupBy, only } from './final-log.ts'
import { checkGroups } from './group-checker.ts'
import type { Entry } from './history.ts'
import { isNotice, withNoticesInLog } from './notices.ts'
import { createTenures, type Tenures } from './tenures.ts'

/** Checks a run by what was seen from outside and by the final state. */
export function check(entries: readonly Entry[], state: FinalState): Anomaly[] {
  const chats = state.hasNotices ? withNoticesInLog(state.chats) : state.chats
  const log = createFinalLog({ chats }, entries)
  const tenures = createTenures(state)
  return [
    ...durable(entries, log),
    ...findable(entries),
    ...tidied(entries),
    ...begun(entries),
    ...once(entries, log),
    ...oneOrder(entries, log, tenures),
    ...inRealTime(entries),
    ...voidsForCause(entries, state, log),
    ...delivery(entries, log),
    ...ticks(entries, state, log),
    ...noSurprise(entries),
    ...checkChanges(entries, log, tenures),
    ...checkGroups(entries, state, log, tenures),
  ]
}

/** P1 and P2 for messages. Their content is checked together with the changes. */
function durable(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  return only(entries, 'sent')
    .filter(({ message }) => log.messageAt(message.conversationId, message.seq)?.messageId !== message.messageId)
    .map(({ clientMessageId, message }) => ({
      promise: 'P1',
      what: `${clientMessageId} was acknowledged at #${message.seq}, where ${log.messageAt(message.conversationId, message.seq)?.body ?? 'nothing'} is`,
    }))
}

/** P1 again: for an absent user, the index leads to the first message they do not have. */
const findable = (entries: readonly Entry[]): Anomaly[] =>
  only(entries, 'unindexed').map(({ userId, first, row }) => ({
    promise: 'P1',
    what: `${userId} is away and has not got #${first}; the pending row says ${row}`,
  }))

/** No row of the index is left that is not needed any more: it would cost a read with every attach. */
const tidied = (entries: readonly Entry[]): Anomaly[] =>
  only(entries, 'leftover').map(({ userId, conversationId, first }) => ({
    promise: 'index',
    what: `${userId} has acked all of ${conversationId.slice(0, 7)}, and the pending row says ${first}`,
  }))

/** P6: two people see each other because one has written to the other, and not because one has tried to. */
const begun = (entries: readonly Entry[]): Anomaly[] =>
  only(entries, 'empty').map(({ conversationId }) => ({
    promise: 'P6',
    what: `${conversationId.slice(0, 7)} was made before there was a message in it`,
  }))

function once(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const stored = groupBy(log.entries, (entry) => entry.clientMessageId)
  for (const [id, same] of stored) {
    if (same.length > 1)
      anomalies.push({ promise: 'P2', what: `${id} is stored at ${same.map(({ seq }) => `#${seq}`)}` })
  }
  for (const [id, answers] of groupBy(only(entries, 'sent'), (entry) => entry.clientMessageId)) {
    if (new Set(answers.map(({ message }) => message.messageId)).size > 1) {
      anomalies.push({ promise: 'P2', what: `the answers about ${id} differ` })
    }
    if (answers.filter(({ duplicate }) => !duplicate).length > 1) {
      anomalies.push({ promise: 'P2', what: `${id} was new more than once` })
    }
  }
  return anomalies
}

function oneOrder(entries: readonly Entry[], log: FinalLog, tenures: Tenures): Anomaly[] {
  const anomalies: Anomaly[] = []
  const passedOver = (id: ConversationId, from: Seq, to: Seq, where: string) => {
    const message = log.messageBetween(id, from, to)
    if (message)
      anomalies.push({ promise: 'P3', what: `${where} went from #${from} to #${to}, and #${message.seq} is a message` })
  }
  for (const { stream, userId, message, previousSeq } of only(entries, 'shown')) {
    const { conversationId: id, seq } = message
    const { joinedSeq = 0 } = tenures.around(userId, id, seq, isNotice(message)) ?? {}
    passedOver(id, Math.max(previousSeq, joinedSeq), seq, `stream ${stream}`)
  }
  for (const { who, userId, conversationId, messages } of only(entries, 'page')) {
    messages.forEach((message, i) => {
      const { seq } = message
      const older = messages[i + 1]?.seq
      if (older === undefined) return
      if (older >= seq) anomalies.push({ promise: 'P3', what: `a page of ${who} has #${seq} before #${older}` })
      // A user who came back between two pages does not see what was said in between.
      const { joinedSeq = 0 } = tenures.around(userId, conversationId, seq, isNotice(message)) ?? {}
      if (older < seq) passedOver(conversationId, Math.max(older, joinedSeq), seq, `a page of ${who}`)
    })
  }
  return anomalies
}

/** P3 for one sender: a message that was acknowledged before the next was sent comes before it. */
function inRealTime(entries: readonly Entry[]): Anomaly[] {
  const firstTries = new Map<string, { index: number; node: string }>()
  const acknowledged = new Map<string, { index: number; message: Message; node: string }>()
  const anomalies: Anomaly[] = []
  entries.forEach((entry, index) => {
    if (entry.kind === 'try' && !firstTries.has(entry.clientMessageId)) {
      firstTries.set(entry.clientMessageId, { index, node: entry.node })
    }
    if (entry.kind !== 'sent' || acknowledged.has(entry.clientMessageId)) return
    const { message, clientMessageId } = entry
    const begun = firstTries.get(clientMessageId)
    for (const earlier of acknowledged.values()) {
      const isSame =
        earlier.message.senderId === message.senderId && earlier.message.conversationId === message.conversationId
      if (!isSame || !begun || earlier.index > begun.index || earlier.message.seq < message.seq) continue
      const order = `${clientMessageId}, sent to ${begun.node}, is #${message.seq}`
      const before = `${earlier.message.clientMessageId} was acknowledged by ${earlier.node} as #${earlier.message.seq}`
      anomalies.push({ promise: 'P3', what: `${order}, and ${before} before that` })
    }
    acknowledged.set(clientMessageId, { index, message, node: begun?.node ?? '' })
  })
  return anomalies
}

/**
 * Where every call is quick, a reader finds a seq unused only if its writer failed. A writer voids its own seq where another attempt of the same
 * call, made at the same time, has used another seq: that does no harm.
 */
function voidsForCause(entries: readonly Entry[], state: FinalState, { voids }: FinalLog): Anomaly[] {
  const failures = only(entries, 'failed').filter(({ error }) => error !== 'NOT_FOUND').length
  if (!state.isBrisk || state.voidedByReaders <= failures) return []
  const where = voids.map(({ conversationId, seq }) => `${conversationId.slice(0, 7)}#${seq}`)
  return [
    {
      promise: 'voids',
      what: `${where} are voids, ${state.voidedByReaders} of them by readers, and ${failures} calls failed`,
    },
  ]
}

function delivery(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const streams = new Map(only(entries, 'stream').map((entry) => [entry.stream, entry]))
  const shownBefore = new Map<string, Seq>()
  for (const { stream, message, previousSeq, held } of only(entries, 'shown')) {
    const { conversationId: id, seq } = message
    const report = (what: string) => anomalies.push({ promise: 'P4', what: `stream ${stream}: ${what}` })
    const stored = log.messageAt(id, seq)
    if (stored?.messageId !== message.messageId) report(`showed at #${seq} what is not there: ${message.body}`)
    const key = `${stream} ${id}`
    const before = shownBefore.get(key)
    const start = streams.get(stream)?.after?.get(id)
    if (before !== undefined) {
      if (seq <= before) report(`showed #${seq} after #${before}`)
      if (previousSeq !== before) report(`said #${previousSeq} comes before #${seq}, and had shown #${before}`)
    } else if (start !== undefined && previousSeq !== start) {
      report(`resumed after #${start} with a first event that follows #${previousSeq}`)
    }
    // A second device that did not name the conversation begins where the first has acked; it then has to resume.
    const promised = start !== undefined || streams.get(stream)?.sole
    const acked = streams.get(stream)?.acked?.get(id) ?? 0
    if (seq <= acked) report(`showed #${seq}, and the device had acked #${acked}`)
    if (promised && previousSeq > held) report(`jumped to #${seq} from #${previousSeq}, the device has #${held}`)
    shownBefore.set(key, seq)
  }
  for (const { who, of, conversationId, held, last } of only(entries, 'behind')) {
    anomalies.push({
      promise: 'P4',
      what: `${who} has ${of} of ${conversationId} up to #${held}, and there is #${last}`,
    })
  }
  return anomalies
}

function ticks(entries: readonly Entry[], state: FinalState, log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const said = new Map<string, { delivered: Seq; read: Seq }>()
  const final = new Map(state.ticks.map((each) => [memberKey(each), each]))
  const judge = (seen: MemberBoundaries, where: string) => {
    const report = (what: string) =>
      anomalies.push({
        promise: 'P5',
        what: `${where}: ${seen.userId} ${seen.lastDeliveredSeq}/${seen.lastReadSeq} ${what}`,
      })
    const { delivered, read } = said.get(memberKey(seen)) ?? { delivered: 0, read: 0 }
    if (seen.lastReadSeq > seen.lastDeliveredSeq) report('has read more than was delivered')
    if (seen.lastDeliveredSeq > log.last(seen.conversationId)) report('is beyond the last entry')
    if (seen.lastDeliveredSeq > delivered) report(`is ahead of what they said, ${delivered}`)
    // A reply marks what was delivered as read.
    if (seen.lastReadSeq > Math.max(read, delivered)) report(`is ahead of what they said, ${read}`)
    const end = final.get(memberKey(seen))
    if (seen.lastDeliveredSeq > (end?.lastDeliveredSeq ?? 0) || seen.lastReadSeq > (end?.lastReadSeq ?? 0)) {
      report(`fell to ${end?.lastDeliveredSeq}/${end?.lastReadSeq}`)
    }
  }
  for (const entry of entries) {
    if (entry.kind === 'says') {
      const before = said.get(memberKey(entry))
      said.set(memberKey(entry), {
        delivered: Math.max(entry.delivered, before?.delivered ?? 0),
        read: Math.max(entry.read, before?.read ?? 0),
      })
    }
    if (entry.kind === 'ticks') judge(entry.ticks, entry.source)
  }
  for (const each of state.ticks) judge(each, 'in the end')
  return anomalies
}

const expectedFailures = ['UNAVAILABLE', 'NOT_FOUND', 'connection lost', 'connection refused']

function noSurprise(entries: readonly Entry[]): Anomaly[] {
  return only(entries, 'failed')
    .filter(({ error }) => !expectedFailures.includes(error))
    .map(({ who, what, error }) => ({ promise: 'errors', what: `${who}: ${what} failed with ${error}` }))
}

const memberKey = ({ userId, conversationId }: { userId: UserId; conversationId: ConversationId }): string =>
  `${userId} ${conversationId}`
