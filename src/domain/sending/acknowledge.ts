import type { BoundaryChange, MemberAddress } from '../../ports/delivery.ts'
import type { Ports } from '../../ports/ports.ts'
import { type DeviceId, isGroupId, type Seq } from '../../protocol/ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'
import type { Member } from '../conversations/access.ts'
import type { HighestSeqs } from '../log/highest-seqs.ts'
import type { Log } from '../log/log.ts'
import type { Pushes } from '../push/push.ts'
import type { KeptPositions } from '../streams/kept-positions.ts'
import type { PublishBoundaries } from './publish-boundaries.ts'

// Raises a member's own boundaries and never lowers them (P5), with one conditional write in DynamoDB each. Redis caches them, never above
// the truth, so that a send can tell without a read of DynamoDB whether it is also a reply to something.

export type Acknowledge = ReturnType<typeof createAcknowledge>

type Needs = Pick<Ports, 'boundaries' | 'boundaryCache' | 'pending'> & {
  publishBoundaries: PublishBoundaries
  log: Log
  highestSeqs: HighestSeqs
  pushes: Pushes
  keptPositions: KeptPositions
}

export function createAcknowledge({
  boundaries,
  boundaryCache,
  pending,
  publishBoundaries,
  log,
  highestSeqs,
  pushes,
  keptPositions,
}: Needs) {
  /** The member's device has everything up to `seq`. */
  const ack = (member: Member, seq: Seq, deviceId?: DeviceId): Promise<MemberBoundaries> =>
    move(member, { seq, deviceId, ofRead: false }, (address) => boundaries.deliver(address, seq))

  /** The member has read everything up to `seq`. */
  const markRead = (member: Member, seq: Seq, deviceId?: DeviceId): Promise<MemberBoundaries> =>
    move(member, { seq, deviceId, ofRead: true }, async (address) => {
      const cached = await boundaryCache.get(address)
      const change = await boundaries.read(address, seq, cached?.lastDeliveredSeq)
      pushes.read(address)
      return change
    })

  async function move(
    member: Member,
    { seq, deviceId, ofRead }: { seq: Seq; deviceId: DeviceId | undefined; ofRead: boolean },
    write: (address: MemberAddress) => Promise<BoundaryChange>,
  ): Promise<MemberBoundaries> {
    const address = addressOf(member)
    await highestSeqs.assertInRange(address.conversationId, seq)
    const { raised, pendingVersion } = await publishBoundaries.orTellLater(member, async () => {
      const change = await write(address)
      // It is published also where nothing changed: an earlier attempt may have died between the write and here.
      const { pendingVersion } = await publishBoundaries.publish(member, change, { ofRead })
      return { raised: change.boundaries, pendingVersion }
    })
    // There are no pending rows in a group.
    if (pendingVersion !== 0 && !isGroupId(address.conversationId))
      await forgetPending(address, raised.lastDeliveredSeq)
    // It comes last. If this call dies before it, the device gets the entry again and acks it again, which repeats all of the above.
    if (deviceId) await keptPositions.raise({ userId: address.userId, deviceId }, address.conversationId, seq)
    return raised
  }

  /**
   * Writes a pending row, and notes in the boundary cache that there is one: an ack may come by a plain request, and looks for the row only
   * where the cache says so. An ack that came before the note has not looked: then the row is removed here.
   */
  async function addPending(address: MemberAddress, firstUndeliveredSeq: Seq): Promise<void> {
    await pending.lower(address.userId, address.conversationId, firstUndeliveredSeq)
    await notePending(address, firstUndeliveredSeq)
  }

  async function notePending(address: MemberAddress, firstUndeliveredSeq: Seq): Promise<void> {
    const delivered = await boundaryCache.notePending(address)
    if (delivered >= firstUndeliveredSeq) await forgetPending(address, delivered)
  }

  /** Removes a pending row that may exist. If this fails, the next ack finds the cache as it was and tries again. */
  async function forgetPending(address: MemberAddress, delivered: Seq): Promise<void> {
    const { lastReadSeq, pendingVersion } = await boundaryCache.open(address)
    const isGone = await advancePending(address, delivered)
    if (isGone) await boundaryCache.lift(address, { lastDeliveredSeq: delivered, lastReadSeq }, pendingVersion)
  }

  /**
   * Raises the pending row above what is delivered, or removes it. Returns whether there is none any more. A send between the look and the
   * removal finds the old, lower row and adds nothing, so this looks again after the removal.
   */
  async function advancePending(address: MemberAddress, delivered: Seq): Promise<boolean> {
    const { userId, conversationId } = address
    const row = await pending.get(userId, conversationId)
    if (!row) return true
    if (row.firstUndeliveredSeq > delivered) return false
    const next = await log.firstMessage(conversationId, delivered)
    if (next) {
      await pending.raise(userId, conversationId, next.seq)
      return false
    }
    await pending.remove(userId, conversationId, delivered)
    const late = await log.firstMessage(conversationId, delivered)
    if (late) await addPending(address, late.seq)
    return !late
  }

  /** Returns what the sender's devices had when they sent. A reply marks that as read, and nothing that was still on its way to them. */
  async function deliveredSoFar(member: Member): Promise<Seq> {
    const address = addressOf(member)
    const cached = await boundaryCache.get(address)
    if (cached) return unread(cached)
    const [own] = await boundaries.getMany([address])
    if (!own) return 0
    await boundaryCache.lift(address, own)
    return unread(own)
  }

  async function readByReply(member: Member, delivered: Seq): Promise<void> {
    if (delivered === 0) return
    const address = addressOf(member)
    await publishBoundaries.orTellLater(member, async () => {
      const change = await boundaries.read(address, delivered, delivered)
      pushes.read(address)
      await publishBoundaries.publishSoon(member, change)
    })
  }

  /** Returns the boundaries of every member of each conversation, in the order of the members. */
  async function boundariesOfMembers(asked: readonly Member[]): Promise<MemberBoundaries[][]> {
    const all = await boundaries.getMany(
      asked.flatMap(({ conversation }) =>
        conversation.members.map((userId) => ({ userId, conversationId: conversation.id })),
      ),
    )
    let taken = 0
    return asked.map(({ conversation }) => {
      const ofOne = all.slice(taken, taken + conversation.members.length)
      taken += conversation.members.length
      return ofOne
    })
  }

  /** Returns boundaries in the order asked for. The caller has checked that these users are members. */
  const boundariesAt = (addresses: readonly MemberAddress[]): Promise<MemberBoundaries[]> =>
    boundaries.getMany(addresses)

  return {
    ack,
    markRead,
    boundariesOfMembers,
    boundariesAt,
    addPending,
    notePending,
    forgetPending,
    advancePending,
    deliveredSoFar,
    readByReply,
  }
}

/** Returns the delivered boundary if it is ahead of the read one, otherwise 0. */
const unread = (at: { lastDeliveredSeq: Seq; lastReadSeq: Seq }): Seq =>
  at.lastDeliveredSeq > at.lastReadSeq ? at.lastDeliveredSeq : 0

const addressOf = ({ userId, conversation }: Member): MemberAddress => ({ userId, conversationId: conversation.id })
