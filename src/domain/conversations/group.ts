import type { Conversation, Group, GroupMember, Role } from '../../ports/conversations.ts'
import type { GroupChange } from '../../ports/log.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { groupMembersMax } from '../../protocol/limits.ts'

// What a group is, and who may make what of it. Nothing here waits for anything.

/** What is to change. */
export type Wish = Pick<GroupChange, 'added' | 'removed' | 'roles' | 'title'>
export type MemberRole = GroupChange['roles'][number]
export type MembersRequest = { add: readonly UserId[]; remove: readonly UserId[]; roles: readonly MemberRole[] }

/** What a change makes of a group; of none, for the first. */
export function changed(group: Group | undefined, change: GroupChange): Group {
  const { conversationId, seq, added, removed, roles, title } = change
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
    members: [...membersById.keys()],
    membersById,
    version: seq,
  }
}

/** The first change of a group. */
export function toFound(ownerId: UserId, title: string, memberIds: readonly UserId[]): Wish {
  const added = [...new Set([ownerId, ...memberIds])]
  if (added.length > groupMembersMax) throw tooMany('memberIds')
  return { added, removed: [], roles: [{ userId: ownerId, role: 'OWNER' }], title }
}

/** Undefined where the group is so already. */
export function toUpdateMembers(group: Group, actorId: UserId, request: MembersRequest): Wish | undefined {
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
  const wish = { added, removed, roles }
  if (!hasOwner(group, wish)) throw badInput('roles', 'A group needs an owner.')
  return wish
}

/** The wish without those who are not to be added, and without roles for them. Undefined where nothing is left of it. */
export function leaveOut(group: Group, wish: Wish, refusing: ReadonlySet<UserId>): Wish | undefined {
  if (refusing.size === 0) return wish
  const added = wish.added.filter((userId) => !refusing.has(userId))
  const roles = wish.roles.filter(({ userId }) => group.membersById.has(userId) || !refusing.has(userId))
  const rest = { ...wish, added, roles }
  if (added.length + rest.removed.length + roles.length === 0) return undefined
  if (!hasOwner(group, rest)) throw badInput('roles', 'A group needs an owner.')
  return rest
}

/** Whoever leaves as the last owner is followed by the admin, or else the member, who has been there longest. */
export function toLeave(group: Group, userId: UserId): Wish {
  const wish: Wish = { added: [], removed: [userId], roles: [] }
  const others = group.members.filter((each) => each !== userId)
  const heir = others.find((each) => roleOf(group, each) === 'ADMIN') ?? others[0]
  return heir === undefined || hasOwner(group, wish) ? wish : { ...wish, roles: [{ userId: heir, role: 'OWNER' }] }
}

/** Undefined where that is its title. */
export function toRename(group: Group, actorId: UserId, title: string): Wish | undefined {
  if (!governs(roleOf(group, actorId))) throw forbidden('Only an owner or an admin may change the title of a group.')
  return group.title === title ? undefined : { added: [], removed: [], roles: [], title }
}

/** What is at or below this is not for this member's eyes; 0 in a direct chat. */
export const joinedSeqOf = (conversation: Conversation, userId: UserId): Seq =>
  conversation.kind === 'GROUP' ? (conversation.membersById.get(userId)?.joinedSeq ?? 0) : 0

export const roleOf = (conversation: Conversation, userId: UserId): Role =>
  (conversation.kind === 'GROUP' && conversation.membersById.get(userId)?.role) || 'MEMBER'

/** Whether somebody of this role may add and remove people, and delete what others wrote. */
export const governs = (role: Role): boolean => role !== 'MEMBER'

function hasOwner(group: Group, { removed, roles }: Wish): boolean {
  const roleThen = (userId: UserId) => roles.find((each) => each.userId === userId)?.role ?? roleOf(group, userId)
  const there = group.members.filter((userId) => !removed.includes(userId))
  return [...there, ...roles.map(({ userId }) => userId)].some((userId) => roleThen(userId) === 'OWNER')
}

const forbidden = (message: string): ChatError => new ChatError('FORBIDDEN', message)

const tooMany = (field: string): ChatError => badInput(field, `A group has at most ${groupMembersMax} members.`)
