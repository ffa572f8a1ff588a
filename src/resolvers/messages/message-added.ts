import type { MessageOrNotice } from '../../domain/conversations/notices.ts'
import type { FollowRequest } from '../../domain/streams/follow.ts'
import type { Shown } from '../../domain/streams/positions.ts'
import { badInput } from '../../protocol/errors.ts'
import { positionsMax } from '../../protocol/limits.ts'
import { type Context, viewerId } from '../context.ts'
import { findConversation, requireConversation } from '../conversations/conversations.ts'
import { checkedDeviceId } from '../people/devices.ts'

export type StreamArguments = {
  conversationId?: string | null | undefined
  after?: readonly { conversationId: string; seq: number }[] | null | undefined
  deviceId?: string | null | undefined
}

export const messageAdded = async (
  ctx: Context,
  { notices, ...args }: StreamArguments & { notices?: boolean | null | undefined },
): Promise<AsyncIterableIterator<Shown<MessageOrNotice>>> =>
  ctx.domain.follow({ ...(await followRequestOf(ctx, args)), notices: notices ?? false })

/** Turns the arguments of a stream into a request, and checks every conversation that they name. */
export async function followRequestOf(
  ctx: Context,
  { conversationId, after, deviceId }: StreamArguments,
): Promise<FollowRequest> {
  const userId = viewerId(ctx)
  const only = conversationId == null ? undefined : await requireConversation(ctx, conversationId)
  return {
    userId,
    ...(only && { only }),
    ...(deviceId != null && { deviceId: checkedDeviceId(deviceId) }),
    after: await positionsOf(ctx, after ?? []),
  }
}

/**
 * Positions in conversations that the viewer is not in are left out, even those beyond the last message. A client that always sends the
 * variables it began with would otherwise never get a stream again once the viewer has left a group.
 */
async function positionsOf(
  ctx: Context,
  after: NonNullable<StreamArguments['after']>,
): Promise<FollowRequest['after']> {
  if (after.length > positionsMax) throw badInput('after', `after takes at most ${positionsMax} positions.`)
  const members = await Promise.all(after.map(({ conversationId }) => findConversation(ctx, conversationId)))
  const positions = after.flatMap(({ seq }, i) => {
    const member = members[i]
    if (!member) return []
    if (seq < 0) throw badInput(`after.${i}.seq`, 'A position must be 0 or more.')
    return [{ member, seq }]
  })
  if (new Set(positions.map(({ member }) => member.conversation.id)).size < positions.length)
    throw badInput('after', 'after names a conversation twice.')
  return positions
}
