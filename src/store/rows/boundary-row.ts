import type { MemberAddress } from '../../ports/delivery.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'
import type { Item, Key } from './tables.ts'

export const toKey = ({ userId, conversationId }: MemberAddress): Key<'message_status'> => ({
  user_id: userId,
  conversation_id: conversationId,
})

export const toBoundaries = (item: Key<'message_status'> & Partial<Item<'message_status'>>): MemberBoundaries => ({
  userId: item.user_id,
  conversationId: item.conversation_id,
  lastDeliveredSeq: item.last_delivered_seq ?? 0,
  lastReadSeq: item.last_read_seq ?? 0,
})
