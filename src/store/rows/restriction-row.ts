import type { Ban, Restriction, Revocation } from '../../ports/restrictions.ts'
import type { UserId } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import type { Item, Key } from './tables.ts'

/** No user id holds a '#', so no two users share a key. */
export const banKey = (userId: UserId): Key<'restrictions'> => ({
  list_name: 'all',
  restriction_key: `${userId}#ban`,
})
export const revocationKey = (userId: UserId): Key<'restrictions'> => ({
  list_name: 'all',
  restriction_key: `${userId}#tokens`,
})
export const versionKey: Key<'restrictions'> = { list_name: 'version', restriction_key: 'version' }

export const keyOf = ({ kind, userId }: Restriction): Key<'restrictions'> =>
  kind === 'ban' ? banKey(userId) : revocationKey(userId)

export const banItem = ({ userId, untilMs }: Ban) => ({
  ...banKey(userId),
  user_id: userId,
  ...(untilMs !== undefined && { banned_until: toTimeText(untilMs), expires_at_s: Math.ceil(untilMs / 1000) }),
})

export const revocationItem = ({ userId, issuedBeforeMs }: Revocation) => ({
  ...revocationKey(userId),
  user_id: userId,
  issued_before: toTimeText(issuedBeforeMs),
})

export function toRestriction({ user_id, banned_until, issued_before }: Item<'restrictions'>): Restriction {
  const userId = user_id as UserId
  if (issued_before !== undefined) return { kind: 'revocation', userId, issuedBeforeMs: Date.parse(issued_before) }
  return { kind: 'ban', userId, ...(banned_until !== undefined && { untilMs: Date.parse(banned_until) }) }
}
