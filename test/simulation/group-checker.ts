import { isDeepStrictEqual } from 'node:util'
import type { Group } from '../../src/ports/conversations.ts'
import type { ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import { type Anomaly, type FinalLog, type FinalState, groupBy, only } from './final-log.ts'
import type { Entry } from './history.ts'
import { isNotice } from './notices.ts'
import type { Tenures } from './tenures.ts'
import { checkWatches } from './watch-checker.ts'

/** Checks who was in which group, and what they could see and do. */
export function checkGroups(entries: readonly Entry[], state: FinalState, log: FinalLog, tenures: Tenures): Anomaly[] {
  const facts = factsOf(entries, state, tenures)
  return [
    ...consistent(state, tenures),
    ...foundedOnce(entries),
    ...durable(entries, tenures, facts),
    ...upToDate(entries, tenures),
    ...streams(entries, tenures),
    ...pages(entries, tenures, facts),
    ...doors(entries, facts),
    ...complete(entries, log, state),
    ...noSurprise(entries),
    ...checkWatches(entries, facts),
  ]
}

/** The final group is what its log makes of it, and every member finds it in the index. */
function consistent({ chats }: FinalState, tenures: Tenures): Anomaly[] {
  return chats.flatMap(({ id, group, indexed }) => {
    if (!group) return []
    const chain = tenures.chainFor(id)
    const report = (what: string): Anomaly => ({ promise: 'groups', what: `${id} at version ${group.version} ${what}` })
    return [
      ...(chain[0]?.baseVersion === 0 && chain[0].seq === 1 ? [] : [report('has no way back to its first change')]),
      ...chain.filter(({ seq, baseVersion }) => seq <= baseVersion).map(({ seq }) => report(`went back to #${seq}`)),
      ...(isDeepStrictEqual(tenures.groupAt(id, group.version), group) ? [] : [report('is not what its log makes it')]),
      ...group.members
        .filter((userId) => !indexed.includes(userId))
        .map((userId) => report(`is missing in the index of ${userId}`)),
    ]
  })
}

/** P2: every attempt at creating a group got the same group. */
function foundedOnce(entries: readonly Entry[]): Anomaly[] {
  const ids = groupBy(only(entries, 'answered'), ({ userId, request }) =>
    request.type === 'create' ? `${userId} ${request.clientGroupId}` : '',
  )
  ids.delete('')
  return [...ids]
    .filter(([, answers]) => new Set(answers.map(({ group }) => group?.id)).size > 1)
    .map(([key]) => ({ promise: 'P2', what: `${key} is more than one group` }))
}

/** P1: an acknowledged change has taken effect, and the answer shows what the log has made of the group by then. */
function durable(entries: readonly Entry[], tenures: Tenures, facts: readonly Fact[]): Anomaly[] {
  return only(entries, 'answered').flatMap(({ atMs, who, userId, request, group, since }) => {
    const report = (what: string): Anomaly => ({ promise: 'P1', what: `${who} was told of a ${request.type}: ${what}` })
    if (request.type === 'leave') {
      const left = tenures.of(userId, request.conversationId).some(({ leftAtMs }) => leftAtMs <= atMs)
      return left ? [] : [report('has not left')]
    }
    if (!group) return [report('no group')]
    if (!isDeepStrictEqual(tenures.groupAt(group.id, group.version), group)) {
      return [report(`version ${group.version} is another`)]
    }
    const known = facts.filter((fact) => fact.id === group.id && fact.index < since)
    return ineffective(request, group, tenures, known, leaversOf(entries, group.id)).map(report)
  })
}

/** Returns the users who have asked to leave, answered or not: only they themselves can come back. */
const leaversOf = (entries: readonly Entry[], id: ConversationId): Set<UserId> =>
  new Set(
    only(entries, 'asks')
      .filter(({ request }) => request.type === 'leave' && request.conversationId === id)
      .map(({ userId }) => userId),
  )

function ineffective(
  request: Extract<Entry, { kind: 'answered' }>['request'],
  { id, version }: Group,
  tenures: Tenures,
  known: readonly Fact[],
  leavers: ReadonlySet<UserId>,
): string[] {
  const upTo = tenures.chainFor(id).filter(({ seq }) => seq <= version)
  if (request.type === 'rename') return upTo.some(({ title }) => title === request.title) ? [] : ['is not called that']
  if (request.type !== 'members') return []
  const cameAfter = (userId: UserId, since: Seq) =>
    tenures.of(userId, id).some(({ joinedSeq }) => joinedSeq > since && joinedSeq <= version)
  const wentAfter = (userId: UserId, since: Seq) =>
    tenures.of(userId, id).some(({ leftSeq }) => leftSeq > since && leftSeq <= version)
  const stillAs = (fact: Fact, userId: UserId, isIn: boolean) =>
    fact.userId === userId && fact.isIn === isIn && !(isIn ? wentAfter : cameAfter)(userId, fact.version)
  return [
    ...request.add
      .filter((userId) => !leavers.has(userId))
      .filter((userId) => !cameAfter(userId, 0) || known.some((fact) => stillAs(fact, userId, false)))
      .map((userId) => `${userId} is not in it`),
    ...request.remove
      .filter((userId) => known.some((fact) => stillAs(fact, userId, true)))
      .map((userId) => `${userId} is still in it`),
    ...request.roles
      .filter(
        (wanted) =>
          !upTo.some(({ seq }) => tenures.groupAt(id, seq)?.membersById.get(wanted.userId)?.role === wanted.role),
      )
      .map(({ userId, role }) => `${userId} is no ${role}`),
  ]
}

/** A request after an answer gets no older group than that answer's. */
function upToDate(entries: readonly Entry[], tenures: Tenures): Anomaly[] {
  const newest = new Map<ConversationId, { index: number; version: Seq }[]>()
  return entries.flatMap((entry, index) => {
    if (entry.kind !== 'answered' || !entry.group) return []
    const { id, version } = entry.group
    const before = newest.get(id) ?? []
    newest.set(id, [...before, { index, version }])
    const told = Math.max(0, ...before.filter((each) => each.index < entry.since).map((each) => each.version))
    if (version >= told || tenures.chainFor(id).length === 0) return []
    return [{ promise: 'P1', what: `${entry.who} was shown version ${version} of ${id}, after ${told}` }]
  })
}

/** P6 in streams: nothing is shown above the change that removed the user, nor from before the one that added them. */
function streams(entries: readonly Entry[], tenures: Tenures): Anomaly[] {
  const shown = only(entries, 'shown').map(({ stream, userId, message }) => ({
    stream,
    userId,
    message,
    seq: message.seq,
  }))
  return [...shown, ...only(entries, 'changed')]
    .filter(({ userId, message, seq }) => {
      const tenure = tenures.around(userId, message.conversationId, seq, isNotice(message))
      return !tenure || (message.seq <= tenure.joinedSeq && !isNotice(message))
    })
    .map(({ stream, userId, message, seq }) => ({
      promise: 'P6',
      what: `stream ${stream} showed ${userId} #${seq} of ${message.conversationId}, "${message.body}"`,
    }))
}

/**
 * An answer or a stream showed, at `index`, that a user was in a group or out of it at this version. The change that ended this was written no
 * earlier than `untilMs`. `joinedSeq` is where the user's view began.
 */
export type Fact = {
  index: number
  userId: UserId
  id: ConversationId
  version: Seq
  isIn: boolean
  joinedSeq: Seq
  untilMs: number
}

function factsOf(entries: readonly Entry[], { writtenAtMs }: FinalState, tenures: Tenures): Fact[] {
  const users = [...new Set(entries.flatMap((entry) => ('userId' in entry ? [entry.userId] : [])))]
  const factAt = (index: number, userId: UserId, id: ConversationId, version: Seq): Fact => {
    const all = tenures.of(userId, id)
    const now = all.find(({ joinedSeq, leftSeq }) => joinedSeq <= version && version < leftSeq)
    const next = all.find(({ joinedSeq }) => joinedSeq > version)
    const untilMs = now ? now.leftAtMs : (next?.joinedAtMs ?? Number.POSITIVE_INFINITY)
    return { index, userId, id, version, isIn: now !== undefined, joinedSeq: now?.joinedSeq ?? 0, untilMs }
  }
  return entries.flatMap((entry, index) => {
    if (entry.kind !== 'answered') return []
    const { group, request, userId, since } = entry
    if (group) return users.map((each) => factAt(index, each, group.id, group.version))
    if (request.type !== 'leave') return []
    const askedAtMs = entries[since]?.atMs ?? 0
    const own = tenures
      .chainFor(request.conversationId)
      .find(
        (change) => change.senderId === userId && change.removed.includes(userId) && writtenAtMs(change) >= askedAtMs,
      )
    return own && writtenAtMs(own) <= entry.atMs ? [factAt(index, userId, request.conversationId, own.seq)] : []
  })
}

/** P6 in pages: nothing is shown from before the user joined, as far as any user knew of that when the page was requested. */
function pages(entries: readonly Entry[], tenures: Tenures, facts: readonly Fact[]): Anomaly[] {
  return only(entries, 'page').flatMap(({ atMs, userId, conversationId: id, messages, since }) => {
    const told = facts.filter((fact) => fact.index < since && fact.userId === userId && fact.id === id)
    const earliest = Math.max(0, ...told.map(({ joinedSeq }) => joinedSeq))
    const began = tenures
      .of(userId, id)
      .filter(({ joinedSeq, joinedAtMs }) => joinedSeq >= earliest && joinedAtMs <= atMs)
    const lowest = Math.min(...messages.map((each) => (isNotice(each) ? each.seq + 1 : each.seq)))
    if (messages.length === 0 || began.some(({ joinedSeq }) => joinedSeq < lowest)) return []
    return [{ promise: 'P6', what: `a page showed ${userId} #${lowest} of ${id}, from before they came` }]
  })
}

/** A user who was out of a group during a whole request is refused; a user who was in it is not. */
function doors(entries: readonly Entry[], facts: readonly Fact[]): Anomaly[] {
  const attempts = new Map(
    entries.flatMap((entry, index) => (entry.kind === 'alters' ? [[entry.attempt, index] as const] : [])),
  )
  const holds = (call: { userId: UserId; id: ConversationId; since: number; atMs: number }, isIn: boolean): boolean =>
    facts.some(
      (fact) =>
        fact.isIn === isIn &&
        fact.userId === call.userId &&
        fact.id === call.id &&
        fact.index < call.since &&
        fact.untilMs > call.atMs,
    )
  return entries.flatMap((entry) => {
    const { atMs, who } = entry
    const entered = (userId: UserId, id: ConversationId, since: number, what: string): Anomaly[] =>
      holds({ userId, id, since, atMs }, false)
        ? [{ promise: 'P6', what: `${who}: ${what} of ${userId} in ${id}, who had been taken out of it` }]
        : []
    const refused = (userId: UserId, id: ConversationId, since: number, what: string): Anomaly[] =>
      holds({ userId, id, since, atMs }, true)
        ? [{ promise: 'P1', what: `${who}: ${what} of ${userId}, who is in ${id}, was turned away` }]
        : []
    if (entry.kind === 'page') return entered(entry.userId, entry.conversationId, entry.since, 'page')
    if (entry.kind === 'sent') return entered(entry.senderId, entry.message.conversationId, entry.since, 'message')
    if (entry.kind === 'altered') {
      return entered(entry.senderId, entry.conversationId, attempts.get(entry.attempt) ?? 0, 'change')
    }
    if (entry.kind === 'turned away') return refused(entry.userId, entry.conversationId, entry.since, entry.what)
    if (entry.kind === 'denied' && entry.error === 'NOT_FOUND' && entry.request.type !== 'create') {
      return refused(entry.userId, entry.request.conversationId, entry.since, entry.request.type)
    }
    return []
  })
}

/** P4: every device of a final member of a group was shown each acknowledged message since the member joined. */
function complete(entries: readonly Entry[], log: FinalLog, { chats }: FinalState): Anomaly[] {
  const acknowledged = new Set(only(entries, 'sent').map(({ message }) => message.messageId))
  const shown = new Set(only(entries, 'shown').map(({ who, message }) => `${who} ${message.messageId}`))
  const devices = new Map(only(entries, 'stream').map(({ who, userId }) => [who, userId]))
  const began = new Map(only(entries, 'begins').map((entry) => [entry.who, entry.began]))
  return chats.flatMap(({ id, group }) =>
    [...devices].flatMap(([who, userId]) => {
      const member = group?.membersById.get(userId)
      if (!member) return []
      const start = Math.max(member.joinedSeq, began.get(who)?.get(id) ?? 0)
      return log.messages
        .filter((each) => each.conversationId === id && each.seq > start && acknowledged.has(each.messageId))
        .filter((each) => !shown.has(`${who} ${each.messageId}`))
        .map(({ seq }) => ({ promise: 'P4', what: `${who} was never shown #${seq} of ${id}` }))
    }),
  )
}

const expectedDenials = ['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT']

function noSurprise(entries: readonly Entry[]): Anomaly[] {
  return only(entries, 'denied')
    .filter(
      ({ error, request }) => !expectedDenials.includes(error) || (request.type === 'create' && error !== 'NOT_FOUND'),
    )
    .map(({ who, request, error }) => ({ promise: 'errors', what: `${who}: ${request.type} was denied with ${error}` }))
}
