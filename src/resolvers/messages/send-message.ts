import type { Draft, Sent } from '../../domain/sending/send.ts'
import { badInput } from '../../protocol/errors.ts'
import { isClientMessageId, isUserId } from '../../protocol/ids.ts'
import { metadataText } from '../../protocol/metadata.ts'
import { bodyProblem } from '../../protocol/text.ts'
import { type Context, viewerId } from '../context.ts'
import { requireConversation } from '../conversations/conversations.ts'
import { attachmentIdsOf } from './attachments.ts'

/** The input as the client sent it: GraphQL has checked the types, REST has checked nothing. */
type SendMessageInput = {
  clientMessageId?: unknown
  to?: unknown
  body?: unknown
  replyToSeq?: unknown
  attachmentIds?: unknown
  metadata?: unknown
}

export async function sendMessage(ctx: Context, input: SendMessageInput): Promise<Sent> {
  const userId = viewerId(ctx)
  const to = recipientOf(input.to)
  if ('conversationId' in to) {
    const member = await requireConversation(ctx, to.conversationId)
    return ctx.domain.send(member, draftOf(input), ctx.onSent)
  }
  const draft = draftOf(input)
  if (!isUserId(to.userId))
    throw badInput('to.userId', 'to.userId must be 1 to 128 of A-Z a-z 0-9 . _ @ | : - and no id of another kind.')
  return ctx.domain.sendTo(userId, to.userId, draft, ctx.onSent)
}

function recipientOf(to: unknown): { userId: string } | { conversationId: string } {
  const { userId, conversationId } = (typeof to === 'object' && to !== null ? to : {}) as Record<string, unknown>
  if (typeof userId === 'string' && conversationId === undefined) return { userId }
  if (typeof conversationId === 'string' && userId === undefined) return { conversationId }
  throw badInput('to', 'to must name one recipient: either userId or conversationId.')
}

function draftOf({ clientMessageId, body, replyToSeq, attachmentIds, metadata }: SendMessageInput): Draft {
  if (!isClientMessageId(clientMessageId)) {
    throw badInput('clientMessageId', 'clientMessageId must be 1 to 64 of A-Z a-z 0-9 . _ : -')
  }
  if (typeof body !== 'string') throw badInput('body', 'body must be a string.')
  const attached = attachmentIdsOf(attachmentIds)
  // A message with an attachment needs no text.
  const problem = attached && body === '' ? undefined : bodyProblem(body)
  if (problem) throw badInput('body', problem)
  const draft = { clientMessageId, body, ...metadataOf(metadata), ...(attached && { attachmentIds: attached }) }
  if (replyToSeq == null) return draft
  if (!Number.isInteger(replyToSeq)) throw badInput('replyToSeq', 'replyToSeq must be the seq of a message.')
  return { ...draft, replyToSeq: Number(replyToSeq) }
}

function metadataOf(given: unknown): { metadata?: string } {
  if (given == null) return {}
  const metadata = metadataText(given)
  if ('problem' in metadata) throw badInput('metadata', metadata.problem)
  return { metadata: metadata.text }
}
