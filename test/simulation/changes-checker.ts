import { isDeepStrictEqual } from 'node:util'
import type { Change, Message } from '../../src/ports/log.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../src/protocol/ids.ts'
import { type Anomaly, type FinalLog, groupBy, only } from './final-log.ts'
import type { ChangeRequest, Entry } from './history.ts'
import { isNotice } from './notices.ts'
import type { Tenures } from './tenures.ts'

/** Checks what was done to messages after they were sent. */
export function checkChanges(entries: readonly Entry[], log: FinalLog, tenures: Tenures): Anomaly[] {
  return [
    ...durable(entries, log),
    ...accepted(entries, log),
    ...requested(entries, log),
    ...truthful(entries, log),
    ...applied(entries, log),
    ...upToDate(entries, log),
    ...oneOrder(entries, log, tenures),
    ...delivery(entries, log),
    ...complete(entries, log, tenures),
  ]
}

/** P1 and P2: an acknowledged change is in the log, once, and as it was requested. */
function durable(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  return only(entries, 'altered').flatMap(({ clientMessageId, ...request }) => {
    const stored = log.changes.filter((each) => each.clientMessageId === clientMessageId)
    if (stored.length === 1 && stored[0] && isFor(stored[0], request)) return []
    return [{ promise: 'P1', what: `${clientMessageId} was acknowledged, and is in the log ${stored.length} times` }]
  })
}

/** P2: an acknowledged change is never refused later. A change is refused only if it came too late. */
function accepted(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const done = new Set<string>()
  const doneBefore = new Set<number>()
  for (const entry of entries) {
    if (entry.kind === 'altered') done.add(entry.clientMessageId)
    if (entry.kind === 'alters' && done.has(entry.clientMessageId)) doneBefore.add(entry.attempt)
    if (entry.kind !== 'refused') continue
    const { clientMessageId, conversationId, targetSeq, alteration, attempt, error } = entry
    const outOfGroup = isGroupId(conversationId) && error === 'NOT_FOUND'
    if (doneBefore.has(attempt) && !outOfGroup) {
      anomalies.push({ promise: 'P2', what: `${clientMessageId} was acknowledged, and a retry refused: ${error}` })
    }
    const deletions = log.changesOf({ conversationId, seq: targetSeq }).filter(isDeletion)
    const tooLate = error === 'BAD_USER_INPUT' && alteration.type !== 'delete' && deletions.length > 0
    const mayNot = isGroupId(conversationId) && error === 'FORBIDDEN' && alteration.type === 'delete'
    if (!tooLate && !mayNot && !outOfGroup) {
      anomalies.push({ promise: 'errors', what: `${clientMessageId} was refused: ${error}` })
    }
  }
  return anomalies
}

/** Every change in the log was requested. */
function requested(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const asked = groupBy(only(entries, 'alters'), (entry) => entry.clientMessageId)
  return log.changes
    .filter((each) => !asked.get(each.clientMessageId)?.some((request) => isFor(each, request)))
    .map(({ seq }) => ({ promise: 'P2', what: `#${seq} is a change that nobody asked for` }))
}

/** Every message that was ever shown, and every one in the final log, looks as its author or some changes in the log have made it. */
function truthful(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const written = new Map(only(entries, 'try').map(({ clientMessageId, body }) => [clientMessageId, body]))
  return [
    ...entries.flatMap((entry) =>
      messagesIn(entry).map((message) => ({ message, where: `${entry.who}, ${entry.kind}` })),
    ),
    ...log.messages.filter((message) => !isNotice(message)).map((message) => ({ message, where: 'in the end' })),
  ].flatMap(({ message, where }) =>
    untruths(message, written.get(message.clientMessageId), log).map((what) => ({
      promise: 'P1',
      what: `${where}: #${message.seq} "${message.body}" ${what}`,
    })),
  )
}

function messagesIn(entry: Entry): readonly Message[] {
  if (entry.kind === 'page') return entry.messages.filter((message) => !isNotice(message))
  const has = entry.kind === 'sent' || entry.kind === 'shown' || entry.kind === 'altered' || entry.kind === 'changed'
  return has && !isNotice(entry.message) ? [entry.message] : []
}

function untruths(message: Message, written: string | undefined, log: FinalLog): string[] {
  const { body, edited, deletedAtMs, reactions = [] } = message
  const changes = log.changesOf(message)
  const edit = edited && changes.find(({ seq, alteration }) => seq === edited.seq && alteration.type === 'edit')
  const original = edit?.alteration.type === 'edit' ? edit.alteration.body : written
  const deleted = deletedAtMs !== undefined
  const unknown = reactions.filter(
    ({ seq, userId, emoji, on }) =>
      !changes.some(
        (change) =>
          change.seq === seq &&
          change.senderId === userId &&
          isDeepStrictEqual(change.alteration, { type: 'reaction', emoji, on }),
      ),
  )
  return [
    ...(edited && !edit ? [`was edited at #${edited.seq}, where no edit of it is`] : []),
    ...(!deleted && body !== original ? [`should be "${original}"`] : []),
    ...(deleted && (body !== '' || reactions.length > 0) ? ['is deleted and not empty'] : []),
    ...(deleted && !changes.some((each) => isDeletion(each) && each.sentAtMs === deletedAtMs)
      ? ['is deleted by nobody']
      : []),
    ...unknown.map(({ emoji, userId, seq }) => `has ${emoji} of ${userId} from #${seq}, where it is not`),
  ]
}

/**
 * P1: a change that was acknowledged, or shown to a user, shows in the end. Another change in the log need not: its author's node may have died
 * between the log and the message, and no stream has met it since.
 */
function applied(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const acknowledged = new Set(only(entries, 'altered').map(({ clientMessageId }) => clientMessageId as string))
  const shown = new Set(only(entries, 'changed').map(({ message, seq }) => keyOf(message.conversationId, seq)))
  return log.changes
    .filter((each) => acknowledged.has(each.clientMessageId) || shown.has(keyOf(each.conversationId, each.seq)))
    .filter((each) => {
      const message = log.messageAt(each.conversationId, each.targetSeq)
      return !message || !shows(message, each, log)
    })
    .map((each) => ({ promise: 'P1', what: `#${each.targetSeq} does not show change #${each.seq} in the end` }))
}

/** An answer shows the requested change. A page shows every change that was acknowledged before the page was requested. */
function upToDate(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const byId = new Map(log.changes.map((each) => [each.clientMessageId as string, each]))
  const doneAt = new Map<string, number>()
  return entries.flatMap((entry, index) => {
    if (entry.kind === 'altered') {
      if (!doneAt.has(entry.clientMessageId)) doneAt.set(entry.clientMessageId, index)
      const change = byId.get(entry.clientMessageId)
      if (!change || shows(entry.message, change, log)) return []
      return [{ promise: 'P1', what: `the answer to ${entry.clientMessageId} does not show it` }]
    }
    if (entry.kind !== 'page') return []
    return entry.messages.flatMap((message) =>
      log
        .changesOf(message)
        .filter((each) => (doneAt.get(each.clientMessageId) ?? index) < entry.since && !shows(message, each, log))
        .map((each) => ({ promise: 'P1', what: `a page of ${entry.who} does not show ${each.clientMessageId}` })),
    )
  })
}

function oneOrder(entries: readonly Entry[], log: FinalLog, tenures: Tenures): Anomaly[] {
  return only(entries, 'changed').flatMap(({ stream, userId, message, seq, previousSeq }) => {
    const { conversationId: id } = message
    const skipped = visibleTo(userId, id, seq, log, tenures).find((each) => each.seq > previousSeq && each.seq < seq)
    if (!skipped) return []
    return [
      { promise: 'P3', what: `stream ${stream} went from #${previousSeq} to #${seq}, and #${skipped.seq} is a change` },
    ]
  })
}

function delivery(entries: readonly Entry[], log: FinalLog): Anomaly[] {
  const anomalies: Anomaly[] = []
  const streams = new Map(only(entries, 'changes').map((entry) => [entry.stream, entry]))
  const shownBefore = new Map<string, Seq>()
  const live = new Set<number>()
  const had = new Set<string>()
  for (const { who, stream, message, seq, previousSeq, catchUp, held } of only(entries, 'changed')) {
    const { conversationId: id } = message
    const report = (what: string) => anomalies.push({ promise: 'P4', what: `stream ${stream}: ${what}` })
    const change = log.changeAt(id, seq)
    if (change?.targetSeq !== message.seq) report(`showed change #${seq}, and there is none of #${message.seq}`)
    else if (!shows(message, change, log)) report(`showed change #${seq} with a message that does not show it`)
    const key = `${stream} ${id}`
    const before = shownBefore.get(key)
    const start = streams.get(stream)?.after.get(id)
    if (seq <= previousSeq) report(`said #${previousSeq} comes before #${seq}`)
    if (before !== undefined) {
      if (previousSeq !== before) report(`said #${previousSeq} comes before #${seq}, and had shown #${before}`)
    } else if (start !== undefined && previousSeq !== start) {
      report(`resumed after #${start} with a first event that follows #${previousSeq}`)
    }
    if (catchUp && live.has(stream)) report(`showed #${seq} as missed after what is live`)
    if (!catchUp) live.add(stream)
    const acked = streams.get(stream)?.acked
    if (acked) {
      if (seq <= (acked.get(id) ?? 0)) report(`showed #${seq}, and the device had acked #${acked.get(id)}`)
      if (previousSeq > held) report(`jumped to #${seq} from #${previousSeq}, the device has #${held}`)
    }
    // Changes that a device had to skip, because the stream began above what it holds, come again.
    else if (previousSeq <= held) {
      if (had.has(`${who} ${id} ${seq}`)) report(`showed ${who} change #${seq} again`)
      had.add(`${who} ${id} ${seq}`)
    }
    shownBefore.set(key, seq)
  }
  return anomalies
}

/** Returns the changes that the user may see in the range that this seq is in. */
function visibleTo(userId: UserId, id: ConversationId, seq: Seq, log: FinalLog, tenures: Tenures): Change[] {
  const tenure = tenures.around(userId, id, seq)
  if (!tenure) return []
  const { joinedSeq, leftSeq } = tenure
  return log.changes.filter(
    (each) => each.conversationId === id && each.targetSeq > joinedSeq && each.seq > joinedSeq && each.seq < leftSeq,
  )
}

/**
 * Every device that got to the last change of a chat, or of one range of a group's log, was shown each of them. A change after a gap does not
 * count: the device saw the gap and did not take it, and the user may have left the group before the device asked again.
 */
function complete(entries: readonly Entry[], log: FinalLog, tenures: Tenures): Anomaly[] {
  const had = groupBy(
    only(entries, 'changed').filter(({ previousSeq, held }) => previousSeq <= held),
    ({ who, userId, message, seq }) =>
      `${who} ${message.conversationId} ${tenures.around(userId, message.conversationId, seq)?.joinedSeq}`,
  )
  const began = new Map(only(entries, 'begins').map((entry) => [entry.who, entry.began]))
  return [...had.values()].flatMap((events) => {
    const [first] = events
    if (!first) return []
    const id = first.message.conversationId
    const seqs = new Set(events.map(({ seq }) => seq))
    const end = Math.max(...seqs)
    const start = began.get(first.who)?.get(id) ?? 0
    return visibleTo(first.userId, id, first.seq, log, tenures)
      .filter((each) => each.seq > start && each.seq < end && !seqs.has(each.seq))
      .map(({ seq }) => ({ promise: 'P4', what: `${first.who} was never shown change #${seq}` }))
  })
}

const isDeletion = ({ alteration }: Change): boolean => alteration.type === 'delete'

const isFor = (change: Change, request: Omit<ChangeRequest, 'clientMessageId'>): boolean =>
  change.senderId === request.senderId &&
  change.conversationId === request.conversationId &&
  change.targetSeq === request.targetSeq &&
  isDeepStrictEqual(change.alteration, request.alteration)

/**
 * Whether the message looks as this change or a later one has made it. A deleted message shows none of its changes, and a reaction that was taken
 * back is not shown.
 */
function shows(message: Message, { seq, senderId, alteration }: Change, log: FinalLog): boolean {
  const { edited, deletedAtMs, reactions = [] } = message
  if (deletedAtMs !== undefined) return true
  if (alteration.type === 'delete') return false
  if (alteration.type === 'edit') return edited !== undefined && edited.seq >= seq
  const isSame = (each: { emoji: string }, userId: UserId) => each.emoji === alteration.emoji && userId === senderId
  const standing = reactions.find((each) => isSame(each, each.userId))
  if (standing) return standing.seq >= seq
  return log
    .changesOf(message)
    .some(
      (each) =>
        each.seq >= seq &&
        each.alteration.type === 'reaction' &&
        !each.alteration.on &&
        isSame(each.alteration, each.senderId),
    )
}

const keyOf = (conversationId: ConversationId, seq: Seq): string => `${conversationId} ${seq}`
