import type { Membership, Settings, SettingsChange } from '../../ports/conversations.ts'
import type { MemberAddress } from '../../ports/delivery.ts'
import type { Item, Key } from './tables.ts'

export const toKey = ({ userId, conversationId }: MemberAddress): Key<'memberships'> => ({
  user_id: userId,
  conversation_id: conversationId,
})

export function toMembership(item: Item<'memberships'>): Membership {
  const { conversation_id: conversationId, joined_seq: joinedSeq } = item
  const settings = toSettings(item)
  return settings ? { conversationId, joinedSeq, settings } : { conversationId, joinedSeq }
}

export function toSettings({ muted_until, pinned, archived }: Item<'memberships'>): Settings | undefined {
  if (muted_until === undefined && pinned !== 1 && archived !== 1) return undefined
  return {
    ...(muted_until !== undefined && { mutedUntilMs: Date.parse(muted_until) }),
    pinned: pinned === 1,
    archived: archived === 1,
  }
}

export const toColumns = ({ mutedUntilMs, pinned, archived }: SettingsChange): Partial<Item<'memberships'>> => ({
  ...(mutedUntilMs !== undefined && {
    muted_until: mutedUntilMs === null ? undefined : new Date(mutedUntilMs).toISOString(),
  }),
  ...(pinned !== undefined && { pinned: pinned ? 1 : 0 }),
  ...(archived !== undefined && { archived: archived ? 1 : 0 }),
})
