import type { Member } from '../../domain/conversations/access.ts'
import type { Draft } from '../../domain/sending/send.ts'
import type { Message } from '../../ports/log.ts'
import { badInput } from '../../protocol/errors.ts'
import { bodyProblem } from '../../protocol/text.ts'
import { type Connection, connectionOf } from '../../resolvers/connection.ts'
import { type AroundArguments, aroundOf, pageSize } from '../../resolvers/page-arguments.ts'
import type { AdminContext } from './context.ts'
import { requireConversation } from './conversations.ts'
import { clientIdOf, metadataOf, userIdOf } from './inputs.ts'

export type AdminMessage = Message
export type AdminSent = { message: AdminMessage; duplicate: boolean }
export type SendWish = {
  clientMessageId: string
  to: { conversationId?: string | null | undefined; userId?: string | null | undefined }
  as?: string | null | undefined
  body: string
  metadata?: unknown
  sentAt?: Date | null | undefined
  silent?: boolean | null | undefined
}

export const kindOf = ({ system }: AdminMessage): 'USER' | 'SYSTEM' => (system ? 'SYSTEM' : 'USER')

export async function listMessages(
  ctx: AdminContext,
  args: AroundArguments & { conversationId: string },
): Promise<Connection<AdminMessage>> {
  const member = await requireConversation(ctx, args.conversationId)
  const { id } = member.conversation
  const around = aroundOf(args)
  const { count, from } = pageSize(args)
  const page = await (around
    ? ctx.domain.history.around(member, { ...around, notices: false })
    : ctx.domain.history.page(member, {
        count,
        from: from === 'start' ? 'newest' : 'oldest',
        ...(args.after != null && { olderThan: ctx.cursors.toSeq(id, args.after, 'after') }),
        ...(args.before != null && { newerThan: ctx.cursors.toSeq(id, args.before, 'before') }),
      }))
  const edges = page.messages.map((node) => ({ cursor: ctx.cursors.ofMessage(id, node.seq), node }))
  return connectionOf(edges, { hasNextPage: page.moreOlder, hasPreviousPage: page.moreNewer })
}

export async function sendMessage(ctx: AdminContext, input: SendWish): Promise<AdminSent> {
  const as = input.as == null ? undefined : userIdOf('as', input.as)
  const silent = input.silent ?? false
  const { conversationId, userId } = input.to
  if (conversationId != null) {
    const found = await requireConversation(ctx, conversationId)
    const { id } = found.conversation
    const member = as === undefined ? found : await ctx.domain.access.member(as, id)
    return ctx.domain.sendByBackend(member, draftOf(ctx, input, as === undefined), { silent })
  }
  const draft = draftOf(ctx, input, as === undefined)
  const member: Member = await ctx.domain.access.direct(as ?? ctx.serviceId, userIdOf('to.userId', userId ?? ''))
  return ctx.domain.sendByBackend(member, draft, { silent })
}

function draftOf(ctx: AdminContext, input: SendWish, system: boolean): Draft {
  const { body, sentAt } = input
  const clientMessageId = clientIdOf('clientMessageId', input.clientMessageId)
  const problem = bodyProblem(body)
  if (problem) throw badInput('body', problem)
  const metadata = metadataOf(input.metadata)
  if (sentAt && sentAt.getTime() > ctx.nowMs()) throw badInput('sentAt', 'sentAt must not be in the future.')
  return {
    clientMessageId,
    body,
    ...(metadata != null && { metadata }),
    ...(system && { system: true }),
    ...(sentAt && { sentAtMs: sentAt.getTime() }),
  }
}

export async function deleteMessage(
  ctx: AdminContext,
  { conversationId, seq, clientMessageId }: { conversationId: string; seq: number; clientMessageId: string },
): Promise<AdminSent> {
  const member = await requireConversation(ctx, conversationId)
  const id = clientIdOf('clientMessageId', clientMessageId)
  return ctx.domain.changeOnce(member, { seq, clientMessageId: id, alteration: { type: 'delete' } })
}
