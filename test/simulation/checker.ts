import type { LogRow, Message } from '../../src/domain/ports.ts'
import type { ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { Ticks } from '../../src/protocol/ticks.ts'
import type { Entry } from './history.ts'

/** What is left when everything has come to rest. */
export type FinalState = {
  chats: { id: ConversationId; members: readonly UserId[]; rows: LogRow[] }[]
  ticks: Ticks[]
}

export type Anomaly = { promise: string; what: string }

/** Judges a run by what was seen from outside and what is left in the end. */
export function check(entries: readonly Entry[], state: FinalState): Anomaly[] {
  const log = createLog(state)
  return [
    ...durable(entries, log),
    ...findable(entries),
    ...once(entries, log),
    ...oneOrder(entries, log),
    ...delivery(entries, log),
    ...ticks(entries, state, log),
    ...privacy(entries, state),
    ...noSurprise(entries),
  ]
}

type Log = ReturnType<typeof createLog>

function createLog({ chats }: FinalState) {
  const messages = new Map<string, Message>()
  for (const { rows } of chats) {
    for (const row of rows) if (row.kind === 'message') messages.set(`${row.conversationId} ${row.seq}`, row)
  }
  const at = (id: ConversationId, seq: Seq): Message | undefined => messages.get(`${id} ${seq}`)
  const last = (id: ConversationId): Seq =>
    Math.max(0, ...[...messages.values()].filter((each) => each.conversationId === id).map((each) => each.seq))
  /** The first message strictly between two seqs. */
  function between(id: ConversationId, from: Seq, to: Seq): Message | undefined {
    for (let seq = from + 1; seq < to; seq += 1) if (at(id, seq)) return at(id, seq)
    return undefined
  }
  return { all: () => [...messages.values()], at, last, between }
}

const only = <Kind extends Entry['kind']>(entries: readonly Entry[], kind: Kind) =>
  entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind)

function durable(entries: readonly Entry[], log: Log): Anomaly[] {
  return only(entries, 'sent')
    .filter(({ message }) => {
      const stored = log.at(message.conversationId, message.seq)
      return stored?.messageId !== message.messageId || stored.body !== message.body
    })
    .map(({ clientMessageId, message }) => ({
      promise: 'P1',
      what: `${clientMessageId} was acknowledged at #${message.seq}, where ${log.at(message.conversationId, message.seq)?.body ?? 'nothing'} is`,
    }))
}

/** P1 again: for whoever is away, the index leads to the first message they do not have. */
const findable = (entries: readonly Entry[]): Anomaly[] =>
  only(entries, 'unindexed').map(({ userId, first, row }) => ({
    promise: 'P1',
    what: `${userId} is away and has not got #${first}; the pending row says ${row}`,
  }))

function once(entries: readonly Entry[], log: Log): Anomaly[] {
  const anomalies: Anomaly[] = []
  const stored = groupBy(log.all(), (message) => message.clientMessageId)
  for (const [id, messages] of stored) {
    if (messages.length > 1)
      anomalies.push({ promise: 'P2', what: `${id} is stored at ${messages.map(({ seq }) => `#${seq}`)}` })
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

function oneOrder(entries: readonly Entry[], log: Log): Anomaly[] {
  const anomalies: Anomaly[] = []
  const passedOver = (id: ConversationId, from: Seq, to: Seq, where: string) => {
    const message = log.between(id, from, to)
    if (message)
      anomalies.push({ promise: 'P3', what: `${where} went from #${from} to #${to}, and #${message.seq} is a message` })
  }
  for (const { stream, message, previousSeq } of only(entries, 'shown')) {
    passedOver(message.conversationId, previousSeq, message.seq, `stream ${stream}`)
  }
  for (const { who, conversationId, seqs } of only(entries, 'page')) {
    seqs.forEach((seq, i) => {
      const older = seqs[i + 1]
      if (older === undefined) return
      if (older >= seq) anomalies.push({ promise: 'P3', what: `a page of ${who} has #${seq} before #${older}` })
      else passedOver(conversationId, older, seq, `a page of ${who}`)
    })
  }
  return anomalies
}

function delivery(entries: readonly Entry[], log: Log): Anomaly[] {
  const anomalies: Anomaly[] = []
  const streams = new Map(only(entries, 'stream').map((entry) => [entry.stream, entry]))
  const shownBefore = new Map<string, Seq>()
  for (const { stream, message, previousSeq, held } of only(entries, 'shown')) {
    const { conversationId: id, seq } = message
    const report = (what: string) => anomalies.push({ promise: 'P4', what: `stream ${stream}: ${what}` })
    const stored = log.at(id, seq)
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
    if (promised && previousSeq > held) report(`jumped to #${seq} from #${previousSeq}, the device has #${held}`)
    shownBefore.set(key, seq)
  }
  for (const { who, conversationId, held, last } of only(entries, 'behind')) {
    anomalies.push({ promise: 'P4', what: `${who} has ${conversationId} up to #${held}, and there is #${last}` })
  }
  return anomalies
}

function ticks(entries: readonly Entry[], state: FinalState, log: Log): Anomaly[] {
  const anomalies: Anomaly[] = []
  const said = new Map<string, { delivered: Seq; read: Seq }>()
  const final = new Map(state.ticks.map((each) => [memberKey(each), each]))
  const judge = (seen: Ticks, where: string) => {
    const report = (what: string) =>
      anomalies.push({
        promise: 'P5',
        what: `${where}: ${seen.userId} ${seen.lastDeliveredSeq}/${seen.lastReadSeq} ${what}`,
      })
    const { delivered, read } = said.get(memberKey(seen)) ?? { delivered: 0, read: 0 }
    if (seen.lastReadSeq > seen.lastDeliveredSeq) report('has read more than was delivered')
    if (seen.lastDeliveredSeq > log.last(seen.conversationId)) report('is beyond the last message')
    if (seen.lastDeliveredSeq > delivered) report(`is ahead of what they said, ${delivered}`)
    // A reply reads what was delivered.
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

function privacy(entries: readonly Entry[], { chats }: FinalState): Anomaly[] {
  const members = new Map(chats.map((chat) => [chat.id, chat.members]))
  return only(entries, 'shown')
    .filter(({ userId, message }) => !members.get(message.conversationId)?.includes(userId))
    .map(({ userId, message }) => ({ promise: 'P6', what: `${userId} was shown "${message.body}"` }))
}

const expectedFailures = ['UNAVAILABLE', 'NOT_FOUND', 'connection lost', 'connection refused']

function noSurprise(entries: readonly Entry[]): Anomaly[] {
  return only(entries, 'failed')
    .filter(({ error }) => !expectedFailures.includes(error))
    .map(({ who, what, error }) => ({ promise: 'errors', what: `${who}: ${what} failed with ${error}` }))
}

const memberKey = ({ userId, conversationId }: { userId: UserId; conversationId: ConversationId }): string =>
  `${userId} ${conversationId}`

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
