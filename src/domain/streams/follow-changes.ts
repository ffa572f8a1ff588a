import type { LiveStream } from '../../ports/live-stream.ts'
import type { Change, LogRow, Message } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Seq } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import type { Recount } from '../log/counters.ts'
import type { HighestSeqs } from '../log/highest-seqs.ts'
import type { Latest } from '../log/latest-messages.ts'
import { isChange, type Log } from '../log/log.ts'
import { createLogPages } from '../log/log-pages.ts'
import { deliveredOf, type FollowRequest, heldBy } from './follow.ts'
import { createInbox, type InboxOptions, ofTypes } from './inbox.ts'
import { deviceOf, type KeptPositions } from './kept-positions.ts'
import type { Shown } from './positions.ts'
import { type Beginning, Reading, type ReadingKind } from './reading.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import { createStream, type Reader } from './stream.ts'
import type { SubscribeUser } from './user-subscription.ts'

// The stream of what happens to a user's messages after they were sent: edits, deletions and reactions, in the order of the log. It does
// not attach, as no sender relies on it.

const inboxLimit = 256

/** A change, with its message as it is now. */
export type ShownChange = { message: Message; seq: number; previousSeq: number; catchUp: boolean }

type Needs = Pick<Ports, 'messages' | 'sequencer' | 'boundaries' | 'clock'> & {
  log: Log
  highestSeqs: HighestSeqs
  recount: Recount
  access: Access
  decideChange: Groups['decideChange']
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  observer: Observer
  /** Returns the message that a change is about, with the change applied. */
  messageOf: (change: Change) => Promise<Message | undefined>
  latest: Latest
  keptPositions: KeptPositions
}

export function createFollowChanges(needs: Needs) {
  const { boundaries, clock, log, subscribeUser, resyncScheduler, messageOf, latest, observer, keptPositions } = needs
  const kind: ReadingKind<Change> = {
    stream: 'changes',
    shows: isForThem,
    pages: createLogPages<Change>({ log, shows: isForThem }),
  }
  const inboxOptions: InboxOptions = {
    limit: inboxLimit,
    onOverflow: () => observer.overflowed('changes'),
    accepts: ofTypes('message', 'change', 'group', 'membership'),
  }

  return async function followChanges(request: FollowRequest): Promise<LiveStream<ShownChange>> {
    const { userId, only, after } = request
    const inbox = createInbox(clock, inboxOptions)
    const device = deviceOf(request)
    // The boundaries are read first. What a device acks while its stream begins may lie above a change that the stream must still show.
    const keptBefore = device ? keptPositions.of(device, 'changes') : deliveredOf(boundaries, userId, only)
    // A failure is thrown by the await below.
    keptBefore.catch(() => undefined)
    const subscription = await subscribeUser(userId, inbox, only)
    resyncScheduler.add(inbox, userId)
    const end = async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    }
    try {
      const [held, kept] = [heldBy(after), await keptBefore]
      const beginning: Beginning = {
        toCatchUp: async () => reading.behind(await reading.everyConversation()),
        onCaughtUp: async () => undefined,
      }
      const onShown = device && keptPositions.noteShown
      const options = { userId, only, inbox, subscription, held, kept, whole: true, onShown, beginning }
      const reading = new Reading(needs, kind, options)
      return createStream(inbox, withMessages(reading), async () => {
        await end()
        await keptPositions.skip(request, 'changes', reading)
      })
    } catch (error) {
      await end()
      throw error
    }
  }

  /** Adds the message to each change. Most events bring it with them. */
  function withMessages(reading: Reading<Change>): Reader<ShownChange> {
    const reader: Reader<ShownChange> = {
      async *run() {
        for await (const shown of reading.run()) {
          const message = await messageOf(shown.row)
          if (message) yield changed(shown, message)
        }
      },
      tryPush: (event) => reading.tryPush(event),
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

/** A change of a message from before the user joined is not shown, and does not count as a `previousSeq` either. */
const isForThem = (row: LogRow, joinedSeq: Seq): row is Change => isChange(row) && row.targetSeq > joinedSeq
