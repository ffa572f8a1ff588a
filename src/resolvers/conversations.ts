import type { Member } from '../domain/access.ts'
import { activityOf } from '../domain/chats.ts'
import type { Message } from '../domain/ports.ts'
import { notFound } from '../protocol/errors.ts'
import { isConversationId, type Seq } from '../protocol/ids.ts'
import { type Connection, connectionOf } from './connection.ts'
import { type Context, viewerId } from './context.ts'
import type { ChatPlace } from './cursors.ts'
import { type PageArguments, pageSize } from './page-arguments.ts'

/** Null for what is not there and for what is not the viewer's to see. */
export async function findConversation(ctx: Context, id: string): Promise<Member | null> {
  viewerId(ctx)
  return isConversationId(id) ? ((await ctx.loaders.members.load(id)) ?? null) : null
}

/** Comes before everything else about a request is judged. */
export async function requireConversation(ctx: Context, id: string): Promise<Member> {
  const found = await findConversation(ctx, id)
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
  const chats = await ctx.domain.chats.list(userId)
  for (const { member, tail } of chats) {
    ctx.loaders.members.prime(member.conversation.id, member)
    ctx.loaders.tails.prime(member, tail)
  }
  const between = chats.filter((chat) => {
    const place = activityOf(chat)
    return (!after || comesAfter(place, after)) && (!before || comesAfter(before, place))
  })
  const shown = from === 'start' ? between.slice(0, count) : between.slice(-count)
  const edges = shown.map((chat) => ({ cursor: ctx.cursors.ofChat(userId, activityOf(chat)), node: chat.member }))
  const more = between.length > count
  return connectionOf(edges, {
    hasNextPage: from === 'start' ? more : before !== undefined,
    hasPreviousPage: from === 'end' ? more : after !== undefined,
  })
}

/** Whether this place is further down the list than the other. */
const comesAfter = (place: ChatPlace, other: ChatPlace): boolean =>
  place.atMs < other.atMs || (place.atMs === other.atMs && place.id > other.id)
