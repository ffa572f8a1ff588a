import type { Conversation } from '../../ports/conversations.ts'
import type { Message } from '../../ports/log.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { type MemberBoundaries, type Tick, tickOf } from '../../protocol/ticks.ts'
import { joinedSeqOf } from '../conversations/group.ts'

// A message is as far as the slowest of its receivers: the members who had joined before it, without its sender. An operation may ask for
// the ticks of thousands of messages of a group with a thousand members. So the members are gone through once, in the order in which they
// joined, and a message only looks up the slowest of those who had joined before it.

/** The slowest member, and how far the slowest of all others is. The latter counts for messages that the slowest member has sent. */
type Slowest = { userId: UserId | undefined; seq: Seq; othersSeq: Seq }
/** The slowest of all members who joined at `joinedSeq` or before. */
type Step = { joinedSeq: Seq; delivered: Slowest; read: Slowest }

const noSlowest: Slowest = { userId: undefined, seq: Number.POSITIVE_INFINITY, othersSeq: Number.POSITIVE_INFINITY }

/**
 * The steps are kept by the list of boundaries that was loaded. The conversation is kept too, as a group may change while a stream uses an
 * older list.
 */
const known = new WeakMap<readonly MemberBoundaries[], { conversation: Conversation; steps: readonly Step[] }>()

/** Returns how far the message has got with all members but its sender. Members who joined later do not count. */
export function tickOfMessage(
  conversation: Conversation,
  boundaries: readonly MemberBoundaries[],
  { seq, senderId }: Pick<Message, 'seq' | 'senderId'>,
): Tick {
  const step = lastBefore(stepsOf(conversation, boundaries), seq)
  if (!step) return tickOf(seq, [])
  const others = { lastDeliveredSeq: without(step.delivered, senderId), lastReadSeq: without(step.read, senderId) }
  return tickOf(seq, [others])
}

function stepsOf(conversation: Conversation, boundaries: readonly MemberBoundaries[]): readonly Step[] {
  const kept = known.get(boundaries)
  if (kept?.conversation === conversation) return kept.steps
  const steps = makeSteps(conversation, boundaries)
  known.set(boundaries, { conversation, steps })
  return steps
}

function makeSteps(conversation: Conversation, boundaries: readonly MemberBoundaries[]): Step[] {
  let [delivered, read] = [noSlowest, noSlowest]
  return boundaries
    .map((each) => ({ each, joinedSeq: joinedSeqOf(conversation, each.userId) }))
    .sort((one, other) => one.joinedSeq - other.joinedSeq)
    .map(({ each, joinedSeq }) => {
      delivered = slowestOf(delivered, each.userId, each.lastDeliveredSeq)
      read = slowestOf(read, each.userId, each.lastReadSeq)
      return { joinedSeq, delivered, read }
    })
}

const slowestOf = (slowest: Slowest, userId: UserId, seq: Seq): Slowest =>
  seq < slowest.seq
    ? { userId, seq, othersSeq: slowest.seq }
    : { ...slowest, othersSeq: Math.min(slowest.othersSeq, seq) }

const without = ({ userId, seq, othersSeq }: Slowest, senderId: UserId): Seq => (userId === senderId ? othersSeq : seq)

/** Finds the last step below `seq` by binary search. */
function lastBefore(steps: readonly Step[], seq: Seq): Step | undefined {
  let [from, to] = [0, steps.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((steps[middle]?.joinedSeq ?? seq) < seq) from = middle + 1
    else to = middle
  }
  return steps[from - 1]
}
