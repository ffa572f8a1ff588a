import type { Member } from '../../domain/conversations/access.ts'
import { directConversationId } from '../../domain/conversations/conversation-id.ts'
import { boundariesOfOthers } from '../../domain/sending/boundaries-of-others.ts'
import { isUserId, type Seq } from '../../protocol/ids.ts'
import type { Boundaries } from '../../protocol/ticks.ts'
import { type Context, viewerId } from '../context.ts'
import { findConversation, lastSeqOf } from './conversations.ts'

/** Returns the direct chat with a user, or with oneself; null while there is none, and for a text that is no user id. */
export function findDirectConversation(ctx: Context, userId: string): Member | null | Promise<Member | null> {
  const viewer = viewerId(ctx)
  return isUserId(userId) ? findConversation(ctx, directConversationId(viewer, userId)) : null
}

/** What was last said, or that the viewer came: when that was, as far as they may see. */
export async function lastActivityAtOf(ctx: Context, member: Member): Promise<number> {
  const activity = await ctx.loaders.activities.load(member)
  const isTheirs = activity && activity.seq >= member.joinedSeq
  return isTheirs ? activity.atMs : ctx.loaders.joinedAtMs.load(member)
}

export const deliveredSeqOf = (ctx: Context, member: Member): Promise<Seq> => seqOf(ctx, member, 'lastDeliveredSeq')

export const readSeqOf = (ctx: Context, member: Member): Promise<Seq> => seqOf(ctx, member, 'lastReadSeq')

/** A member without others waits for no boundary: everything in the log counts as read. */
async function seqOf(ctx: Context, member: Member, boundary: keyof Boundaries): Promise<Seq> {
  const others = boundariesOfOthers(member, await ctx.loaders.ticks.load(member))
  return others ? others[boundary] : lastSeqOf(ctx, member)
}
