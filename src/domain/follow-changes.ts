import type { ConversationId } from '../protocol/ids.ts'
import type { Access } from './access.ts'
import type { Beat } from './beat.ts'
import { deliveredOf, type FollowRequest, heldBy } from './follow.ts'
import type { Groups } from './groups.ts'
import type { Heads } from './heads.ts'
import type { Listen } from './hearing.ts'
import { createInbox, ofTypes } from './inbox.ts'
import { isChange, type Log } from './log.ts'
import type { Change, LogRow, Message, Observer, Ports } from './ports.ts'
import type { Shown } from './positions.ts'
import { createReading } from './reading.ts'
import { createStream } from './stream.ts'

// What happens to a user's messages after they were sent: edits, deletions, reactions, in the order of the log. Nobody counts on
// such a stream: it does not attach.

const inboxLimit = 256

/** A change, and its message as it is now. */
export type ShownChange = { message: Message; seq: number; previousSeq: number; catchUp: boolean }

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'boundaries' | 'clock'> & {
  log: Log
  heads: Heads
  access: Access
  settle: Groups['settle']
  listen: Listen
  beat: Beat
  observer: Observer
  /** The message a change is about, showing it. */
  messageOf: (change: Change) => Promise<Message | undefined>
}

export function createFollowChanges(needs: Needs) {
  const { boundaries, clock, listen, beat, messageOf, observer } = needs

  return async function followChanges({
    userId,
    only,
    after,
  }: FollowRequest): Promise<AsyncIterableIterator<ShownChange>> {
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('changes'),
      accepts: ofTypes('message', 'change', 'group', 'seat'),
    })
    const hearing = await listen(userId, inbox.listener, only)
    const unwatch = beat.watch(inbox)
    const end = async () => {
      unwatch()
      await hearing.close()
    }
    try {
      const delivered = await deliveredOf(boundaries, userId, only)
      const reading = createReading<Change>(needs, {
        stream: 'changes',
        userId,
        only,
        inbox,
        hearing,
        held: heldBy(after),
        startOf: (id) => delivered.get(id) ?? 0,
        shows: isForThem,
        toCatchUp,
        onCaughtUp: async () => undefined,
        whole: true,
      })
      return createStream(inbox, withMessages(reading.run()), end)

      /** Of a message from before the user came there is nothing to show, and no trace of it in what comes before what. */
      function isForThem(row: LogRow): row is Change {
        return isChange(row) && row.targetSeq > reading.joinedSeq(row.conversationId)
      }

      async function toCatchUp(): Promise<ConversationId[]> {
        return reading.behind(await reading.everyConversation())
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
