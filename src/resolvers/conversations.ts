import type { Member } from '../domain/conversations/access.ts'
import { comesAfter } from '../domain/conversations/chat-list.ts'
import type { Message } from '../ports/log.ts'
import { notFound } from '../protocol/errors.ts'
import { isConversationId, isGroupId, type Seq } from '../protocol/ids.ts'
import { type Connection, connectionOf } from './connection.ts'
import { type Context, viewerId } from './context.ts'
import { type PageArguments, pageSize } from './page-arguments.ts'

/** Null for what is not there and for what is not the viewer's to see. */
export function findConversation(ctx: Context, id: string): Member | null | Promise<Member | null> {
  const userId = viewerId(ctx)
  if (!isConversationId(id)) return null
  // Who is in a direct chat never changes: what this node has seen of it is so.
  const known = isGroupId(id) ? undefined : ctx.domain.access.recall(userId, id)
  return known ?? ctx.loaders.members.load(id).then((member) => member ?? null)
}

/** Comes before everything else about a request is judged. */
export function requireConversation(ctx: Context, id: string): Member | Promise<Member> {
  const found = findConversation(ctx, id)
  return found instanceof Promise ? found.then(orNotFound) : orNotFound(found)
}

function orNotFound(found: Member | null): Member {
  if (!found) throw notFound()
  return found
}

export const lastSeqOf = async (ctx: Context, member: Member): Promise<Seq> =>
  (await ctx.loaders.tails.load(member)).lastSeq

export const lastMessageOf = async (ctx: Context, member: Member): Promise<Message | undefined> =>
  (await ctx.loaders.tails.load(member)).lastMessage

/** The viewer's chats, latest activity first. */
export async function listConversations(ctx: Context, args: PageArguments): Promise<Connection<Member>> {
  const userId = viewerId(ctx)
  const { count, from } = pageSize(args)
  const after = args.after == null ? undefined : ctx.cursors.toChat(userId, args.after, 'after')
  const before = args.before == null ? undefined : ctx.cursors.toChat(userId, args.before, 'before')
  const listed = await ctx.loaders.chatOrder(userId)
  const between = listed.filter(
    ({ place }) => (!after || comesAfter(place, after)) && (!before || comesAfter(before, place)),
  )
  const candidates = from === 'start' ? between : between.reverse()
  const { chats, more } = await ctx.domain.chatList.open(userId, candidates, count)
  for (const { member, tail, settings } of chats) {
    ctx.loaders.members.prime(member.conversation.id, member)
    ctx.loaders.tails.prime(member, tail)
    ctx.loaders.settings.prime(member, settings)
  }
  const shown = from === 'start' ? chats : chats.reverse()
  const edges = shown.map(({ place, member }) => ({ cursor: ctx.cursors.ofChat(userId, place), node: member }))
  return connectionOf(edges, {
    hasNextPage: from === 'start' ? more : before !== undefined,
    hasPreviousPage: from === 'end' ? more : after !== undefined,
  })
}

export const conversationChanged = async (ctx: Context): Promise<AsyncIterableIterator<Member>> =>
  ctx.domain.followConversations(viewerId(ctx))
