import type { Appearance } from '../../domain/people/presence.ts'
import type { Seen } from '../../ports/soft-state.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import { isUserId } from '../../protocol/ids.ts'
import { watchedMax } from '../../protocol/limits.ts'
import { type Context, viewerId } from '../context.ts'
import type { User } from './users.ts'

const states = { online: 'ONLINE', syncing: 'SYNCING', offline: 'OFFLINE' } as const

export const stateOf = ({ presence }: Seen): 'ONLINE' | 'SYNCING' | 'OFFLINE' => states[presence]

/** Returns null while Redis does not answer, so that a list of chats does not fail because of presence. */
export async function presenceOf(ctx: Context, { id, seen }: User): Promise<Seen | null> {
  if (seen) return seen
  try {
    return (await ctx.loaders.presences.load(id)) ?? null
  } catch (error) {
    if (error instanceof ChatError && error.code === 'UNAVAILABLE') return null
    throw error
  }
}

export async function presenceChanged(
  ctx: Context,
  { userIds }: { userIds: readonly string[] },
): Promise<AsyncIterableIterator<Appearance>> {
  const userId = viewerId(ctx)
  if (userIds.length > watchedMax) throw badInput('userIds', `userIds takes at most ${watchedMax} ids.`)
  const watched = userIds.map((id, i) => {
    if (isUserId(id)) return id
    throw badInput(`userIds.${i}`, 'A user id is 1 to 128 of A-Z a-z 0-9 . _ @ | : - and no id of another kind.')
  })
  return ctx.domain.followPresence(userId, [...new Set(watched)])
}

/** Keeps the presence of the event: by the time the fields are resolved, the user may have another. */
export const watchedUser = ({ userId, seen }: Appearance): User => ({ id: userId, seen })
