import type { Profile, ProfileChange } from '../../ports/people.ts'
import { badInput } from '../../protocol/errors.ts'
import { isUserId, type UserId } from '../../protocol/ids.ts'
import { upsertedUsersMax } from '../../protocol/limits.ts'
import type { AdminContext } from './context.ts'
import { metadataOf, userIdOf } from './inputs.ts'

/** `metadata` is the text of a JSON object. */
export type AdminUser = {
  id: string
  name?: string
  avatarUrl?: string
  metadata?: string
  banned: boolean
  bannedUntilMs?: number
  erasedAtMs?: number
  lastSeenAtMs?: number
}
export type UserWish = {
  id: string
  name?: string | null | undefined
  avatarUrl?: string | null | undefined
  metadata?: unknown
}

const writtenAtATime = 25

export async function findUser(ctx: AdminContext, id: string): Promise<AdminUser | null> {
  if (!isUserId(id)) return null
  const [profile] = await ctx.domain.people.stored([id])
  if (profile) return userOf(ctx, profile)
  // A user whose token never had a name has no profile. Their conversations and sessions tell that they were here.
  const [{ lastSeenAtMs, presence } = { presence: 'offline' }] = await ctx.domain.seen([id])
  const wasHere = presence !== 'offline' || lastSeenAtMs !== undefined || (await ctx.domain.access.isInAny(id))
  const user = await userOf(ctx, { userId: id })
  return wasHere || user.banned ? user : null
}

/** Everything is checked before anything is written. */
export async function upsertUsers(
  ctx: AdminContext,
  { users }: { users: readonly UserWish[] },
): Promise<{ users: AdminUser[] }> {
  if (users.length === 0 || users.length > upsertedUsersMax) {
    throw badInput('users', `users must be 1 to ${upsertedUsersMax}.`)
  }
  const wishes = users.map((user, i) => wishOf(ctx, user, `users.${i}.`))
  if (new Set(wishes.map(({ userId }) => userId)).size < wishes.length) {
    throw badInput('users', 'users must be different users.')
  }
  const profiles: Profile[] = []
  for (let i = 0; i < wishes.length; i += writtenAtATime) {
    const some = wishes.slice(i, i + writtenAtATime)
    profiles.push(...(await Promise.all(some.map(({ userId, change }) => ctx.domain.people.upsert(userId, change)))))
  }
  return { users: await usersOf(ctx, profiles) }
}

function wishOf(ctx: AdminContext, { id, name, avatarUrl, metadata }: UserWish, at: string) {
  const userId = userIdOf(`${at}id`, id)
  const text = metadataOf(metadata, at)
  const change: ProfileChange = {
    ...(name !== undefined && { ownName: name }),
    ...(avatarUrl !== undefined && { avatarUrl }),
    ...(text !== undefined && { metadata: text }),
  }
  ctx.domain.people.assertGood(change, at)
  return { userId, change }
}

/** Returns the user after something about them was changed. */
export async function userNow(ctx: AdminContext, userId: UserId): Promise<AdminUser> {
  const [profile] = await ctx.domain.people.stored([userId])
  return userOf(ctx, profile ?? { userId })
}

async function userOf(ctx: AdminContext, profile: Profile): Promise<AdminUser> {
  const [user] = await usersOf(ctx, [profile])
  return user as AdminUser
}

async function usersOf(ctx: AdminContext, profiles: readonly Profile[]): Promise<AdminUser[]> {
  const userIds = profiles.map(({ userId }) => userId)
  const [seen, standing] = await Promise.all([ctx.domain.seen(userIds), ctx.domain.restrictions.of(userIds)])
  return profiles.map(({ userId, name, ownName, avatarUrl, metadata, erasedAtMs }, i) => {
    const shown = ownName ?? name
    const { lastSeenAtMs } = seen[i] ?? {}
    const { bannedUntilMs = 0 } = standing[i] ?? {}
    const banned = ctx.nowMs() < bannedUntilMs
    return {
      id: userId,
      banned,
      ...(banned && Number.isFinite(bannedUntilMs) && { bannedUntilMs }),
      ...(shown !== undefined && { name: shown }),
      ...(avatarUrl !== undefined && { avatarUrl }),
      ...(metadata !== undefined && { metadata }),
      ...(lastSeenAtMs !== undefined && { lastSeenAtMs }),
      ...(erasedAtMs !== undefined && { erasedAtMs }),
    }
  })
}
