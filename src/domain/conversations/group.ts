import type { Conversation, Group, GroupMember, Role } from '../../ports/conversations.ts'
import type { GroupChange } from '../../ports/log.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { groupMembersMax } from '../../protocol/limits.ts'

// These are the rules of a group: who may change what. Everything here is synchronous and pure.

/** About as many as a group has members: so the row of a group does not grow by much. */
const pastVersionsMax = 1000

/** What a change of a group would change, before it has an entry in the log. */
export type ProposedChange = Pick<GroupChange, 'added' | 'removed' | 'roles' | 'title' | 'metadata'>
export type MemberRole = GroupChange['roles'][number]
export type MembersRequest = { add: readonly UserId[]; remove: readonly UserId[]; roles: readonly MemberRole[] }

/** Applies a change to a group, or to no group if it is the first change. */
export function changed(group: Group | undefined, change: GroupChange): Group {
  const { conversationId, seq, added, removed, roles, title } = change
  const metadata = change.metadata === undefined ? group?.metadata : change.metadata
  const membersById = new Map<UserId, GroupMember>(group?.membersById)
  for (const userId of removed) membersById.delete(userId)
  for (const userId of added) membersById.set(userId, { role: 'MEMBER', joinedSeq: seq })
  for (const { userId, role } of roles) {
    const member = membersById.get(userId)
    if (member) membersById.set(userId, { ...member, role })
  }
  return {
    id: conversationId,
    kind: 'GROUP',
    title: title ?? group?.title ?? '',
    ...(metadata != null && { metadata }),
    members: [...membersById.keys()],
    membersById,
    version: seq,
    ...(group?.retention && { retention: group.retention }),
    pastVersions: group ? [...group.pastVersions, group.version].slice(-pastVersionsMax) : [],
  }
}

/** The first change of a group. */
export function toCreate(ownerId: UserId, title: string, memberIds: readonly UserId[]): ProposedChange {
  const added = [...new Set([ownerId, ...memberIds])]
  if (added.length > groupMembersMax) throw tooMany('memberIds')
  return { added, removed: [], roles: [{ userId: ownerId, role: 'OWNER' }], title }
}

/** Returns undefined if the group is as requested already. */
export function toUpdateMembers(group: Group, actorId: UserId, request: MembersRequest): ProposedChange | undefined {
  const { membersById } = group
  const actor = roleOf(group, actorId)
  if (!governs(actor)) throw forbidden('Only an owner or an admin may change who is in a group.')
  if (request.remove.includes(actorId)) throw badInput('remove', 'To leave a group, use leaveConversation.')
  if (request.add.some((userId) => request.remove.includes(userId))) {
    throw badInput('remove', 'Nobody can be added and removed at once.')
  }
  const added = [...new Set(request.add)].filter((userId) => !membersById.has(userId))
  const removed = [...new Set(request.remove)].filter((userId) => membersById.has(userId))
  if (actor !== 'OWNER' && removed.some((userId) => governs(roleOf(group, userId)))) {
    throw forbidden('An admin may remove members, but neither owners nor admins.')
  }
  const isThere = (userId: UserId) => membersById.has(userId) || added.includes(userId)
  const roles = request.roles.filter(({ userId, role }) => !isThere(userId) || roleOf(group, userId) !== role)
  if (roles.some(({ userId }) => !isThere(userId) || removed.includes(userId))) {
    throw badInput('roles', 'A role can only be given to somebody in the group.')
  }
  if (new Set(request.roles.map(({ userId }) => userId)).size < request.roles.length) {
    throw badInput('roles', 'Nobody can be given two roles.')
  }
  if (actor !== 'OWNER' && roles.length > 0) throw forbidden('Only an owner may give roles.')
  if (membersById.size - removed.length + added.length > groupMembersMax) throw tooMany('add')
  if (added.length + removed.length + roles.length === 0) return undefined
  const proposed = { added, removed, roles }
  if (!hasOwner(group, proposed)) throw badInput('roles', 'A group needs an owner.')
  return proposed
}

/** Returns the proposed change without those who are not to be added and without roles for them, or undefined if nothing is left of it. */
export function leaveOut(
  group: Group,
  proposed: ProposedChange,
  refusing: ReadonlySet<UserId>,
): ProposedChange | undefined {
  if (refusing.size === 0) return proposed
  const added = proposed.added.filter((userId) => !refusing.has(userId))
  const roles = proposed.roles.filter(({ userId }) => group.membersById.has(userId) || !refusing.has(userId))
  const rest = { ...proposed, added, roles }
  if (added.length + rest.removed.length + roles.length === 0) return undefined
  if (!hasOwner(group, rest)) throw badInput('roles', 'A group needs an owner.')
  return rest
}

/** As a backend wants it, which needs no role. If no owner is left, the group gets one as when the last one leaves. */
export function toUpdateByService(
  group: Group,
  request: Pick<MembersRequest, 'add' | 'remove'>,
): ProposedChange | undefined {
  if (request.add.some((userId) => request.remove.includes(userId))) {
    throw badInput('remove', 'Nobody can be added and removed at once.')
  }
  const added = [...new Set(request.add)].filter((userId) => !group.membersById.has(userId))
  const removed = [...new Set(request.remove)].filter((userId) => group.membersById.has(userId))
  if (group.membersById.size - removed.length + added.length > groupMembersMax) throw tooMany('add')
  if (added.length + removed.length === 0) return undefined
  const proposed: ProposedChange = { added, removed, roles: [] }
  if (hasOwner(group, proposed)) return proposed
  const others = group.members.filter((each) => !removed.includes(each))
  const heir = others.find((each) => roleOf(group, each) === 'ADMIN') ?? others[0] ?? added[0]
  return heir === undefined ? proposed : { ...proposed, roles: [{ userId: heir, role: 'OWNER' }] }
}

/** As a backend wants it. Returns undefined if the group has this title and this metadata already. */
export function toDescribeByService(
  group: Group,
  wanted: Pick<ProposedChange, 'title' | 'metadata'>,
): ProposedChange | undefined {
  const title = wanted.title === group.title ? undefined : wanted.title
  const metadata = wanted.metadata === (group.metadata ?? null) ? undefined : wanted.metadata
  if (title === undefined && metadata === undefined) return undefined
  return {
    ...{ added: [], removed: [], roles: [] },
    ...(title !== undefined && { title }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** If the last owner leaves, the admin who has been there longest becomes owner, or else the member who has. */
export function toLeave(group: Group, userId: UserId): ProposedChange {
  const proposed: ProposedChange = { added: [], removed: [userId], roles: [] }
  const others = group.members.filter((each) => each !== userId)
  const heir = others.find((each) => roleOf(group, each) === 'ADMIN') ?? others[0]
  return heir === undefined || hasOwner(group, proposed)
    ? proposed
    : { ...proposed, roles: [{ userId: heir, role: 'OWNER' }] }
}

/** Returns undefined if the group has this title already. */
export function toRename(group: Group, actorId: UserId, title: string): ProposedChange | undefined {
  if (!governs(roleOf(group, actorId))) throw forbidden('Only an owner or an admin may change the title of a group.')
  return group.title === title ? undefined : { added: [], removed: [], roles: [], title }
}

/** The member may not see what is at or below this seq; it is 0 in a direct chat. */
export const joinedSeqOf = (conversation: Conversation, userId: UserId): Seq =>
  conversation.kind === 'GROUP' ? (conversation.membersById.get(userId)?.joinedSeq ?? 0) : 0

export const roleOf = (conversation: Conversation, userId: UserId): Role =>
  (conversation.kind === 'GROUP' && conversation.membersById.get(userId)?.role) || 'MEMBER'

/** Returns whether a member with this role may add and remove people, and delete messages of others. */
export const governs = (role: Role): boolean => role !== 'MEMBER'

function hasOwner(group: Group, { removed, roles }: ProposedChange): boolean {
  const roleThen = (userId: UserId) => roles.find((each) => each.userId === userId)?.role ?? roleOf(group, userId)
  const there = group.members.filter((userId) => !removed.includes(userId))
  return [...there, ...roles.map(({ userId }) => userId)].some((userId) => roleThen(userId) === 'OWNER')
}

const forbidden = (message: string): ChatError => new ChatError('FORBIDDEN', message)

const tooMany = (field: string): ChatError => badInput(field, `A group has at most ${groupMembersMax} members.`)
