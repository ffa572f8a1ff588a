import type { ConversationId } from '../protocol/ids.ts'
import type { Beat } from './beat.ts'
import { deliveredOf, type FollowRequest, heldBy } from './follow.ts'
import type { Heads } from './heads.ts'
import { createInbox, ofTypes } from './inbox.ts'
import { isChange, type Log } from './log.ts'
import type { Change, Message, Ports } from './ports.ts'
import type { Shown } from './positions.ts'
import { createReading } from './reading.ts'
import { createStream } from './stream.ts'

// What happens to a user's messages after they were sent: edits, deletions, reactions, in the order of the log. Nobody counts on
// such a stream: it does not attach.

const inboxLimit = 256

/** A change, and its message as it is now. */
export type ShownChange = { message: Message; seq: number; previousSeq: number; catchUp: boolean }

type Needs = Pick<Ports, 'events' | 'messages' | 'sequencer' | 'boundaries' | 'memberships' | 'clock'> & {
  log: Log
  heads: Heads
  beat: Beat
  /** The message a change is about, showing it. */
  messageOf: (change: Change) => Promise<Message | undefined>
}

export function createFollowChanges(needs: Needs) {
  const { events, messages, boundaries, clock, beat, messageOf } = needs

  return async function followChanges({
    userId,
    only,
    after,
  }: FollowRequest): Promise<AsyncIterableIterator<ShownChange>> {
    const inbox = createInbox(clock, { limit: inboxLimit, accepts: ofTypes('message', 'change') })
    const subscription = await events.subscribe(userId, inbox.listener)
    const unwatch = beat.watch(inbox)
    const end = async () => {
      unwatch()
      await subscription.close()
    }
    try {
      const delivered = await deliveredOf(boundaries, userId, only)
      const reading = createReading<Change>(needs, {
        userId,
        only,
        inbox,
        held: heldBy(after),
        startOf: (id) => delivered.get(id) ?? 0,
        shows: isChange,
        toCatchUp,
        onCaughtUp: async () => undefined,
        whole: true,
      })
      return createStream(inbox, withMessages(reading.run()), end)

      /** Those whose counter is ahead; and since Redis may have fallen back, those with something in the next cell. */
      async function toCatchUp(): Promise<ConversationId[]> {
        const ahead = await reading.lagging()
        const others = (await reading.everyConversation()).filter((id) => !ahead.includes(id))
        const next = await messages.getMany(others.map((id) => ({ conversationId: id, seq: reading.at(id) + 1 })))
        return [...ahead, ...next.map((row) => row.conversationId)]
      }
    } catch (error) {
      await end()
      throw error
    }
  }

  async function* withMessages(changes: AsyncGenerator<Shown<Change>>): AsyncGenerator<ShownChange> {
    for await (const { row, previousSeq, catchUp } of changes) {
      const message = await messageOf(row)
      if (message) yield { message, seq: row.seq, previousSeq, catchUp }
    }
  }
}
