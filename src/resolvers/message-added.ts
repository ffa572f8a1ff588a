import type { FollowRequest } from '../domain/follow.ts'
import type { Shown } from '../domain/positions.ts'
import { badInput } from '../protocol/errors.ts'
import { positionsMax } from '../protocol/limits.ts'
import { type Context, viewerId } from './context.ts'
import { requireConversation } from './conversations.ts'

type Arguments = {
  conversationId?: string | null | undefined
  after?: readonly { conversationId: string; seq: number }[] | null | undefined
}

export async function messageAdded(
  ctx: Context,
  { conversationId, after }: Arguments,
): Promise<AsyncIterableIterator<Shown>> {
  const userId = viewerId(ctx)
  const only = conversationId == null ? undefined : await requireConversation(ctx, conversationId)
  return ctx.domain.follow({ userId, ...(only && { only }), after: await positionsOf(ctx, after ?? []) })
}

async function positionsOf(ctx: Context, after: NonNullable<Arguments['after']>): Promise<FollowRequest['after']> {
  if (after.length > positionsMax) throw badInput('after', `after takes at most ${positionsMax} positions.`)
  const members = await Promise.all(after.map((each) => requireConversation(ctx, each.conversationId)))
  if (new Set(members).size < members.length) throw badInput('after', 'after names a conversation twice.')
  return after.map(({ seq }, i) => {
    const member = members[i]
    if (!member || seq < 0) throw badInput(`after.${i}.seq`, 'A position must be 0 or more.')
    return { member, seq }
  })
}
