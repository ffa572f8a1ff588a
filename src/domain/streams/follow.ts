import type { Pending } from '../../ports/delivery.ts'
import type { LiveStream } from '../../ports/live-stream.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ConversationId, type DeviceId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { MessageOrNotice, Notices } from '../conversations/notices.ts'
import type { Recount } from '../log/counters.ts'
import type { HighestSeqs } from '../log/highest-seqs.ts'
import { isMessage, type Log } from '../log/log.ts'
import { createLogPages } from '../log/log-pages.ts'
import type { Acknowledge } from '../sending/acknowledge.ts'
import type { Attach, AttachedStream } from './attach.ts'
import { createGate } from './gate.ts'
import { deviceOf, type KeptPositions } from './kept-positions.ts'
import type { Shown } from './positions.ts'
import { Reading, type ReadingKind } from './reading.ts'
import { createStream } from './stream.ts'

// The stream of a user's messages. While it is open the user counts as attached, and senders rely on it; see attach.ts.

/** When a node dies, all its readers come to the other nodes at once. They begin a few at a time, so that each of them begins in time. */
const beginning = { atATime: 32, lineMax: 50_000 }

/**
 * `only` is one conversation instead of all. `after` says what this device already holds. With `deviceId`, the server keeps what it has acked.
 * `notices`: group changes are shown too.
 */
export type FollowRequest = {
  userId: UserId
  only?: Member
  after: readonly { member: Member; seq: Seq }[]
  deviceId?: DeviceId
  notices?: boolean
}

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'boundaries' | 'pending' | 'clock'> & {
  log: Log
  highestSeqs: HighestSeqs
  recount: Recount
  access: Access
  decideChange: Groups['decideChange']
  notices: Notices
  attach: Attach
  acknowledge: Acknowledge
  keptPositions: KeptPositions
  observer: Observer
}

export function createFollow(needs: Needs) {
  const { boundaries, pending, log, acknowledge, attach, keptPositions, notices } = needs
  const gate = createGate(beginning)
  const lastBefore = async (id: ConversationId, seq: Seq) => (await log.lastMessage(id, seq))?.seq ?? 0
  /** Passes group changes that did not take effect: they have no notice. */
  const lastWithNotices = (id: ConversationId, before: Seq, floor: Seq) =>
    log.lastMessageOrGroupChange(id, { before, floor }, async (change) => (await notices.of(change)) !== undefined)
  const plain: ReadingKind<MessageOrNotice> = {
    stream: 'messages',
    shows: isMessage,
    pages: createLogPages<MessageOrNotice>({ log, shows: isMessage, lastBefore }),
  }
  const withNotices: ReadingKind<MessageOrNotice> = {
    ...plain,
    pages: createLogPages<MessageOrNotice>({ log, shows: isMessage, lastBefore: lastWithNotices, notices: true }),
    noticeOf: notices.ofDecided,
  }

  return (request: FollowRequest): Promise<LiveStream<Shown<MessageOrNotice>>> => gate(() => follow(request))

  async function follow(request: FollowRequest): Promise<LiveStream<Shown<MessageOrNotice>>> {
    const attached = await attach(request.userId, request.only)
    let reading: Reading<MessageOrNotice>
    try {
      reading = await begin(request, attached)
    } catch (error) {
      await attached.detach({ reached: [], whole: false })
      throw error
    }
    return createStream(attached.inbox, reading, async () => {
      await attached.detach(reading.outcome())
      await keptPositions.skip(request, 'messages', reading)
    })
  }

  async function begin(request: FollowRequest, attached: AttachedStream): Promise<Reading<MessageOrNotice>> {
    const { userId, only, after } = request
    const { inbox, subscription, pendingIndexComplete } = attached
    const held = heldBy(after)
    const device = deviceOf(request)
    const [delivered, keptOfDevice] = await Promise.all([
      deliveredOf(boundaries, userId, only),
      device && keptPositions.of(device, 'messages'),
    ])
    const onCaughtUp = () => attached.online()
    const reading: Reading<MessageOrNotice> = new Reading(needs, request.notices ? withNotices : plain, {
      userId,
      only,
      inbox,
      subscription,
      held,
      kept: keptOfDevice ?? delivered,
      whole: pendingIndexComplete,
      onShown: device && keptPositions.noteShown,
      beginning: { toCatchUp, onCaughtUp },
    })
    return reading

    async function toCatchUp(): Promise<ConversationId[]> {
      const all = await reading.everyConversation()
      if (only || !pendingIndexComplete) return all
      // The pending index and the mark speak of the user. A device may be behind in any conversation.
      const compared = device ? all : all.filter(isGroupId)
      const [waiting, behind] = await Promise.all([pending.list(userId), reading.behind(compared)])
      await Promise.all(waiting.map(tidy))
      return [...new Set([...waiting.map((each) => each.conversationId), ...behind, ...held.keys()])]
    }

    /** Removes or raises a row that an ack has overtaken. A crash between the two has left it. */
    async function tidy({ conversationId, firstUndeliveredSeq }: Pending): Promise<void> {
      const done = delivered.get(conversationId) ?? 0
      if (firstUndeliveredSeq <= done) await acknowledge.advancePending({ userId, conversationId }, done)
    }
  }
}

/** Shared by all streams that have none, to save memory. */
const none: ReadonlyMap<ConversationId, Seq> = new Map()

export const heldBy = (after: FollowRequest['after']): ReadonlyMap<ConversationId, Seq> =>
  after.length === 0 ? none : new Map(after.map(({ member, seq }) => [member.conversation.id, seq]))

/** Returns how far the user's devices have got, in one conversation or in all. */
export async function deliveredOf(
  boundaries: Ports['boundaries'],
  userId: UserId,
  only: Member | undefined,
): Promise<ReadonlyMap<ConversationId, Seq>> {
  const ownBoundaries = only
    ? await boundaries.getMany([{ userId, conversationId: only.conversation.id }])
    : await boundaries.ofUser(userId)
  return ownBoundaries.length === 0
    ? none
    : new Map(ownBoundaries.map((each) => [each.conversationId, each.lastDeliveredSeq]))
}
