import type { Tail } from '../domain/conversations/chats.ts'
import type { ConversationId, Seq } from '../protocol/ids.ts'
import type { MemberBoundaries } from '../protocol/ticks.ts'

/**
 * Makes one answer show no boundary above the lastSeq of its conversation (P5), without a read of its own. The two are read by different
 * calls, and what is written in between may be in one of them and not in the other:
 *
 * | the tail of the log | the boundaries | shown |
 * |---|---|---|
 * | was asked for before they were there | come later or earlier | at most up to the lastSeq of that tail. It is waited for, as the answer needs it too |
 * | is asked for when they are there | were read before it began | as they are. Every boundary is at an entry of the log, so the tail has it |
 * | is there before it is asked for: it came with a list | were there before it came | as they are, and lastSeq is lifted to them: the log is at least that long |
 *
 * What a later answer shows is never lower: its tail is read after this answer, and has every entry that a boundary was shown at.
 */
export class ShownSeqs {
  /** The tails that this answer shows or is about to show. */
  readonly tails = new Map<ConversationId, Promise<Tail>>()
  readonly #highestBoundaries = new Map<ConversationId, Seq>()

  async withinLog(boundaries: MemberBoundaries[]): Promise<MemberBoundaries[]> {
    const conversationId = boundaries[0]?.conversationId
    if (!conversationId) return boundaries
    const asked = this.tails.get(conversationId)
    // No turn passes between this look and the note below, unless the tail is known.
    const tail = asked && (await asked.catch(() => undefined))
    // A tail that cannot be read limits nothing: the field that shows it fails.
    const lastSeq = tail ? this.lastSeq(conversationId, tail) : Number.POSITIVE_INFINITY
    // Read is never above delivered.
    const highest = boundaries.reduce((seq, { lastDeliveredSeq }) => Math.max(seq, lastDeliveredSeq), 0)
    if (highest > lastSeq) return boundaries.map((each) => atMost(lastSeq, each))
    this.#highestBoundaries.set(conversationId, Math.max(highest, this.#highestBoundaries.get(conversationId) ?? 0))
    return boundaries
  }

  lastSeq(conversationId: ConversationId, { lastSeq }: Tail): Seq {
    return Math.max(lastSeq, this.#highestBoundaries.get(conversationId) ?? 0)
  }
}

const atMost = (seq: Seq, boundaries: MemberBoundaries): MemberBoundaries => ({
  ...boundaries,
  lastDeliveredSeq: Math.min(boundaries.lastDeliveredSeq, seq),
  lastReadSeq: Math.min(boundaries.lastReadSeq, seq),
})
