import type { Member } from '../../domain/conversations/access.ts'
import { comesAfter } from '../../domain/conversations/chat-list.ts'
import type { ConversationUpdate } from '../../domain/streams/follow-conversations.ts'
import type { Message } from '../../ports/log.ts'
import { notFound } from '../../protocol/errors.ts'
import { type ConversationId, isConversationId, isGroupId, type Seq } from '../../protocol/ids.ts'
import { type Connection, connectionOf } from '../connection.ts'
import { type Context, viewerId } from '../context.ts'
import { type PageArguments, pageSize } from '../page-arguments.ts'
import { type ConversationFilter, chosenOf, fits } from './conversation-filter.ts'

/** Returns null for a conversation that does not exist and for one that the viewer may not see. */
export function findConversation(ctx: Context, id: string): Member | null | Promise<Member | null> {
  const userId = viewerId(ctx)
  if (!isConversationId(id)) return null
  // The members of a direct chat never change, so what this node remembers of it is true.
  const known = isGroupId(id) ? undefined : ctx.domain.access.recall(userId, id)
  return known ?? ctx.loaders.members.load(id).then((member) => member ?? null)
}

/** Resolvers call this before they check anything else of a request. */
export function requireConversation(ctx: Context, id: string): Member | Promise<Member> {
  const found = findConversation(ctx, id)
  return found instanceof Promise ? found.then(orNotFound) : orNotFound(found)
}

function orNotFound(found: Member | null): Member {
  if (!found) throw notFound()
  return found
}

export const lastSeqOf = (ctx: Context, member: Member): Promise<Seq> => ctx.loaders.lastSeq(member)

export const lastMessageOf = async (ctx: Context, member: Member): Promise<Message | undefined> =>
  (await ctx.loaders.tails.load(member)).lastMessage

/** Lists the viewer's chats, latest activity first. */
export async function listConversations(
  ctx: Context,
  args: PageArguments & { filter?: ConversationFilter | null | undefined },
): Promise<Connection<Member>> {
  const userId = viewerId(ctx)
  const { count, from } = pageSize(args)
  const after = args.after == null ? undefined : ctx.cursors.toChat(userId, args.after, 'after')
  const before = args.before == null ? undefined : ctx.cursors.toChat(userId, args.before, 'before')
  const listed = await ctx.loaders.chatOrder(userId)
  const between = listed.filter(
    (each) =>
      (!after || comesAfter(each.sortKey, after)) &&
      (!before || comesAfter(before, each.sortKey)) &&
      fits(each, args.filter),
  )
  const candidates = await chosenOf(ctx, from === 'start' ? between : between.reverse(), args.filter, count)
  const { chats, more } = await ctx.domain.chatList.open(userId, candidates, count)
  for (const { member, tail, settings, activity } of chats) {
    ctx.loaders.activities.prime(member, activity)
    ctx.loaders.members.prime(member.conversation.id, member)
    ctx.loaders.tails.prime(member, tail)
    ctx.loaders.settings.prime(member, settings)
  }
  const shown = from === 'start' ? chats : chats.reverse()
  const edges = shown.map(({ sortKey, member }) => ({ cursor: ctx.cursors.ofChat(userId, sortKey), node: member }))
  return connectionOf(edges, {
    hasNextPage: from === 'start' ? more : before !== undefined,
    hasPreviousPage: from === 'end' ? more : after !== undefined,
  })
}

export const conversationChanged = async (ctx: Context): Promise<AsyncIterableIterator<Member>> =>
  ctx.domain.followConversations(viewerId(ctx))

export const conversationUpdated = async (ctx: Context): Promise<AsyncIterableIterator<ConversationUpdate>> =>
  ctx.domain.followConversationUpdates(viewerId(ctx))

/** Puts a conversation at the place that it has in the list now. */
export async function conversationEdgeOf(
  ctx: Context,
  { member }: ConversationUpdate,
): Promise<{ cursor: string; node: Member } | null> {
  if (!member) return null
  const activity = await ctx.loaders.activities.load(member)
  const sortKey = { atMs: activity?.atMs ?? 0, id: member.conversation.id }
  return { cursor: ctx.cursors.ofChat(viewerId(ctx), sortKey), node: member }
}

export const removedIdOf = ({ id, member }: ConversationUpdate): ConversationId | null => (member ? null : id)
