import { badInput } from '../../protocol/errors.ts'
import { isUserId } from '../../protocol/ids.ts'
import { type Context, viewerId } from '../context.ts'
import type { User } from './users.ts'

export const isBlockedByViewer = async (ctx: Context, { id }: User): Promise<boolean> =>
  id !== ctx.viewer?.userId && (await ctx.loaders.blocked.load(id))

export type Blocked = { userId: string; blocked: boolean }

export async function setBlocked(ctx: Context, { userId, blocked }: Blocked): Promise<Blocked> {
  const viewer = viewerId(ctx)
  if (!isUserId(userId))
    throw badInput('userId', 'userId must be 1 to 128 of A-Z a-z 0-9 . _ @ | : - and no id of another kind.')
  if (userId === viewer) throw badInput('userId', 'Nobody can block themselves.')
  await ctx.domain.setBlocked(viewer, userId, blocked)
  return { userId, blocked }
}
