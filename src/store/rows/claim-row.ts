import type { Claim } from '../../ports/log.ts'
import type { ClientMessageId, UserId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

export const toSendKey = (senderId: UserId, clientMessageId: ClientMessageId): string =>
  `${senderId}#${clientMessageId}`

export const toKey = (senderId: UserId, clientMessageId: ClientMessageId): Key<'sends'> => ({
  send_key: toSendKey(senderId, clientMessageId),
})

export const toItem = (claim: Claim): Item<'sends'> => ({
  send_key: toSendKey(claim.senderId, claim.clientMessageId),
  sender_id: claim.senderId,
  client_message_id: claim.clientMessageId,
  conversation_id: claim.conversationId,
  seq: claim.seq,
  payload_hash: claim.payloadHash,
})

export const toClaim = (item: Item<'sends'>): Claim => ({
  senderId: item.sender_id,
  clientMessageId: item.client_message_id,
  conversationId: item.conversation_id,
  seq: item.seq,
  payloadHash: item.payload_hash,
})
