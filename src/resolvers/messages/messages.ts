import type { Member } from '../../domain/conversations/access.ts'
import type { MessageOrNotice } from '../../domain/conversations/notices.ts'
import type { Page, PageRequest } from '../../domain/log/page-bounds.ts'
import { tickOfMessage as tickIn } from '../../domain/sending/message-tick.ts'
import { type MessageAddress, parseMessageNodeId } from '../../protocol/ids.ts'
import type { Tick } from '../../protocol/ticks.ts'
import { rememberedOn } from '../../shared/remembered.ts'
import { type Connection, connectionOf } from '../connection.ts'
import { type Context, viewerId } from '../context.ts'
import { findConversation, requireConversation } from '../conversations/conversations.ts'
import { type AroundArguments, aroundOf, pageSize } from '../page-arguments.ts'

/** `notices`: changes of the group are shown too. */
type MessagesArguments = AroundArguments & { notices?: boolean | null | undefined }

export async function listMessages(
  ctx: Context,
  args: MessagesArguments & { conversationId: string },
): Promise<Connection<MessageOrNotice>> {
  return listMessagesOf(ctx, await requireConversation(ctx, args.conversationId), args)
}

/** Lists messages, newest first: `first` and `after` walk to older messages, `last` and `before` back to newer ones. */
export async function listMessagesOf(
  ctx: Context,
  member: Member,
  args: MessagesArguments,
): Promise<Connection<MessageOrNotice>> {
  const around = aroundOf(args)
  const page = await (around
    ? ctx.domain.history.around(member, { ...around, notices: args.notices ?? false })
    : ctx.domain.history.page(member, requestOf(ctx, member, args)))
  const known = connections.get(page)
  if (known) return known
  const edges = page.messages.map((message) => edgeOf(ctx, message))
  const connection = connectionOf(edges, { hasNextPage: page.moreOlder, hasPreviousPage: page.moreNewer })
  connections.set(page, connection)
  return connection
}

function requestOf(ctx: Context, { conversation: { id } }: Member, args: MessagesArguments): PageRequest {
  const { count, from } = pageSize(args)
  const request: PageRequest = { count, from: from === 'start' ? 'newest' : 'oldest', notices: args.notices ?? false }
  if (args.after != null) request.olderThan = ctx.cursors.toSeq(id, args.after, 'after')
  if (args.before != null) request.newerThan = ctx.cursors.toSeq(id, args.before, 'before')
  return request
}

/** Several requests at the same time may share one page. They then share its connection too. */
const connections = rememberedOn<Page, Connection<MessageOrNotice>>('connection')

export async function findMessage(ctx: Context, nodeId: string): Promise<MessageOrNotice | null> {
  viewerId(ctx)
  const address = parseMessageNodeId(nodeId)
  const member = address && (await findConversation(ctx, address.conversationId))
  return member ? ((await ctx.loaders.ownMessages.load({ member, seq: address.seq })) ?? null) : null
}

export async function tickOfMessage(ctx: Context, message: MessageOrNotice): Promise<Tick> {
  const member = await requireConversation(ctx, message.conversationId)
  return tickIn(member.conversation, await ctx.loaders.messageTicks.load(member), message)
}

export const kindOf = ({ notice, system }: MessageOrNotice): 'USER' | 'SYSTEM' | 'NOTICE' =>
  notice ? 'NOTICE' : system ? 'SYSTEM' : 'USER'

export const cursorOf = ({ cursors }: Context, { conversationId, seq }: MessageAddress): string =>
  cursors.ofMessage(conversationId, seq)

/** Puts a message at the place that it has in a page. */
export const edgeOf = (ctx: Context, message: MessageOrNotice): { cursor: string; node: MessageOrNotice } => ({
  cursor: cursorOf(ctx, message),
  node: message,
})

/** Only the sender sees the clientMessageId. Of a notice it is no id that a client has made. */
export const clientMessageIdFor = (
  { viewer }: Context,
  { senderId, clientMessageId, notice }: MessageOrNotice,
): string | null => (viewer?.userId === senderId && !notice ? clientMessageId : null)
