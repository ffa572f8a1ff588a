import type { LogEntry, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Member } from '../conversations/access.ts'
import type { Pushes } from '../push/push.ts'
import type { Acknowledge } from './acknowledge.ts'

// Step 4 of a send, after the message is stored: ring everybody, and note it down for whoever nobody is attached for.
//
// The second ring closes a gap. A receiver may attach between the first ring (not heard yet, not counted as attached) and
// the pending row (not seen yet when the index was read). Having subscribed before reading, it hears the second ring; one
// that subscribes later still finds the row.
//
// A receiver nobody is attached for may ack by a plain request before the row is there. Either the ack sees that there may be a row and
// removes it, or the second ring sees the ack, and the row is removed here.
//
// The sender gets no pending row: ringing has dropped the mark that vouches for the sender's index, so that the sender's
// next attach compares all conversations with the log. That keeps a send at two writes.
//
// A change gets no pending row: whoever was away asks for the changes after what their device holds.
//
// A group is rung for as a whole, in one publish, and nobody in it gets a pending row: what it costs to send does not grow with the
// group. Whoever comes back compares the counter of each of their groups with what they have.

// Whoever is away is told by push, which nobody waits for. Who that is in a group is found out by whoever takes the job.

export type Deliver = ReturnType<typeof createDeliver>

type Needs = Pick<Ports, 'events' | 'pending' | 'boundaries'> & {
  pushes: Pushes
  forgetPending: Acknowledge['forgetPending']
}

export function createDeliver({ events, pending, boundaries, pushes, forgetPending }: Needs) {
  return async function deliver(
    { conversation }: Member,
    entry: LogEntry,
    { duplicate }: { duplicate: boolean },
  ): Promise<void> {
    const { conversationId, seq, senderId } = entry
    if (conversation.kind === 'GROUP') {
      if (entry.kind === 'message') pushes.sent(entry)
      return events.ringGroup(entry)
    }
    const { absent: unattached } = await events.ring({ entry, members: conversation.members })
    if (entry.kind !== 'message') return
    const absent = unattached.filter((userId) => userId !== senderId)
    const waiting = duplicate ? await stillWaiting(absent, entry) : absent
    if (waiting.length === 0) return
    pushes.sent(entry)
    await Promise.all(waiting.map((userId) => pending.lower(userId, conversationId, seq)))
    const { overtaken } = await events.ring({ entry, members: waiting, pendingWritten: waiting })
    await Promise.all(overtaken.map(({ userId, delivered }) => forgetPending({ userId, conversationId }, delivered)))
  }

  /** A retry may come long after its message was delivered. */
  async function stillWaiting(userIds: readonly UserId[], { conversationId, seq }: Message): Promise<UserId[]> {
    if (userIds.length === 0) return []
    const ticks = await boundaries.getMany(userIds.map((userId) => ({ userId, conversationId })))
    return ticks.filter((each) => each.lastDeliveredSeq < seq).map((each) => each.userId)
  }
}
