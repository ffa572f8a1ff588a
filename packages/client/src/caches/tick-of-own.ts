import type { Tick } from '../protocol/tick.ts'

const order: readonly Tick[] = ['SENT', 'DELIVERED', 'READ']

/** How far the others have got in a conversation, as `Conversation` shows it; undefined while it is not loaded. */
export type OthersBoundaries = { deliveredSeq: number | undefined; readSeq: number | undefined }

/** The tick of one of the viewer's own messages: what the server said with the message, or more if the others have got further since. */
export function tickOfOwn(seq: number, said: Tick, { deliveredSeq = 0, readSeq = 0 }: OthersBoundaries): Tick {
  const now = seq <= readSeq ? 'READ' : seq <= deliveredSeq ? 'DELIVERED' : 'SENT'
  return order.indexOf(now) > order.indexOf(said) ? now : said
}
