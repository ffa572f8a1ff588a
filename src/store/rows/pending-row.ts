import type { Pending } from '../../ports/delivery.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

export const toKey = (receiverId: UserId, conversationId: ConversationId): Key<'pending_deliveries'> => ({
  receiver_id: receiverId,
  conversation_id: conversationId,
})

export const toPending = (item: Item<'pending_deliveries'>): Pending => ({
  conversationId: item.conversation_id,
  firstUndeliveredSeq: item.first_undelivered_seq,
})
