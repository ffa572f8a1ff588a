import type { Member } from '../../domain/conversations/access.ts'
import type { Role } from '../../ports/conversations.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { titleProblem } from '../../protocol/text.ts'
import { noBoundaries } from '../../protocol/ticks.ts'
import { type Connection, connectionOf } from '../../resolvers/connection.ts'
import { membershipsOf } from '../../resolvers/conversations/groups.ts'
import { pageSize } from '../../resolvers/page-arguments.ts'
import { charge } from '../../shared/load-budget.ts'
import type { AdminContext } from './context.ts'
import { clientIdOf, conversationIdIn, metadataOf, userIdOf, userIdsOf } from './inputs.ts'

/** The conversation, as the service sees it. */
export type AdminConversation = Member
export type AdminMember = {
  userId: UserId
  role: Role
  joinedSeq: Seq
  lastDeliveredSeq: Seq
  lastReadSeq: Seq
}
type Ids = readonly string[] | null | undefined
type Answer = Promise<{ conversation: AdminConversation }>

export async function findConversation(ctx: AdminContext, id: string): Promise<AdminConversation | null> {
  const conversationId = conversationIdIn(id)
  return conversationId ? ((await ctx.domain.access.findForService(ctx.serviceId, conversationId)) ?? null) : null
}

/** Throws where there is no such conversation. Callers do this first, before they check anything else of the request. */
export async function requireConversation(ctx: AdminContext, id: string): Promise<AdminConversation> {
  const found = await findConversation(ctx, id)
  if (!found) throw new ChatError('NOT_FOUND', 'There is no such conversation.')
  return found
}

export async function conversationsOf(
  ctx: AdminContext,
  args: { userId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Connection<AdminConversation>> {
  const userId = userIdOf('userId', args.userId)
  const { count } = pageSize(args)
  const after = args.after == null ? '' : ctx.cursors.toConversationOf(userId, args.after, 'after')
  const found = await ctx.domain.access.pageForService(ctx.serviceId, userId, after, count + 1)
  const edges = found.slice(0, count).map((node) => ({
    cursor: ctx.cursors.ofConversationOf(userId, node.conversation.id),
    node,
  }))
  return connectionOf(edges, { hasNextPage: found.length > count, hasPreviousPage: after !== '' })
}

/** Reads a row for each member; the operation is charged before. */
export async function membersOf(ctx: AdminContext, member: AdminConversation): Promise<AdminMember[]> {
  charge(ctx, member.conversation.members.length)
  const [boundaries = []] = await ctx.domain.boundariesOfMembers([member])
  return membershipsOf(member).map(({ user, role, joinedSeq }, i) => {
    const { lastDeliveredSeq, lastReadSeq } = boundaries[i] ?? noBoundaries
    return { userId: user.id, role, joinedSeq, lastDeliveredSeq, lastReadSeq }
  })
}

export async function lastSeqOf(ctx: AdminContext, member: AdminConversation): Promise<Seq> {
  const [tail] = await ctx.domain.chats.tails([member])
  return tail?.lastSeq ?? 0
}

export const conversationMetadataOf = (ctx: AdminContext, member: AdminConversation): Promise<string | undefined> =>
  ctx.domain.describe.metadataOf(member.conversation)

/** Reads the days anew, because a node may keep the conversation's row for long. */
export const retentionDaysOf = async (ctx: AdminContext, member: AdminConversation): Promise<number | null> =>
  (await ctx.domain.retention.daysOf(member.conversation.id)) ?? null

export async function createGroup(
  ctx: AdminContext,
  input: { clientGroupId: string; title: string; ownerId: string; memberIds: readonly string[]; metadata?: unknown },
): Answer {
  const metadata = metadataOf(input.metadata)
  const request = {
    clientGroupId: clientIdOf('clientGroupId', input.clientGroupId),
    title: titleOf(input.title),
    ownerId: userIdOf('ownerId', input.ownerId),
    memberIds: userIdsOf('memberIds', input.memberIds),
    ...(metadata != null && { metadata }),
  }
  return { conversation: await ctx.domain.groups.createByService(ctx.serviceId, request) }
}

export async function updateMembers(
  ctx: AdminContext,
  { conversationId, add, remove }: { conversationId: string; add?: Ids; remove?: Ids },
): Answer {
  const member = await requireConversation(ctx, conversationId)
  if (member.conversation.kind === 'DIRECT') {
    throw badInput('conversationId', 'This is a direct chat: its members never change.')
  }
  const request = { add: userIdsOf('add', add), remove: userIdsOf('remove', remove) }
  return { conversation: await ctx.domain.groups.updateByService(member, request) }
}

export async function updateConversation(
  ctx: AdminContext,
  input: { conversationId: string; title?: string | null | undefined; metadata?: unknown },
): Answer {
  const member = await requireConversation(ctx, input.conversationId)
  const title = input.title == null ? undefined : titleOf(input.title)
  const metadata = metadataOf(input.metadata)
  if (title !== undefined && member.conversation.kind === 'DIRECT') {
    throw badInput('title', 'This is a direct chat: it has no title.')
  }
  const wanted = { ...(title !== undefined && { title }), ...(metadata !== undefined && { metadata }) }
  return { conversation: await ctx.domain.describe.change(member, wanted) }
}

function titleOf(title: string): string {
  const problem = titleProblem(title)
  if (problem) throw badInput('title', problem)
  return title
}
