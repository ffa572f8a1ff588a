import type { DeviceId } from '../../protocol/ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'
import { type Context, viewerId } from '../context.ts'
import { requireConversation } from '../conversations/conversations.ts'
import { checkedDeviceId } from '../people/devices.ts'

type Position = { conversationId: string; seq: number; deviceId?: string | null | undefined }

export async function ack(
  ctx: Context,
  { conversationId, seq, deviceId }: Position,
): Promise<{ ticks: MemberBoundaries }> {
  const member = await requireConversation(ctx, conversationId)
  return { ticks: await ctx.domain.ack(member, seq, deviceIdOf(deviceId)) }
}

export async function markRead(
  ctx: Context,
  { conversationId, seq, deviceId }: Position,
): Promise<{ ticks: MemberBoundaries }> {
  const member = await requireConversation(ctx, conversationId)
  return { ticks: await ctx.domain.markRead(member, seq, deviceIdOf(deviceId)) }
}

const deviceIdOf = (deviceId: Position['deviceId']): DeviceId | undefined =>
  deviceId == null ? undefined : checkedDeviceId(deviceId)

export async function ticksChanged(
  ctx: Context,
  { conversationId }: { conversationId?: string | null | undefined },
): Promise<AsyncIterableIterator<MemberBoundaries>> {
  const userId = viewerId(ctx)
  const only = conversationId == null ? undefined : await requireConversation(ctx, conversationId)
  return ctx.domain.followTicks(userId, only)
}
