import type { Typing } from '../ports/events.ts'
import type { Context } from './context.ts'
import { requireConversation } from './conversations.ts'

export async function setTyping(
  ctx: Context,
  { conversationId, typing }: { conversationId: string; typing: boolean },
): Promise<{ ok: true }> {
  await ctx.domain.setTyping(await requireConversation(ctx, conversationId), typing)
  return { ok: true }
}

export const typingChanged = async (
  ctx: Context,
  { conversationId }: { conversationId: string },
): Promise<AsyncIterableIterator<Typing>> => ctx.domain.followTyping(await requireConversation(ctx, conversationId))
