import type { LogEntry, Message } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Member } from '../conversations/access.ts'
import type { Pushes } from '../push/push.ts'
import type { Acknowledge } from './acknowledge.ts'

// This is the second step of a send, see send.ts. The message is stored: publish it to every member, and write a pending row for each member
// without a session.
//
// The entry is published a second time to close a gap. A receiver may attach between the first publish (it is not subscribed yet, and has no
// session) and the pending row (which was not there yet when it read the index). It subscribes before it reads, so it gets the second
// publish; one that subscribes later still finds the row.
//
// A receiver without a session may ack by a plain request before the row is there. Either the ack sees that there may be a row and removes
// it, or the second publish sees the ack, and the row is removed here.
//
// An earlier attempt of the same send may have died between a row and the second publish, which notes that there is one. A retry notes it
// for every receiver who gets no row from the retry itself, so that no row outlives the ack of its receiver.
//
// The sender gets no pending row: publishing has cleared the mark that vouches for the sender's index, so that the sender's next attach
// compares all conversations with the log. That keeps a send at two writes.
//
// A change gets no pending row: a user who was away asks for the changes after what their device holds.
//
// An entry of a group is published once, to the group's channel, and there are no pending rows: the cost of a send does not grow with the
// group. A user who comes back compares the counter of each of their groups with what they have.
//
// Users who are away are notified by push, which no send waits for. In a group, the worker that takes the job finds out who is away.

export type Deliver = ReturnType<typeof createDeliver>

type Needs = Pick<Ports, 'events' | 'pending' | 'boundaries'> & {
  pushes: Pushes
} & Pick<Acknowledge, 'notePending' | 'forgetPending'>

export function createDeliver({ events, pending, boundaries, pushes, notePending, forgetPending }: Needs) {
  return async function deliver(
    { conversation }: Member,
    entry: LogEntry,
    { duplicate, silent = false }: { duplicate: boolean; silent?: boolean },
  ): Promise<void> {
    const { conversationId, seq, senderId } = entry
    if (conversation.kind === 'GROUP') {
      if (entry.kind === 'message' && !silent) pushes.sent(entry)
      return events.publishGroupEntry(entry)
    }
    const { absent: unattached } = await events.publishEntry({ entry, members: conversation.members })
    if (entry.kind !== 'message') return
    const absent = unattached.filter((userId) => userId !== senderId)
    const waiting = duplicate ? await stillWaiting(absent, entry) : absent
    if (duplicate) {
      const others = conversation.members.filter((userId) => userId !== senderId && !waiting.includes(userId))
      await Promise.all(others.map((userId) => notePending({ userId, conversationId }, seq)))
    }
    if (waiting.length === 0) return
    if (!silent) pushes.sent(entry)
    await Promise.all(waiting.map((userId) => pending.lower(userId, conversationId, seq)))
    const { overtaken } = await events.publishEntry({ entry, members: waiting, pendingWritten: waiting })
    await Promise.all(overtaken.map(({ userId, delivered }) => forgetPending({ userId, conversationId }, delivered)))
  }

  /** Leaves out members who have the message already: a retry may come long after it was delivered. */
  async function stillWaiting(userIds: readonly UserId[], { conversationId, seq }: Message): Promise<UserId[]> {
    if (userIds.length === 0) return []
    const all = await boundaries.getMany(userIds.map((userId) => ({ userId, conversationId })))
    return all.filter((each) => each.lastDeliveredSeq < seq).map((each) => each.userId)
  }
}
