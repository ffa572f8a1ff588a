export type Tick = 'SENT' | 'DELIVERED' | 'READ'

/** A message is as far as the slowest of the other members. A user alone in a chat waits for no other member. */
export function tickOf(seq: number, others: readonly { lastDeliveredSeq: number; lastReadSeq: number }[]): Tick {
  if (others.every((other) => seq <= other.lastReadSeq)) return 'READ'
  if (others.every((other) => seq <= other.lastDeliveredSeq)) return 'DELIVERED'
  return 'SENT'
}
