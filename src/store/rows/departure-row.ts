import type { Departure } from '../../ports/people.ts'
import type { Key } from './tables.ts'

export const toKey = ({ userId, groupId }: Pick<Departure, 'userId' | 'groupId'>): Key<'blocks'> => ({
  user_id: userId,
  blocked_id: groupId,
})
