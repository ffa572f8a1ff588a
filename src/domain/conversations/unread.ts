import type { Ports } from '../../ports/ports.ts'
import type { Seq } from '../../protocol/ids.ts'
import { unreadMax } from '../../protocol/limits.ts'
import { createSeqRanges } from '../log/seq-ranges.ts'
import type { Member } from './access.ts'

// Counts up to `unreadMax` messages of others above what was read, where these may be far up in the log. A user who only sends has never read
// anything, and their own messages do not count: so the ranges without a message of others are remembered, and read only once.

/** `readSeq` is the read boundary. `lastSeq` is that of the last entry. */
export type UnreadRequest = { member: Member; readSeq: Seq; lastSeq: Seq }

const lookedAtMax = 10_000
const logsMax = 10_000

export function createCountUnread({ messages }: Pick<Ports, 'messages'>) {
  const free = createSeqRanges(logsMax)

  return async function countUnread({ member, readSeq, lastSeq }: UnreadRequest): Promise<number> {
    const { userId, conversation } = member
    const key = `${conversation.id} ${userId}`
    let counted = 0
    let limit = unreadMax
    for (let at = readSeq; counted < unreadMax && at < lastSeq; ) {
      const passed = free.at(key, at + 1)
      if (passed) {
        at = passed.to
        continue
      }
      const before = Math.min(free.nextAbove(key, at) ?? lastSeq + 1, lastSeq + 1)
      const found = await messages.ofOthers(conversation.id, { after: at, before }, userId, limit)
      counted += found.seqs.length
      if (found.whole) noteBetween(key, at, found.seqs, found.upTo)
      at = found.upTo
      // The steps grow, as there seems to be little to find.
      limit = Math.min(2 * limit, lookedAtMax)
    }
    return Math.min(counted, unreadMax)
  }

  function noteBetween(key: string, after: Seq, seqs: readonly Seq[], upTo: Seq): void {
    let from = after + 1
    for (const seq of [...seqs, upTo + 1]) {
      free.note(key, from, seq - 1)
      from = seq + 1
    }
  }
}
