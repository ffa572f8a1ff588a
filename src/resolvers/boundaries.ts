import type { MemberBoundaries } from '../protocol/ticks.ts'
import { type Context, viewerId } from './context.ts'
import { requireConversation } from './conversations.ts'

type Position = { conversationId: string; seq: number }

export const ack = async (ctx: Context, { conversationId, seq }: Position): Promise<{ ticks: MemberBoundaries }> => ({
  ticks: await ctx.domain.ack(await requireConversation(ctx, conversationId), seq),
})

export const markRead = async (
  ctx: Context,
  { conversationId, seq }: Position,
): Promise<{ ticks: MemberBoundaries }> => ({
  ticks: await ctx.domain.markRead(await requireConversation(ctx, conversationId), seq),
})

export async function ticksChanged(
  ctx: Context,
  { conversationId }: { conversationId?: string | null | undefined },
): Promise<AsyncIterableIterator<MemberBoundaries>> {
  const userId = viewerId(ctx)
  const only = conversationId == null ? undefined : await requireConversation(ctx, conversationId)
  return ctx.domain.followTicks(userId, only)
}
