import type { Profile, ProfileChange } from '../../ports/people.ts'
import { fromTimeText, toTimeText } from '../../protocol/time-text.ts'
import type { Item } from './tables.ts'

export const toProfile = ({
  user_id: userId,
  name,
  own_name: ownName,
  avatar_url: avatarUrl,
  metadata,
  erased_at: erasedAt,
}: Item<'users'>): Profile => ({
  userId,
  ...(name !== undefined && { name }),
  ...(ownName !== undefined && { ownName }),
  ...(avatarUrl !== undefined && { avatarUrl }),
  ...(metadata !== undefined && { metadata }),
  ...(erasedAt !== undefined && { erasedAtMs: fromTimeText(erasedAt) }),
})

/** The columns of a user who is erased. */
export const erasedColumns = (atMs: number): Partial<Item<'users'>> => ({
  name: undefined,
  own_name: undefined,
  avatar_url: undefined,
  metadata: undefined,
  erased_at: toTimeText(atMs),
})

/** The columns of a change; undefined takes one away. */
export const toColumns = ({ ownName, avatarUrl, metadata }: ProfileChange): Partial<Item<'users'>> => ({
  ...(ownName !== undefined && { own_name: ownName ?? undefined }),
  ...(avatarUrl !== undefined && { avatar_url: avatarUrl ?? undefined }),
  ...(metadata !== undefined && { metadata: metadata ?? undefined }),
})
