import type { ReportWords } from '../../domain/people/reports.ts'
import type { ReportReason } from '../../ports/reports.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import { isUserId } from '../../protocol/ids.ts'
import { reportTextMaxCodePoints } from '../../protocol/limits.ts'
import { isInvisible, textProblem } from '../../protocol/text.ts'
import { type Context, viewerId } from '../context.ts'
import { requireConversation } from '../conversations/conversations.ts'

export type Reported = { reportId: string }
type Words = { reason: ReportReason; comment?: string | null | undefined }

export async function reportMessage(
  ctx: Context,
  { conversationId, seq, ...words }: Words & { conversationId: string; seq: number },
): Promise<Reported> {
  const member = await requireConversation(ctx, conversationId)
  return { reportId: await ctx.domain.reports.reportMessage(member, seq, wordsOf(words)) }
}

export async function reportUser(ctx: Context, { userId, ...words }: Words & { userId: string }): Promise<Reported> {
  const viewer = viewerId(ctx)
  const isSeen = isUserId(userId) && (userId === viewer || (await ctx.loaders.acquainted.load(userId)))
  if (!isSeen) throw new ChatError('NOT_FOUND', 'There is no such user for this user.')
  if (userId === viewer) throw badInput('userId', 'Nobody can report themselves.')
  return { reportId: await ctx.domain.reports.reportUser(viewer, userId, wordsOf(words)) }
}

/** A comment that shows nothing counts as none. */
function wordsOf({ reason, comment }: Words): ReportWords {
  if (comment == null || isInvisible(comment)) return { reason }
  const problem = textProblem(comment, 'A comment', reportTextMaxCodePoints)
  if (problem) throw badInput('comment', problem)
  return { reason, comment }
}
