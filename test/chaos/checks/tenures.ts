import { isDeepStrictEqual } from 'node:util'
import type { GroupChange } from '../../../src/ports/log.ts'
import {
  answerOf,
  type ClockStep,
  type FinalTable,
  type GroupCall,
  type GroupMember,
  type GroupSeen,
  groupCalls,
  type History,
} from './history.ts'

/**
 * A group as one change has made it. `earliestMs` is when that change was drafted; it took effect later. `latestMs` is when a user had been
 * answered with this version, or with a later one.
 */
export type Version = { seq: number; change?: GroupChange; group: GroupSeen; earliestMs: number; latestMs: number }

/** A stretch of a log that a user may see: strictly between the two. From `since` on that is certain. */
type Tenure = { joinedSeq: number; leftSeq: number; sinceMs: number }

export type Tenures = ReturnType<typeof createTenures>

/**
 * Finds who was in which conversation from where to where. Of the changes in a group's log, those took effect that lead from the final
 * version of its row back to its beginning. When they took effect lies between the times that the rows and the answers say.
 */
export function createTenures(history: History) {
  const groups = new Map(
    history.tables.flatMap((table) =>
      table.group ? [[table.conversationId, versionsOf(table, history)] as const] : [],
    ),
  )
  const known = new Map<string, Tenure[]>()

  const versions = (conversationId: string): readonly Version[] => groups.get(conversationId) ?? []

  /** Returns the versions that may have been in force at some time from one moment to another. */
  function between(conversationId: string, fromMs: number, toMs: number): Version[] {
    const all = versions(conversationId)
    return all.filter(
      ({ earliestMs }, i) => earliestMs <= toMs && (all[i + 1]?.latestMs ?? Number.POSITIVE_INFINITY) >= fromMs,
    )
  }

  function of(userId: string, conversationId: string): Tenure[] {
    const key = `${userId} ${conversationId}`
    const tenures = known.get(key) ?? trace(userId, conversationId)
    known.set(key, tenures)
    return tenures
  }

  function trace(userId: string, conversationId: string): Tenure[] {
    if (history.members[conversationId]?.includes(userId)) return [whole]
    const tenures: Tenure[] = []
    for (const { seq, change, latestMs } of versions(conversationId)) {
      const last = tenures.at(-1)
      if (last && change?.removed.includes(userId as never) && last.leftSeq > seq)
        tenures[tenures.length - 1] = { ...last, leftSeq: seq }
      if (change?.added.includes(userId as never)) tenures.push({ ...whole, joinedSeq: seq, sinceMs: latestMs })
    }
    return tenures
  }

  return {
    groupIds: [...groups.keys()],
    versions,
    between,
    of,
    /** Returns the tenure in which the user may see this entry. */
    around: (userId: string, conversationId: string, seq: number): Tenure | undefined =>
      of(userId, conversationId).find(({ joinedSeq, leftSeq }) => joinedSeq < seq && seq < leftSeq),
    /** Returns the tenure that lasts to the end. */
    last: (userId: string, conversationId: string): Tenure | undefined =>
      of(userId, conversationId).find(({ leftSeq }) => leftSeq === Number.POSITIVE_INFINITY),
  }
}

/**
 * Returns the position that a stream named. One from before the user came may have been ignored: they may have been out of the group when
 * the stream began.
 */
export function namedStart(
  { userId, after }: { userId: string; after?: Record<string, number> },
  { conversationId, seq, previousSeq }: { conversationId: string; seq: number; previousSeq: number },
  tenures: Tenures,
): number | undefined {
  const named = after?.[conversationId]
  if (named === undefined || named === previousSeq) return named
  const { joinedSeq = 0 } = tenures.around(userId, conversationId, seq) ?? {}
  return named < joinedSeq ? undefined : named
}

export const memberOf = ({ members }: GroupSeen, userId: string): GroupMember | undefined =>
  members.find((each) => each.userId === userId)

const whole: Tenure = { joinedSeq: 0, leftSeq: Number.POSITIVE_INFINITY, sinceMs: 0 }

/** Returns the versions, oldest first, from before the group was there. */
function versionsOf({ conversationId, rows, group }: FinalTable, history: History): Version[] {
  const never = Number.POSITIVE_INFINITY
  const nothing = { id: conversationId, title: '', members: [] }
  const versions: Version[] = [{ seq: 0, group: nothing, earliestMs: Number.NEGATIVE_INFINITY, latestMs: 0 }]
  for (const change of chainOf(rows, group?.version ?? 0)) {
    const before = versions.at(-1)?.group ?? nothing
    const earliestMs = earliestOf(change.sentAtMs - history.startedAtMs, history.clocks)
    versions.push({ seq: change.seq, change, group: changed(before, change), earliestMs, latestMs: never })
  }
  for (const call of groupCalls(history)) {
    const proven = provenBy(call, conversationId, versions, history)
    for (const version of versions.slice(0, proven + 1))
      version.latestMs = Math.min(version.latestMs, call.endedAtMs ?? never)
  }
  return versions
}

/** Returns when a row was drafted, at the earliest. */
export const earliestOf = (rowMs: number, clocks: readonly ClockStep[]): number => Math.min(...timesOf(rowMs, clocks))

/** Returns when a row may have been drafted: its time may be of any node's clock. */
function timesOf(rowMs: number, clocks: readonly ClockStep[]): number[] {
  const byClocks = clocks.flatMap(({ node, fromMs, offsetMs }, i) => {
    const untilMs = clocks.slice(i + 1).find((later) => later.node === node)?.fromMs ?? Number.POSITIVE_INFINITY
    const atMs = rowMs - offsetMs
    return atMs >= fromMs - clockSlackMs && atMs <= untilMs + clockSlackMs ? [atMs] : []
  })
  return [rowMs, ...byClocks]
}

/** A clock is set by an IPC message, which takes a moment. */
const clockSlackMs = 2000

/** Returns the index of the earliest version that this answer can have come from, or -1 if it proves nothing. */
function provenBy(
  call: GroupCall,
  conversationId: string,
  versions: readonly Version[],
  { startedAtMs, clocks }: History,
): number {
  const answer = answerOf(call)
  if (answer === undefined) return -1
  if (answer !== 'left') {
    return answer.id === conversationId ? versions.findIndex(({ group }) => isDeepStrictEqual(group, answer)) : -1
  }
  if (call.ask.conversationId !== conversationId) return -1
  const isIn = (atMs: number) => atMs >= call.askedAtMs && atMs <= (call.endedAtMs ?? 0)
  const mayBe = versions.filter(
    ({ change }) =>
      change?.senderId === call.userId &&
      change.removed.includes(change.senderId) &&
      timesOf(change.sentAtMs - startedAtMs, clocks).some(isIn),
  )
  // Where clocks were off, two may fit. Then it is not known which of them was answered.
  const [only] = mayBe
  return only && (mayBe.length === 1 || clocks.length === 0) ? versions.indexOf(only) : -1
}

/** Returns the chain of changes, oldest first, as far back as it leads. */
export function chainOf(rows: FinalTable['rows'], version: number): GroupChange[] {
  const bySeq = new Map(rows.filter((row) => row.kind === 'group').map((row) => [row.seq, row]))
  const chain: GroupChange[] = []
  for (let at = bySeq.get(version); at && !chain.includes(at); at = bySeq.get(at.baseVersion)) chain.unshift(at)
  return chain
}

function changed(before: GroupSeen, { seq, added, removed, roles, title }: GroupChange): GroupSeen {
  const stay = before.members.filter(({ userId }) => !removed.includes(userId as never))
  const come = added.map((userId): GroupMember => ({ userId, role: 'MEMBER', joinedSeq: seq }))
  const members = [...stay.filter(({ userId }) => !added.includes(userId as never)), ...come].map((member) => ({
    ...member,
    role: roles.find((each) => each.userId === member.userId)?.role ?? member.role,
  }))
  return { id: before.id, title: title ?? before.title, members }
}
