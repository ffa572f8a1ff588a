import type { MessageOrNotice } from '../domain/conversations/notices.ts'
import type { FollowRequest } from '../domain/streams/follow.ts'
import type { Shown } from '../domain/streams/positions.ts'
import { badInput, notFound } from '../protocol/errors.ts'
import { positionsMax } from '../protocol/limits.ts'
import { type Context, viewerId } from './context.ts'
import { findConversation, requireConversation } from './conversations.ts'

export type StreamArguments = {
  conversationId?: string | null | undefined
  after?: readonly { conversationId: string; seq: number }[] | null | undefined
}

export const messageAdded = async (
  ctx: Context,
  { notices, ...args }: StreamArguments & { notices?: boolean | null | undefined },
): Promise<AsyncIterableIterator<Shown<MessageOrNotice>>> =>
  ctx.domain.follow({ ...(await followRequestOf(ctx, args)), notices: notices ?? false })

/** Turns the arguments of a stream into a request, and checks every conversation that they name. */
export async function followRequestOf(
  ctx: Context,
  { conversationId, after }: StreamArguments,
): Promise<FollowRequest> {
  const userId = viewerId(ctx)
  const only = conversationId == null ? undefined : await requireConversation(ctx, conversationId)
  return { userId, ...(only && { only }), after: await positionsOf(ctx, after ?? []) }
}

async function positionsOf(
  ctx: Context,
  after: NonNullable<StreamArguments['after']>,
): Promise<FollowRequest['after']> {
  if (after.length > positionsMax) throw badInput('after', `after takes at most ${positionsMax} positions.`)
  const members = await Promise.all(
    after.map(async ({ conversationId }, i) => {
      const member = await findConversation(ctx, conversationId)
      // The error names the position, so that a device can resume without a group that it was removed from meanwhile.
      if (!member) throw notFound(`after.${i}`)
      return member
    }),
  )
  if (new Set(after.map((each) => each.conversationId)).size < members.length)
    throw badInput('after', 'after names a conversation twice.')
  return after.map(({ seq }, i) => {
    const member = members[i]
    if (!member || seq < 0) throw badInput(`after.${i}.seq`, 'A position must be 0 or more.')
    return { member, seq }
  })
}
