import type { Member } from '../../domain/conversations/access.ts'
import type { MemberRole } from '../../domain/conversations/group.ts'
import type { Role } from '../../ports/conversations.ts'
import { badInput } from '../../protocol/errors.ts'
import { type ConversationId, isClientMessageId, isUserId, type Seq, type UserId } from '../../protocol/ids.ts'
import { memberNodeId } from '../../protocol/member-node-ids.ts'
import { titleProblem } from '../../protocol/text.ts'
import { type Context, viewerId } from '../context.ts'
import type { User } from '../people/users.ts'
import { requireConversation } from './conversations.ts'

/** `viewer`: through whose membership they are seen. */
export type GroupMember = { user: User; role: Role; joinedSeq: Seq; viewer: Member }
type Ids = readonly string[] | null | undefined
type Changed = { conversation: Member }

export async function createGroup(
  ctx: Context,
  { clientGroupId, title, memberIds }: { clientGroupId: string; title: string; memberIds: readonly string[] },
): Promise<Changed> {
  const userId = viewerId(ctx)
  if (!isClientMessageId(clientGroupId)) {
    throw badInput('clientGroupId', 'clientGroupId must be 1 to 64 of A-Z a-z 0-9 . _ : -')
  }
  const request = { clientGroupId, title: titleOf(title), memberIds: userIdsOf('memberIds', memberIds) }
  return { conversation: await ctx.domain.groups.create(userId, request) }
}

export async function updateMembers(
  ctx: Context,
  input: {
    conversationId: string
    add?: Ids
    remove?: Ids
    roles?: readonly { userId: string; role: Role }[] | null | undefined
  },
): Promise<Changed> {
  const member = await requireGroup(ctx, input.conversationId)
  const roles = (input.roles ?? []).map(({ userId, role }, i): MemberRole => {
    const [checked] = userIdsOf(`roles.${i}.userId`, [userId])
    return { userId: checked as UserId, role }
  })
  const request = { add: userIdsOf('add', input.add), remove: userIdsOf('remove', input.remove), roles }
  return { conversation: await ctx.domain.groups.updateMembers(member, request) }
}

export async function leaveConversation(
  ctx: Context,
  { conversationId }: { conversationId: string },
): Promise<{ conversationId: ConversationId }> {
  const member = await requireGroup(ctx, conversationId)
  await ctx.domain.groups.leave(member)
  return { conversationId: member.conversation.id }
}

/** Returns all members in the order they joined. In a direct chat all have the same role, and were there from the start. */
export const membershipsOf = (viewer: Member): GroupMember[] =>
  viewer.conversation.members.map((id) => membershipOf(viewer, id))

/** Returns one member. The caller has checked that they are in the conversation. */
export function membershipOf(viewer: Member, id: UserId): GroupMember {
  const { conversation } = viewer
  const member = conversation.kind === 'GROUP' ? conversation.membersById.get(id) : undefined
  return { user: { id }, ...(member ?? { role: 'MEMBER', joinedSeq: 0 }), viewer }
}

export const memberNodeIdOf = ({ viewer, user }: GroupMember): string =>
  memberNodeId({ conversationId: viewer.conversation.id, userId: user.id })

async function requireGroup(ctx: Context, id: string): Promise<Member> {
  const member = await requireConversation(ctx, id)
  if (member.conversation.kind !== 'GROUP') {
    throw badInput('conversationId', 'This is a direct chat: its members never change.')
  }
  return member
}

function titleOf(title: string): string {
  const problem = titleProblem(title)
  if (problem) throw badInput('title', problem)
  return title
}

function userIdsOf(field: string, ids: Ids): UserId[] {
  return (ids ?? []).map((id) => {
    if (!isUserId(id)) {
      throw badInput(field, 'A user id must be 1 to 128 of A-Z a-z 0-9 . _ @ | : - and no id of another kind.')
    }
    return id
  })
}
