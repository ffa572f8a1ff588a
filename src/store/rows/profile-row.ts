import type { Profile, ProfileChange } from '../../ports/people.ts'
import type { Item } from './tables.ts'

export const toProfile = ({
  user_id: userId,
  name,
  own_name: ownName,
  avatar_url: avatarUrl,
  metadata,
}: Item<'users'>): Profile => ({
  userId,
  ...(name !== undefined && { name }),
  ...(ownName !== undefined && { ownName }),
  ...(avatarUrl !== undefined && { avatarUrl }),
  ...(metadata !== undefined && { metadata }),
})

/** The columns of a change; undefined takes one away. */
export const toColumns = ({ ownName, avatarUrl, metadata }: ProfileChange): Partial<Item<'users'>> => ({
  ...(ownName !== undefined && { own_name: ownName ?? undefined }),
  ...(avatarUrl !== undefined && { avatar_url: avatarUrl ?? undefined }),
  ...(metadata !== undefined && { metadata: metadata ?? undefined }),
})
