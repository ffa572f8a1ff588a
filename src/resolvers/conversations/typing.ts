import type { Member } from '../../domain/conversations/access.ts'
import type { Typing } from '../../ports/events.ts'
import type { Context } from '../context.ts'
import { requireConversation } from './conversations.ts'

type Answered = { ok: true }
const ok: Answered = { ok: true }

/** Mostly there is nothing to publish, and so nothing to wait for. */
export function setTyping(
  ctx: Context,
  { conversationId, typing }: { conversationId: string; typing: boolean },
): Answered | Promise<Answered> {
  const set = (member: Member) => ctx.domain.setTyping(member, typing)
  const member = requireConversation(ctx, conversationId)
  const told = member instanceof Promise ? member.then(set) : set(member)
  return told ? told.then(() => ok) : ok
}

export const typingChanged = async (
  ctx: Context,
  { conversationId }: { conversationId: string },
): Promise<AsyncIterableIterator<Typing>> => ctx.domain.followTyping(await requireConversation(ctx, conversationId))
