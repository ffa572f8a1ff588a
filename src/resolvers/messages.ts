import type { Member } from '../domain/conversations/access.ts'
import type { Page, PageRequest } from '../domain/log/history.ts'
import { tickOfMessage as tickIn } from '../domain/sending/message-tick.ts'
import type { Message } from '../ports/log.ts'
import { parseMessageNodeId } from '../protocol/ids.ts'
import type { Tick } from '../protocol/ticks.ts'
import { type Connection, connectionOf } from './connection.ts'
import { type Context, viewerId } from './context.ts'
import { findConversation, requireConversation } from './conversations.ts'
import { type PageArguments, pageSize } from './page-arguments.ts'

export async function listMessages(
  ctx: Context,
  { conversationId, ...args }: PageArguments & { conversationId: string },
): Promise<Connection<Message>> {
  return listMessagesOf(ctx, await requireConversation(ctx, conversationId), args)
}

/** Newest first: `first` and `after` walk to older messages, `last` and `before` back to newer ones. */
export async function listMessagesOf(ctx: Context, member: Member, args: PageArguments): Promise<Connection<Message>> {
  const { id } = member.conversation
  const { count, from } = pageSize(args)
  const request: PageRequest = {
    count,
    from: from === 'start' ? 'newest' : 'oldest',
    ...(args.after != null && { olderThan: ctx.cursors.toSeq(id, args.after, 'after') }),
    ...(args.before != null && { newerThan: ctx.cursors.toSeq(id, args.before, 'before') }),
  }
  const page = await ctx.domain.history.page(member, request)
  const known = connections.get(page)
  if (known) return known
  const edges = page.messages.map((node) => ({ cursor: ctx.cursors.ofMessage(id, node.seq), node }))
  const connection = connectionOf(edges, { hasNextPage: page.moreOlder, hasPreviousPage: page.moreNewer })
  connections.set(page, connection)
  return connection
}

/** Several who asked at once may have been given the same page. */
const connections = new WeakMap<Page, Connection<Message>>()

export async function findMessage(ctx: Context, nodeId: string): Promise<Message | null> {
  viewerId(ctx)
  const address = parseMessageNodeId(nodeId)
  const member = address && (await findConversation(ctx, address.conversationId))
  return member ? ((await ctx.domain.history.message(member, address.seq)) ?? null) : null
}

export async function tickOfMessage(ctx: Context, message: Message): Promise<Tick> {
  const member = await requireConversation(ctx, message.conversationId)
  return tickIn(member.conversation, await ctx.loaders.messageTicks.load(member), message)
}

/** The sender's own; nobody else's business. */
export const clientMessageIdFor = ({ viewer }: Context, { senderId, clientMessageId }: Message): string | null =>
  viewer?.userId === senderId ? clientMessageId : null
