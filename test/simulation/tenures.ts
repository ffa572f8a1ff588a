import type { Group, GroupMember, Role } from '../../src/ports/conversations.ts'
import type { GroupChange } from '../../src/ports/log.ts'
import type { ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { FinalState } from './final-log.ts'

/** A range of a log that a user may see: strictly between the two seqs. The times say when each of the two changes was written. */
type Tenure = { joinedSeq: Seq; joinedAtMs: number; leftSeq: Seq; leftAtMs: number }

export type Tenures = ReturnType<typeof createTenures>

/**
 * Finds from the logs who was in which chat, and from where to where. Of the changes in a group's log, those took effect that lead from the
 * group's final version back to its beginning.
 */
export function createTenures({ chats, writtenAtMs }: FinalState) {
  const chains = new Map(chats.flatMap((chat) => (chat.group ? [[chat.id, chainOf(chat.group, chat.rows)]] : [])))
  const directs = new Map(chats.filter(({ group }) => !group).map(({ id, members }) => [id, members]))

  const chainFor = (id: ConversationId): readonly GroupChange[] => chains.get(id) ?? []

  function of(userId: UserId, id: ConversationId): Tenure[] {
    const whole = { joinedSeq: 0, joinedAtMs: 0, leftSeq: Number.POSITIVE_INFINITY, leftAtMs: Number.POSITIVE_INFINITY }
    if (directs.has(id)) return directs.get(id)?.includes(userId) ? [whole] : []
    const tenures: Tenure[] = []
    for (const { seq, added, removed } of chainFor(id)) {
      const atMs = writtenAtMs({ conversationId: id, seq })
      const last = tenures.at(-1)
      if (last && removed.includes(userId) && last.leftSeq > seq)
        tenures[tenures.length - 1] = { ...last, leftSeq: seq, leftAtMs: atMs }
      if (added.includes(userId)) tenures.push({ ...whole, joinedSeq: seq, joinedAtMs: atMs })
    }
    return tenures
  }

  /** Returns the tenure in which the user may see this entry. The notice that they were added is the first that they may see. */
  const around = (userId: UserId, id: ConversationId, seq: Seq, isNotice = false): Tenure | undefined =>
    of(userId, id).find(({ joinedSeq, leftSeq }) => (isNotice ? joinedSeq - 1 : joinedSeq) < seq && seq < leftSeq)

  /** Returns the group at this version. */
  function groupAt(id: ConversationId, version: Seq): Group | undefined {
    const chain = chainFor(id)
    const index = chain.findIndex(({ seq }) => seq === version)
    return index < 0 ? undefined : foldUp(id, chain.slice(0, index + 1))
  }

  return { chainFor, of, around, groupAt }
}

/** Returns the chain of changes, oldest first, as far back as it leads. */
export function chainOf({ version }: Group, rows: FinalState['chats'][number]['rows']): GroupChange[] {
  const bySeq = new Map(rows.filter((row) => row.kind === 'group').map((row) => [row.seq, row]))
  const chain: GroupChange[] = []
  for (let at = bySeq.get(version); at && !chain.includes(at); at = bySeq.get(at.baseVersion)) chain.unshift(at)
  return chain
}

function foldUp(id: ConversationId, chain: readonly GroupChange[]): Group {
  const membersById = new Map<UserId, GroupMember>()
  let title = ''
  for (const change of chain) {
    for (const userId of change.removed) membersById.delete(userId)
    const roleOf = (userId: UserId): Role | undefined => change.roles.find((each) => each.userId === userId)?.role
    for (const userId of change.added) membersById.set(userId, { role: 'MEMBER', joinedSeq: change.seq })
    for (const [userId, member] of membersById)
      membersById.set(userId, { ...member, role: roleOf(userId) ?? member.role })
    title = change.title ?? title
  }
  const versions = chain.map(({ seq }) => seq)
  const pastVersions = versions.slice(0, -1)
  const members = [...membersById.keys()]
  return { id, kind: 'GROUP', title, members, membersById, version: versions.at(-1) ?? 0, pastVersions }
}
