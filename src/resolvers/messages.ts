import type { Member } from '../domain/conversations/access.ts'
import type { Page, PageRequest } from '../domain/log/history.ts'
import { tickOfMessage as tickIn } from '../domain/sending/message-tick.ts'
import type { Message } from '../ports/log.ts'
import { type MessageAddress, parseMessageNodeId } from '../protocol/ids.ts'
import type { Tick } from '../protocol/ticks.ts'
import { type Connection, connectionOf } from './connection.ts'
import { type Context, viewerId } from './context.ts'
import { findConversation, requireConversation } from './conversations.ts'
import { type AroundArguments, aroundOf, pageSize } from './page-arguments.ts'

export async function listMessages(
  ctx: Context,
  { conversationId, ...args }: AroundArguments & { conversationId: string },
): Promise<Connection<Message>> {
  return listMessagesOf(ctx, await requireConversation(ctx, conversationId), args)
}

/** Lists messages, newest first: `first` and `after` walk to older messages, `last` and `before` back to newer ones. */
export async function listMessagesOf(
  ctx: Context,
  member: Member,
  args: AroundArguments,
): Promise<Connection<Message>> {
  const around = aroundOf(args)
  const page = await (around
    ? ctx.domain.history.around(member, around)
    : ctx.domain.history.page(member, requestOf(ctx, member, args)))
  const known = connections.get(page)
  if (known) return known
  const edges = page.messages.map((message) => edgeOf(ctx, message))
  const connection = connectionOf(edges, { hasNextPage: page.moreOlder, hasPreviousPage: page.moreNewer })
  connections.set(page, connection)
  return connection
}

function requestOf(ctx: Context, { conversation: { id } }: Member, args: AroundArguments): PageRequest {
  const { count, from } = pageSize(args)
  return {
    count,
    from: from === 'start' ? 'newest' : 'oldest',
    ...(args.after != null && { olderThan: ctx.cursors.toSeq(id, args.after, 'after') }),
    ...(args.before != null && { newerThan: ctx.cursors.toSeq(id, args.before, 'before') }),
  }
}

/** Several requests at the same time may share one page. They then share its connection too. */
const connections = new WeakMap<Page, Connection<Message>>()

export async function findMessage(ctx: Context, nodeId: string): Promise<Message | null> {
  viewerId(ctx)
  const address = parseMessageNodeId(nodeId)
  const member = address && (await findConversation(ctx, address.conversationId))
  return member ? ((await ctx.loaders.ownMessages.load({ member, seq: address.seq })) ?? null) : null
}

export async function tickOfMessage(ctx: Context, message: Message): Promise<Tick> {
  const member = await requireConversation(ctx, message.conversationId)
  return tickIn(member.conversation, await ctx.loaders.messageTicks.load(member), message)
}

export const kindOf = (_message: Message): 'USER' | 'SYSTEM' | 'NOTICE' => 'USER'

export const cursorOf = ({ cursors }: Context, { conversationId, seq }: MessageAddress): string =>
  cursors.ofMessage(conversationId, seq)

/** Puts a message at the place that it has in a page. */
export const edgeOf = (ctx: Context, message: Message): { cursor: string; node: Message } => ({
  cursor: cursorOf(ctx, message),
  node: message,
})

/** Only the sender sees the clientMessageId. */
export const clientMessageIdFor = ({ viewer }: Context, { senderId, clientMessageId }: Message): string | null =>
  viewer?.userId === senderId ? clientMessageId : null
