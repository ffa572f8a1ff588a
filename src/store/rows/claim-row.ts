import type { Claim } from '../../ports/log.ts'
import type { ClientMessageId, UserId } from '../../protocol/ids.ts'
import type { Item, Key } from './tables.ts'

// A row has one of two forms. The full one repeats in sender_id and client_message_id what its key says; the short one leaves these columns out.
// Both are read by the key alone. Nodes of releases before SENDS_ROWS read the two columns: of a short row they know no sender, cannot move it, and
// would write its message without one. So short rows may be written only where no such node runs any more.

/** How new claims are written. With `ttlDays` of 0 they never expire. */
export type ClaimRows = { form: 'full' | 'short'; ttlDays: number }

export const claimRowsDefault: ClaimRows = { form: 'full', ttlDays: 0 }

const dayS = 24 * 60 * 60

const toSendKey = (senderId: UserId, clientMessageId: ClientMessageId): string => `${senderId}#${clientMessageId}`

export const toKey = (senderId: UserId, clientMessageId: ClientMessageId): Key<'sends'> => ({
  send_key: toSendKey(senderId, clientMessageId),
})

export const toItem = (
  claim: Claim,
  { form, ttlDays }: ClaimRows,
  nowMs: number,
): Key<'sends'> & Partial<Item<'sends'>> => ({
  send_key: toSendKey(claim.senderId, claim.clientMessageId),
  ...(form === 'full' && { sender_id: claim.senderId, client_message_id: claim.clientMessageId }),
  conversation_id: claim.conversationId,
  seq: claim.seq,
  payload_hash: claim.payloadHash,
  ...(ttlDays > 0 && { expires_at_s: Math.ceil(nowMs / 1000) + ttlDays * dayS }),
})

export function toClaim(item: Item<'sends'>): Claim {
  // A user id holds no '#', and the client id of a group begins with one: the first '#' is where the key was put together.
  const end = item.send_key.indexOf('#')
  return {
    senderId: item.send_key.slice(0, end) as UserId,
    clientMessageId: item.send_key.slice(end + 1) as ClientMessageId,
    conversationId: item.conversation_id,
    seq: item.seq,
    payloadHash: item.payload_hash,
  }
}
