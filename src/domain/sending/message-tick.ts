import type { Conversation } from '../../ports/conversations.ts'
import type { Message } from '../../ports/log.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import { type Tick, type Ticks, tickOf } from '../../protocol/ticks.ts'
import { joinedSeqOf } from '../conversations/group.ts'

// A message is as far as the slowest of its receivers: the members who had joined before it, without its sender. An operation may ask for
// the ticks of thousands of messages of a group with a thousand members. So the members are gone through once, in the order in which they
// joined, and a message only looks up the slowest of those who had joined before it.

/** The slowest member, and how far the slowest of all others is: that one counts for what the slowest has sent. */
type Slowest = { userId: UserId | undefined; seq: Seq; othersSeq: Seq }
/** Of all members who joined at `joinedSeq` or before. */
type Step = { joinedSeq: Seq; delivered: Slowest; read: Slowest }

const noSlowest: Slowest = { userId: undefined, seq: Number.POSITIVE_INFINITY, othersSeq: Number.POSITIVE_INFINITY }

/** By the list that was loaded. Who is in a group may change while a stream goes on with a list that is a moment old. */
const known = new WeakMap<readonly Ticks[], { conversation: Conversation; steps: readonly Step[] }>()

/** How far the message has got with everybody but its sender. Who came later was never sent it. */
export function tickOfMessage(
  conversation: Conversation,
  ticks: readonly Ticks[],
  { seq, senderId }: Pick<Message, 'seq' | 'senderId'>,
): Tick {
  const step = lastBefore(stepsOf(conversation, ticks), seq)
  if (!step) return tickOf(seq, [])
  const others = { lastDeliveredSeq: without(step.delivered, senderId), lastReadSeq: without(step.read, senderId) }
  return tickOf(seq, [others])
}

function stepsOf(conversation: Conversation, ticks: readonly Ticks[]): readonly Step[] {
  const kept = known.get(ticks)
  if (kept?.conversation === conversation) return kept.steps
  const steps = makeSteps(conversation, ticks)
  known.set(ticks, { conversation, steps })
  return steps
}

function makeSteps(conversation: Conversation, ticks: readonly Ticks[]): Step[] {
  let [delivered, read] = [noSlowest, noSlowest]
  return ticks
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

/** The last step below `seq`, found by halving. */
function lastBefore(steps: readonly Step[], seq: Seq): Step | undefined {
  let [from, to] = [0, steps.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((steps[middle]?.joinedSeq ?? seq) < seq) from = middle + 1
    else to = middle
  }
  return steps[from - 1]
}
