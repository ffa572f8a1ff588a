import type { Seen } from '../../ports/soft-state.ts'
import { isUserId, type UserId } from '../../protocol/ids.ts'
import { type Context, viewerId } from '../context.ts'

/**
 * `seen` is there if the presence that the viewer sees is known already. `mayBeStranger` is there if it was not checked whether the viewer
 * may see this user: that is checked before anything but the id is shown.
 */
export type User = { id: UserId; seen?: Seen; mayBeStranger?: true }

export const viewer = (ctx: Context): User => ({ id: viewerId(ctx) })

/** People see themselves and those they share a conversation with. */
export async function findUser(ctx: Context, id: string): Promise<User | null> {
  const userId = viewerId(ctx)
  if (!isUserId(id)) return null
  return id === userId || (await ctx.loaders.acquainted.load(id)) ? { id } : null
}

/** Returns the name that the user chose, or else the one of a token. The viewer's own token is newer than the stored one. */
export async function nameOf(ctx: Context, user: User): Promise<string | undefined> {
  if (user.mayBeStranger && (await isStranger(ctx, user))) return undefined
  const { id } = user
  const { ownName, name } = await ctx.loaders.profiles.load(id)
  return ownName ?? (id === ctx.viewer?.userId ? ctx.viewer.name : undefined) ?? name
}

export async function avatarUrlOf(ctx: Context, user: User): Promise<string | undefined> {
  if (user.mayBeStranger && (await isStranger(ctx, user))) return undefined
  return (await ctx.loaders.profiles.load(user.id)).avatarUrl
}

export async function userMetadataOf(ctx: Context, user: User): Promise<string | undefined> {
  if (user.mayBeStranger && (await isStranger(ctx, user))) return undefined
  return (await ctx.loaders.profiles.load(user.id)).metadata
}

/** Returns whether all viewers may be shown the same of this user. Of a user who may be a stranger, some viewers are shown less. */
export const isKnown = ({ mayBeStranger }: User): boolean => !mayBeStranger

const isStranger = async (ctx: Context, { id }: User): Promise<boolean> =>
  id !== ctx.viewer?.userId && !(await ctx.loaders.acquainted.load(id))

/** Fields that are not given stay; null removes one. */
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
