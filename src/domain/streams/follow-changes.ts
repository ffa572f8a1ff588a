import type { LiveStream } from '../../ports/live-stream.ts'
import type { Change, LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Seq } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { Recount } from '../log/counters.ts'
import type { Heads } from '../log/heads.ts'
import type { Latest } from '../log/latest-messages.ts'
import { isChange, type Log } from '../log/log.ts'
import { createLogPages } from '../log/log-pages.ts'
import type { Beat } from './beat.ts'
import { deliveredOf, type FollowRequest, heldBy } from './follow.ts'
import type { Listen } from './hearing.ts'
import { createInbox, type InboxOptions, ofTypes } from './inbox.ts'
import type { Shown } from './positions.ts'
import { type Beginning, Reading, type ReadingKind } from './reading.ts'
import { createStream, type Reader } from './stream.ts'

// What happens to a user's messages after they were sent: edits, deletions, reactions, in the order of the log. Nobody counts on
// such a stream: it does not attach.

const inboxLimit = 256

/** A change, and its message as it is now. */
export type ShownChange = { message: Message; seq: number; previousSeq: number; catchUp: boolean }

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'boundaries' | 'clock'> & {
  log: Log
  heads: Heads
  recount: Recount
  access: Access
  settle: Groups['settle']
  listen: Listen
  beat: Beat
  observer: Observer
  /** The message a change is about, showing it. */
  messageOf: (change: Change) => Promise<Message | undefined>
  latest: Latest
}

export function createFollowChanges(needs: Needs) {
  const { boundaries, clock, log, listen, beat, messageOf, latest, observer } = needs
  const kind: ReadingKind<Change> = {
    stream: 'changes',
    shows: isForThem,
    pages: createLogPages<Change>({ log, shows: isForThem }),
  }
  const inboxOptions: InboxOptions = {
    limit: inboxLimit,
    onOverflow: () => observer.overflowed('changes'),
    accepts: ofTypes('message', 'change', 'group', 'seat'),
  }

  return async function followChanges({ userId, only, after }: FollowRequest): Promise<LiveStream<ShownChange>> {
    const inbox = createInbox(clock, inboxOptions)
    const hearing = await listen(userId, inbox, only)
    beat.watch(inbox, userId)
    const end = async () => {
      beat.unwatch(inbox)
      await hearing.close()
    }
    try {
      const [held, delivered] = [heldBy(after), await deliveredOf(boundaries, userId, only)]
      const beginning: Beginning = {
        toCatchUp: async () => reading.behind(await reading.everyConversation()),
        onCaughtUp: async () => undefined,
      }
      const options = { userId, only, inbox, hearing, held, delivered, whole: true, beginning }
      const reading = new Reading(needs, kind, options)
      return createStream(inbox, withMessages(reading), end)
    } catch (error) {
      await end()
      throw error
    }
  }

  /** Most events bring the message with them. */
  function withMessages(reading: Reading<Change>): Reader<ShownChange> {
    const reader: Reader<ShownChange> = {
      async *run() {
        for await (const shown of reading.run()) {
          const message = await messageOf(shown.row)
          if (message) yield changed(shown, message)
        }
      },
      takeAtOnce: (event) => reading.takeAtOnce(event),
    }
    reading.sink = {
      tryPush: (shown) => shown.row.target !== undefined && offer(reader, changed(shown, latest(shown.row.target))),
    }
    return reader
  }
}

const offer = <T>({ sink }: Reader<T>, item: T): boolean => sink?.tryPush(item) ?? false

const changed = ({ row, previousSeq, catchUp }: Shown<Change>, message: Message): ShownChange => ({
  message,
  seq: row.seq,
  previousSeq,
  catchUp,
})

/** Of a message from before the user came there is nothing to show, and no trace of it in what comes before what. */
const isForThem = (row: LogRow, joinedSeq: Seq): row is Change => isChange(row) && row.targetSeq > joinedSeq
