import { isDeepStrictEqual } from 'node:util'
import type { Change, Message } from '../../../src/ports/log.ts'
import { type Anomaly, short } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import { answerOf, type ChangeCall, type ChangeStream, changeCalls, type History, type MessageSeen } from './history.ts'
import { namedStart, type Tenures } from './tenures.ts'

// Checks what was done to messages after they were sent: edits, deletions, reactions.

export function checkChanges(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  return [
    ...checkStored(history, log),
    ...checkOnce(history, log),
    ...checkApplied(history, log),
    ...checkLooks(log),
    ...checkPages(history, log),
    ...history.changeStreams.flatMap((stream) => checkStream(stream, log, tenures)),
    ...checkComplete(history, log, tenures),
  ]
}

/** P1: what was acknowledged is in the log as it was asked for, and the answer shows it. */
function checkStored(history: History, log: FinalLog): Anomaly[] {
  const byId = changesById(log)
  return changeCalls(history).flatMap((call): Anomaly[] => {
    const answer = answerOf(call)
    if (!answer) return []
    const stored = byId.get(`${call.userId} ${call.ask.clientMessageId}`)
    const found = (text: string): Anomaly[] => [
      { promise: 'P1', text: `${call.client} was acknowledged ${nameOf(call)}, ${text}`, ...aboutChange(call) },
    ]
    if (!stored || !isFor(stored, call)) return found('but it is not in the log')
    if (answer.seq !== call.ask.seq || !log.fits(answer)) return found(`with another message: ${short(answer)}`)
    // An application may show an event of an earlier change that overtook the answer: its stream brings this one.
    if (call.node === 'the client runtime' || shows(answer, stored, log)) return []
    return found(`with a message that does not show it: ${short(answer)}`)
  })
}

/** P2: each change is there once, also among the messages, and each was asked for. */
function checkOnce(history: History, log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const asked = new Map<string, ChangeCall[]>()
  for (const call of changeCalls(history)) {
    const key = `${call.userId} ${call.ask.clientMessageId}`
    asked.set(key, [...(asked.get(key) ?? []), call])
  }
  const stored = new Map<string, number>()
  for (const { conversationId, rows } of history.tables) {
    for (const row of rows) {
      if (row.kind !== 'change' && row.kind !== 'message') continue
      const { senderId, clientMessageId, seq } = row
      const key = `${senderId} ${clientMessageId}`
      const about = { conversationId, seq, clientMessageId }
      if (stored.has(key))
        anomalies.push({ promise: 'P2', text: `${key} is stored at #${stored.get(key)} and #${seq}`, ...about })
      stored.set(key, seq)
      if (row.kind === 'change' && !asked.get(key)?.some((call) => isFor(row, call)))
        anomalies.push({ promise: 'P2', text: `#${seq} is a change that nobody asked for`, ...about })
    }
  }
  for (const [key, calls] of asked) {
    const seqs = new Set(calls.filter(answerOf).map(({ ask }) => ask.seq))
    if (seqs.size > 1) anomalies.push({ promise: 'P2', text: `${key} was acknowledged for two messages` })
  }
  return [...anomalies, ...checkTargets(log)]
}

function checkTargets(log: FinalLog): Anomaly[] {
  return log.changes.flatMap(({ conversationId, seq, targetSeq }): Anomaly[] => {
    if (targetSeq < seq && log.at(conversationId, targetSeq)) return []
    return [{ promise: 'P3', text: `#${seq} changes #${targetSeq}, which is no message below it`, conversationId, seq }]
  })
}

/**
 * P1: a change that was acknowledged, or shown to a user, shows in the end. Another change in the log need not: its author's node may have
 * died between the two writes.
 */
function checkApplied(history: History, log: FinalLog): Anomaly[] {
  const byId = changesById(log)
  const told = new Set<Change>()
  for (const call of changeCalls(history)) {
    const change = answerOf(call) && byId.get(`${call.userId} ${call.ask.clientMessageId}`)
    if (change) told.add(change)
  }
  for (const { message, seq } of history.changeStreams.flatMap(({ events }) => events)) {
    const row = log.rowAt(message.conversationId, seq)
    if (row?.kind === 'change') told.add(row)
  }
  return [...told].flatMap((change): Anomaly[] => {
    const { conversationId, seq, targetSeq, alteration } = change
    const row = log.rowAt(conversationId, targetSeq)
    if (row?.kind === 'message' && rowShows(row, change)) return []
    const text = `#${targetSeq} does not show in the end the ${alteration.type} of #${seq}`
    return [{ promise: 'P1', text, conversationId, seq: targetSeq }]
  })
}

/** In the end a message looks as the last changes in the log have made it, and like nothing else. */
function checkLooks(log: FinalLog): Anomaly[] {
  return log.conversationIds.flatMap((id) =>
    log.of(id).flatMap((message): Anomaly[] => {
      const row = log.rowAt(id, message.seq)
      if (row?.kind !== 'message') return []
      const changes = log.changesOf(message)
      const edit = changes.find(({ seq }) => seq === row.edited?.seq)
      const isDeleted = row.deletedAtMs !== undefined
      const unfounded = (row.reactions ?? []).filter(
        ({ seq, userId, emoji, on }) =>
          !changes.some(
            (each) =>
              each.seq === seq &&
              each.senderId === userId &&
              isDeepStrictEqual(each.alteration, { type: 'reaction', emoji, on }),
          ),
      )
      const problems = [
        ...(row.edited && edit?.alteration.type !== 'edit'
          ? [`was edited by #${row.edited.seq}, which is no edit`]
          : []),
        ...(edit?.alteration.type === 'edit' && !isDeleted && edit.alteration.body !== row.body
          ? [`has not the text of its last edit, #${edit.seq}`]
          : []),
        ...(isDeleted && (row.body !== '' || (row.reactions ?? []).length > 0) ? ['is deleted and not empty'] : []),
        ...(isDeleted && !changes.some(isDeletion) ? ['was deleted by nobody'] : []),
        ...unfounded.map(({ emoji, userId, seq }) => `has ${emoji} of ${userId} from #${seq}, where it is not`),
      ]
      return problems.map((text) => ({
        promise: 'P1',
        text: `in the end ${short(message)} ${text}`,
        conversationId: id,
        seq: message.seq,
      }))
    }),
  )
}

/** P1: a page shows what was acknowledged before it was asked for. */
function checkPages(history: History, log: FinalLog): Anomaly[] {
  const byId = changesById(log)
  const doneAtMs = new Map<Change, number>()
  for (const call of changeCalls(history)) {
    const change = answerOf(call) && byId.get(`${call.userId} ${call.ask.clientMessageId}`)
    if (change && !doneAtMs.has(change)) doneAtMs.set(change, call.endedAtMs ?? Number.POSITIVE_INFINITY)
  }
  return history.calls.flatMap((call): Anomaly[] => {
    if (call.kind !== 'page') return []
    return (answerOf(call)?.messages ?? []).flatMap((message) =>
      log
        .changesOf(message)
        .filter((change) => (doneAtMs.get(change) ?? call.askedAtMs) < call.askedAtMs && !shows(message, change, log))
        .map((change) => ({
          promise: 'P1',
          text: `a page of ${call.client} at ${call.node} shows ${short(message)} without the ${change.alteration.type} of #${change.seq}, acknowledged before`,
          atMs: call.askedAtMs,
          conversationId: message.conversationId,
          seq: message.seq,
        })),
    )
  })
}

/** P4 and P6: each change comes once and in order. None is left out that the user may see, and none is shown that they may not see. */
function checkStream(stream: ChangeStream, log: FinalLog, tenures: Tenures): Anomaly[] {
  const last = new Map<string, number>()
  return stream.events.flatMap(({ message, seq, previousSeq, atMs }): Anomaly[] => {
    const { conversationId } = message
    const where = `the changes of ${stream.client} at ${stream.node}, opened at ${stream.openedAtMs}`
    const found = (promise: 'P4' | 'P6', text: string): Anomaly => ({
      promise,
      text: `${where} ${text}`,
      atMs,
      conversationId,
      seq: message.seq,
      userId: stream.userId,
    })
    const before = last.get(conversationId) ?? namedStart(stream, { conversationId, seq, previousSeq }, tenures)
    last.set(conversationId, seq)
    if (before !== undefined && seq <= before) return [found('P4', `show #${seq} after #${before}`)]
    const tenure = tenures.around(stream.userId, conversationId, seq)
    if (!tenure || message.seq <= tenure.joinedSeq)
      return [found('P6', `show #${seq} of #${message.seq}, which is not for them`)]
    const row = log.rowAt(conversationId, seq)
    if (row?.kind !== 'change' || row.targetSeq !== message.seq)
      return [found('P4', `show #${seq}, which is no change of #${message.seq}`)]
    const skipped = visible(
      conversationId,
      Math.max(before ?? previousSeq, tenure.joinedSeq),
      seq,
      tenure.joinedSeq,
      log,
    )
    return [
      ...(before !== undefined && previousSeq !== before
        ? [found('P4', `say previousSeq ${previousSeq} of #${seq}, where ${before} was to be expected`)]
        : []),
      ...skipped.map((each) => found('P4', `go from #${before ?? previousSeq} to #${seq} and skip #${each.seq}`)),
      ...(log.fits(message) && shows(message, row, log)
        ? []
        : [found('P4', `show #${seq} with a message that does not show it: ${short(message)}`)]),
    ]
  })
}

/** P4: a device that follows changes has, in the end, every acknowledged change that its user may see. */
function checkComplete(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const acknowledged = acknowledgedChanges(history, log)
  return history.devices.flatMap(({ client, userId, changes }) => {
    if (!changes) return []
    const events = history.changeStreams.flatMap((stream) => (stream.client === client ? stream.events : []))
    const held = new Set(events.map(({ message, seq }) => `${message.conversationId} ${seq}`))
    return acknowledged.flatMap(({ conversationId, seq, targetSeq }): Anomaly[] => {
      const tenure = tenures.last(userId, conversationId)
      if (!tenure || targetSeq <= tenure.joinedSeq || held.has(`${conversationId} ${seq}`)) return []
      const text = `${client} never got #${seq}, a change of #${targetSeq}`
      return [{ promise: 'P4', text, conversationId, seq: targetSeq, userId }]
    })
  })
}

function acknowledgedChanges(history: History, log: FinalLog): Change[] {
  const byId = changesById(log)
  const all = changeCalls(history).flatMap((call) =>
    answerOf(call) ? (byId.get(`${call.userId} ${call.ask.clientMessageId}`) ?? []) : [],
  )
  return [...new Set(all)]
}

function visible(conversationId: string, above: number, below: number, joinedSeq: number, log: FinalLog): Change[] {
  return log.changes.filter(
    (each) =>
      each.conversationId === conversationId && each.seq > above && each.seq < below && each.targetSeq > joinedSeq,
  )
}

const changesById = (log: FinalLog): Map<string, Change> =>
  new Map(log.changes.map((change) => [`${change.senderId} ${change.clientMessageId}`, change]))

const isDeletion = ({ alteration }: Change): boolean => alteration.type === 'delete'

const isFor = (change: Change, { userId, ask }: ChangeCall): boolean =>
  change.senderId === userId &&
  change.conversationId === ask.conversationId &&
  change.targetSeq === ask.seq &&
  (isDeepStrictEqual(change.alteration, ask.alteration) ||
    // An edit that no longer shows has lost its text.
    (ask.alteration.type === 'edit' && isDeepStrictEqual(change.alteration, { type: 'edit', body: '' })))

/** Returns whether a message looks as this change or a later one has made it. A deleted message shows none of its changes. */
function shows(message: MessageSeen, { seq, senderId, alteration }: Change, log: FinalLog): boolean {
  if (message.look?.deleted) return true
  if (alteration.type === 'delete') return false
  const changes = log.changesOf(message)
  if (alteration.type === 'edit') {
    return changes.some(
      (each) => each.seq >= seq && each.alteration.type === 'edit' && each.alteration.body === message.body,
    )
  }
  // A message only shows how many reactions there are. Where one was set there is at least one, unless it was taken back since.
  if (!alteration.on || !message.look || (message.look.reactions[alteration.emoji] ?? 0) > 0) return true
  const isBack = (each: Change) =>
    each.seq > seq &&
    each.senderId === senderId &&
    each.alteration.type === 'reaction' &&
    each.alteration.emoji === alteration.emoji &&
    !each.alteration.on
  return changes.some(isBack)
}

/** The row tells more than a reader is shown. */
function rowShows(row: Message, { seq, senderId, alteration }: Change): boolean {
  if (row.deletedAtMs !== undefined) return true
  if (alteration.type === 'delete') return false
  if (alteration.type === 'edit') return (row.edited?.seq ?? 0) >= seq
  const isIt = (each: { emoji: string; userId: string }) => each.emoji === alteration.emoji && each.userId === senderId
  return (row.reactions?.find(isIt)?.seq ?? 0) >= seq
}

const nameOf = ({ ask }: ChangeCall): string => `the ${ask.alteration.type} ${ask.clientMessageId}`

const aboutChange = ({ ask, userId, askedAtMs }: ChangeCall) => ({
  atMs: askedAtMs,
  conversationId: ask.conversationId,
  seq: ask.seq,
  clientMessageId: ask.clientMessageId,
  userId,
})
