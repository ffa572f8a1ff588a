import { isUserId, type UserId } from '../protocol/ids.ts'
import { type Context, viewerId } from './context.ts'

export type User = { id: UserId }

export const viewer = (ctx: Context): User => ({ id: viewerId(ctx) })

/** People see themselves and those they share a conversation with. */
export async function findUser(ctx: Context, id: string): Promise<User | null> {
  const userId = viewerId(ctx)
  if (!isUserId(id)) return null
  return id === userId || (await ctx.domain.access.acquainted(userId, id)) ? { id } : null
}
