import { badInput, ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { AdminContext } from './context.ts'
import { userIdOf } from './inputs.ts'
import { type AdminUser, userNow } from './users.ts'

type Answer = Promise<{ user: AdminUser }>

/** The clock of a backend may be ahead of this node's by so much. */
const clockDriftMaxMs = 60_000

export async function banUser(
  ctx: AdminContext,
  { userId, until }: { userId: string; until?: Date | null | undefined },
): Answer {
  const id = userIdOf('userId', userId)
  if (id === ctx.serviceId) throw badInput('userId', 'A service cannot ban itself: it could not take that back.')
  const untilMs = until?.getTime()
  if (untilMs !== undefined && untilMs <= ctx.nowMs()) throw badInput('until', 'until must be in the future.')
  await assertNotErased(ctx, id)
  await ctx.domain.restrictions.ban(id, untilMs)
  return answerOf(ctx, id)
}

export async function unbanUser(ctx: AdminContext, { userId }: { userId: string }): Answer {
  const id = userIdOf('userId', userId)
  await assertNotErased(ctx, id)
  await ctx.domain.restrictions.unban(id)
  return answerOf(ctx, id)
}

export async function revokeTokens(
  ctx: AdminContext,
  { userId, issuedBefore }: { userId: string; issuedBefore: Date },
): Answer {
  const id = userIdOf('userId', userId)
  const issuedBeforeMs = issuedBefore.getTime()
  // A revocation cannot be taken back. One in the future would refuse the user until then, however often they sign in.
  if (issuedBeforeMs > ctx.nowMs() + clockDriftMaxMs) {
    throw badInput('issuedBefore', 'issuedBefore must not be in the future.')
  }
  await ctx.domain.restrictions.revokeTokens(id, issuedBeforeMs)
  return answerOf(ctx, id)
}

const answerOf = async (ctx: AdminContext, userId: UserId) => ({ user: await userNow(ctx, userId) })

/** An erased user is refused for good, because their entries have lost what tells a retry from a new message. */
async function assertNotErased(ctx: AdminContext, userId: UserId): Promise<void> {
  const erased = await ctx.domain.people.erasedAmong([userId])
  if (erased.has(userId)) throw new ChatError('FORBIDDEN', 'This user was erased, and is refused for good.')
}
