import { createGate } from '../protocol/gate.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../protocol/ids.ts'
import type { Access, Member } from './access.ts'
import type { Acknowledge } from './acknowledge.ts'
import type { Attach, Attachment } from './attach.ts'
import type { Groups } from './groups.ts'
import type { Heads } from './heads.ts'
import { isMessage, type Log } from './log.ts'
import type { Message, Observer, Pending, Ports } from './ports.ts'
import type { Shown } from './positions.ts'
import { createReading } from './reading.ts'
import { createStream } from './stream.ts'

// A user's messages. While a stream of these is open the user counts as attached, and senders count on it; see attach.ts.

/** When a node dies, all its readers come to the others at once: they begin a few at a time, so that each begins in time. */
const beginning = { atATime: 32, lineMax: 50_000 }

/** `only`: one conversation instead of all. `after`: what this device already holds. */
export type FollowRequest = { userId: UserId; only?: Member; after: readonly { member: Member; seq: Seq }[] }

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'boundaries' | 'pending' | 'clock'> & {
  log: Log
  heads: Heads
  access: Access
  settle: Groups['settle']
  attach: Attach
  acknowledge: Acknowledge
  observer: Observer
}

export function createFollow(needs: Needs) {
  const gate = createGate(beginning)

  return (request: FollowRequest): Promise<AsyncIterableIterator<Shown<Message>>> => gate(() => follow(request))

  async function follow(request: FollowRequest): Promise<AsyncIterableIterator<Shown<Message>>> {
    const attachment = await needs.attach(request.userId, request.only)
    let reading: Awaited<ReturnType<typeof begin>>
    try {
      reading = await begin(needs, request, attachment)
    } catch (error) {
      await attachment.detach({ reached: [], whole: false })
      throw error
    }
    return createStream(attachment.inbox, reading.run(), () => attachment.detach(reading.outcome()))
  }
}

async function begin(needs: Needs, { userId, only, after }: FollowRequest, attachment: Attachment) {
  const { boundaries, pending, log, acknowledge } = needs
  const { inbox, hearing, indexComplete, online } = attachment
  const held = heldBy(after)
  const delivered = await deliveredOf(boundaries, userId, only)
  const reading = createReading<Message>(needs, {
    stream: 'messages',
    userId,
    only,
    inbox,
    hearing,
    held,
    startOf: (id) => delivered.get(id) ?? 0,
    shows: isMessage,
    lastBefore: async (id, seq) => (await log.lastMessage(id, seq))?.seq ?? 0,
    toCatchUp,
    onCaughtUp: online,
    whole: indexComplete,
  })
  return reading

  async function toCatchUp(): Promise<ConversationId[]> {
    const all = await reading.everyConversation()
    if (only || !indexComplete) return all
    const [waiting, groups] = await Promise.all([pending.list(userId), reading.behind(all.filter(isGroupId))])
    await Promise.all(waiting.map(tidy))
    return [...new Set([...waiting.map((each) => each.conversationId), ...groups, ...held.keys()])]
  }

  /** A row that an ack has overtaken, left by a crash between the two. */
  async function tidy({ conversationId, firstUndeliveredSeq }: Pending): Promise<void> {
    const done = delivered.get(conversationId) ?? 0
    if (firstUndeliveredSeq <= done) await acknowledge.settlePending({ userId, conversationId }, done)
  }
}

export const heldBy = (after: FollowRequest['after']): Map<ConversationId, Seq> =>
  new Map(after.map(({ member, seq }) => [member.conversation.id, seq]))

/** How far the user's devices have got, in one conversation or in all. */
export async function deliveredOf(
  boundaries: Ports['boundaries'],
  userId: UserId,
  only: Member | undefined,
): Promise<Map<ConversationId, Seq>> {
  const ticks = only
    ? await boundaries.getMany([{ userId, conversationId: only.conversation.id }])
    : await boundaries.ofUser(userId)
  return new Map(ticks.map((each) => [each.conversationId, each.lastDeliveredSeq]))
}
