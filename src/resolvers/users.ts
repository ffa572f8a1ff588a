import type { Seen } from '../ports/soft-state.ts'
import { isUserId, type UserId } from '../protocol/ids.ts'
import { type Context, viewerId } from './context.ts'

/** `seen`: where it is known already how they appear to the viewer. */
export type User = { id: UserId; seen?: Seen }

export const viewer = (ctx: Context): User => ({ id: viewerId(ctx) })

/** People see themselves and those they share a conversation with. */
export async function findUser(ctx: Context, id: string): Promise<User | null> {
  const userId = viewerId(ctx)
  if (!isUserId(id)) return null
  return id === userId || (await ctx.loaders.acquainted.load(id)) ? { id } : null
}

/** Their own choice; of the viewer's names from tokens, the one at hand is newer than what is stored. */
export async function nameOf(ctx: Context, { id }: User): Promise<string | undefined> {
  const { ownName, name } = await ctx.loaders.profiles.load(id)
  return ownName ?? (id === ctx.viewer?.userId ? ctx.viewer.name : undefined) ?? name
}

export const avatarUrlOf = async (ctx: Context, { id }: User): Promise<string | undefined> =>
  (await ctx.loaders.profiles.load(id)).avatarUrl

/** What is not given stays; null takes it away. */
export async function updateProfile(
  ctx: Context,
  { name, avatarUrl }: { name?: string | null | undefined; avatarUrl?: string | null | undefined },
): Promise<{ user: User }> {
  const id = viewerId(ctx)
  await ctx.domain.people.change(id, {
    ...(name !== undefined && { ownName: name }),
    ...(avatarUrl !== undefined && { avatarUrl }),
  })
  return { user: { id } }
}
