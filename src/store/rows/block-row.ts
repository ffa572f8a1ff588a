import type { Block } from '../../ports/people.ts'
import type { Item, Key } from './tables.ts'

export const isBlock = ({ left_at_ms }: Item<'blocks'>): boolean => left_at_ms === undefined

export const toKey = ({ userId, blockedId }: Block): Key<'blocks'> => ({ user_id: userId, blocked_id: blockedId })
