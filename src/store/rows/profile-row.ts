import type { Profile } from '../../ports/people.ts'
import type { Item } from './tables.ts'

export const toProfile = ({
  user_id: userId,
  name,
  own_name: ownName,
  avatar_url: avatarUrl,
}: Item<'users'>): Profile => ({
  userId,
  ...(name !== undefined && { name }),
  ...(ownName !== undefined && { ownName }),
  ...(avatarUrl !== undefined && { avatarUrl }),
})
