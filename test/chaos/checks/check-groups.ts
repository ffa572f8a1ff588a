import { isDeepStrictEqual } from 'node:util'
import type { Anomaly } from './anomaly.ts'
import type { FinalLog } from './final-log.ts'
import {
  answerOf,
  type Call,
  type GroupCall,
  type GroupRequest,
  type GroupSeen,
  groupCalls,
  type History,
  isGroup,
  refusalOf,
  sends,
} from './history.ts'
import { chainOf, memberOf, type Tenures, type Version } from './tenures.ts'

// Checks who was in which group, and what that let them see and do. A call may have met any version of the group that was in force at some
// time between the question and the answer, and no other.

/** After this time a stream of boundaries has compared, even if no event told it anything. */
const tickSlackMs = 35_000

export function checkGroups(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  return [
    ...checkRows(history, tenures),
    ...checkFounding(history),
    ...groupCalls(history).flatMap((call) => checkAnswer(call, tenures, leaversOf(history))),
    ...history.calls.flatMap((call) => checkDoor(call, tenures)),
    ...history.calls.flatMap((call) => checkView(call, tenures)),
    ...checkLatecomers(history, log, tenures),
    ...checkTickStreams(history, tenures),
  ]
}

/** A group is what its log has made of it, and every member finds it in the index. */
function checkRows({ tables }: History, tenures: Tenures): Anomaly[] {
  return tables.flatMap(({ conversationId, rows, group, indexed }): Anomaly[] => {
    if (!group) return []
    const { version, ...shown } = group
    const chain = chainOf(rows, version)
    const found = (text: string): Anomaly[] => [
      { promise: 'groups', text: `the row of version ${version} ${text}`, conversationId, seq: version },
    ]
    const lost = shown.members.filter(({ userId }) => !indexed.includes(userId))
    return [
      ...(chain[0]?.seq === 1 && chain[0].baseVersion === 0 ? [] : found('has no way back to the first change')),
      ...chain.flatMap(({ seq, baseVersion }) => (seq <= baseVersion ? found(`went back to #${seq}`) : [])),
      ...(isDeepStrictEqual(tenures.versions(conversationId).at(-1)?.group, shown)
        ? []
        : found('is not what its log makes of the group')),
      ...lost.flatMap(({ userId }) => found(`has ${userId}, whose index does not name the group`)),
    ]
  })
}

/** P2: there is one group per (founder, clientGroupId), and every answer tells of that one. */
function checkFounding(history: History): Anomaly[] {
  const groups = new Map<string, string>()
  const anomalies: Anomaly[] = []
  for (const { conversationId, rows, group } of history.tables) {
    const [first] = chainOf(rows, group?.version ?? 0)
    if (!first) continue
    const key = `${first.senderId} ${first.clientMessageId}`
    const twin = groups.get(key)
    if (twin) anomalies.push({ promise: 'P2', text: `${key} became two groups, ${twin} as well`, conversationId })
    groups.set(key, conversationId)
  }
  for (const call of groupCalls(history)) {
    const { request } = call.ask
    const answer = answerOf(call)
    if (request.type !== 'create' || !answer || answer === 'left') continue
    const stored = groups.get(`${call.userId} #${request.clientGroupId}`)
    if (stored === answer.id) continue
    const text = `${call.client} was told that ${request.clientGroupId} is ${answer.id}, but the tables have ${stored ?? 'none'}`
    anomalies.push({ promise: stored ? 'P2' : 'P1', text, atMs: call.askedAtMs, conversationId: answer.id })
  }
  return anomalies
}

/** P1: an answer shows the group as it was then, and what was acknowledged was so. */
function checkAnswer(call: GroupCall, tenures: Tenures, leavers: ReadonlySet<string>): Anomaly[] {
  const answer = answerOf(call)
  const { request } = call.ask
  if (!answer || call.endedAtMs === undefined) return []
  const conversationId = answer === 'left' ? call.ask.conversationId : answer.id
  const then = tenures.between(conversationId, call.askedAtMs, call.endedAtMs)
  const found = (text: string): Anomaly[] => [
    {
      promise: 'P1',
      text: `${call.client} was answered a ${request.type}, but ${text}`,
      atMs: call.askedAtMs,
      conversationId,
      userId: call.userId,
    },
  ]
  const ever = (isSo: (group: GroupSeen) => boolean, text: string) =>
    then.some(({ group }) => isSo(group)) ? [] : found(text)
  const stale = answer !== 'left' && ever((group) => isDeepStrictEqual(group, answer), 'the group was not so then')
  const mayRefuse = (userId: string) => leavers.has(`${userId} ${conversationId}`)
  return [...(stale || []), ...checkRequest(request, call.userId, ever, mayRefuse)]
}

/** Returns `user conversation` for all who have asked to leave, answered or not: only they themselves can come back. */
const leaversOf = (history: History): Set<string> =>
  new Set(
    groupCalls(history)
      .filter(({ ask }) => ask.request.type === 'leave')
      .map(({ userId, ask }) => `${userId} ${ask.conversationId}`),
  )

function checkRequest(
  request: GroupRequest,
  userId: string,
  ever: (isSo: (group: GroupSeen) => boolean, text: string) => Anomaly[],
  mayRefuse: (userId: string) => boolean,
): Anomaly[] {
  if (request.type === 'leave') return ever((group) => !memberOf(group, userId), `${userId} never left`)
  if (request.type === 'rename') return ever(({ title }) => title === request.title, 'it was never called that')
  if (request.type !== 'members') return []
  return [
    ...request.add
      .filter((each) => !mayRefuse(each))
      .flatMap((each) => ever((group) => memberOf(group, each) !== undefined, `${each} was never in`)),
    ...request.remove.flatMap((each) => ever((group) => !memberOf(group, each), `${each} was never out`)),
    ...request.roles.flatMap(({ userId: each, role }) =>
      ever((group) => memberOf(group, each)?.role === role, `${each} was never ${role}`),
    ),
  ]
}

/** A user who was out during the whole call is let in nowhere. A user who was in the group during the whole call is let in. */
function checkDoor(call: Call, tenures: Tenures): Anomaly[] {
  const { conversationId } = call.ask
  if (!isGroup(conversationId) || call.endedAtMs === undefined) return []
  const then = tenures.between(conversationId, call.askedAtMs, call.endedAtMs)
  const { userId } = call
  const about = { atMs: call.askedAtMs, conversationId, userId }
  if (call.outcome && 'answer' in call.outcome && !then.some(({ group }) => memberOf(group, userId))) {
    const text = `${call.client} was answered a ${call.kind}, but was not in the group all that time`
    return [{ promise: 'P6', text, ...about }]
  }
  if (refusalOf(call)?.code !== 'NOT_FOUND' || then.some((version) => mayMiss(call, version))) return []
  const text = `${call.client} was told at a ${call.kind} that there is no such thing, but was in the group all that time`
  return [{ promise: 'groups', text, ...about }]
}

/** A message from before the user came does not exist for them. */
function mayMiss(call: Call, { group }: Version): boolean {
  const member = memberOf(group, call.userId)
  return !member || (call.kind === 'change' && call.ask.seq <= member.joinedSeq)
}

/** P6: a page begins above where the user came, and shows the boundaries of members only. */
function checkView(call: Call, tenures: Tenures): Anomaly[] {
  const { conversationId } = call.ask
  if (!isGroup(conversationId) || call.endedAtMs === undefined) return []
  const { client, userId } = call
  const then = tenures.between(conversationId, call.askedAtMs, call.endedAtMs)
  const about = { atMs: call.askedAtMs, conversationId, userId }
  const shown = call.kind === 'ticks' ? answerOf(call)?.ticks.map((ticks) => ticks.userId) : undefined
  if (shown && !then.some(({ group }) => isDeepStrictEqual(idsOf(group), shown.toSorted()))) {
    return [{ promise: 'P6', text: `${client} was shown the boundaries of ${shown.join(', ')}`, ...about }]
  }
  if (call.kind !== 'page') return []
  const lowest = Math.min(...(answerOf(call)?.messages ?? []).map(({ seq }) => seq))
  const members = then.flatMap(({ group }) => memberOf(group, userId) ?? [])
  if (members.length === 0 || members.some(({ joinedSeq }) => joinedSeq < lowest)) return []
  const text = `a page of ${client} shows #${lowest}, from before they came with #${members.at(-1)?.joinedSeq}`
  return [{ promise: 'P6', text, ...about, seq: lowest }]
}

const idsOf = ({ members }: GroupSeen): string[] => members.map(({ userId }) => userId).sort()

/** P4: a user gets what is sent while they are in the group. */
function checkLatecomers(history: History, log: FinalLog, tenures: Tenures): Anomaly[] {
  const firstAskedAtMs = new Map<string, number>()
  const users = new Set(history.devices.map(({ userId }) => userId))
  return sends(history).flatMap((call): Anomaly[] => {
    const key = `${call.userId} ${call.ask.clientMessageId}`
    const askedAtMs = firstAskedAtMs.get(key) ?? call.askedAtMs
    firstAskedAtMs.set(key, askedAtMs)
    const { message } = answerOf(call) ?? {}
    if (!message || !isGroup(message.conversationId) || !log.at(message.conversationId, message.seq)) return []
    const { conversationId, seq } = message
    return [...users].flatMap((userId): Anomaly[] => {
      const tenure = tenures.last(userId, conversationId)
      if (!tenure || tenure.sinceMs >= askedAtMs || tenure.joinedSeq < seq) return []
      const text = `#${seq} was sent after ${userId} had come, but is below #${tenure.joinedSeq}, with which they came`
      return [{ promise: 'P4', text, atMs: call.askedAtMs, conversationId, seq, userId }]
    })
  })
}

/** P6: a user who is out is shown no boundaries of the group, and no member is shown those of a user who is out. */
function checkTickStreams({ tickStreams }: History, tenures: Tenures): Anomaly[] {
  return tickStreams.flatMap(({ client, userId, events }) =>
    events.flatMap(({ ticks, atMs }): Anomaly[] => {
      const { conversationId } = ticks
      if (!isGroup(conversationId)) return []
      const then = tenures.between(conversationId, atMs - tickSlackMs, atMs)
      const wasIn = (each: string) => then.some(({ group }) => memberOf(group, each))
      if (wasIn(userId) && wasIn(ticks.userId)) return []
      const text = `ticksChanged shows ${client} the boundaries of ${ticks.userId}, long after one of them was out`
      return [{ promise: 'P6', text, atMs, conversationId, userId }]
    }),
  )
}
