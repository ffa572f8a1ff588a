import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Session } from '../../ports/soft-state.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../protocol/ids.ts'
import type { Member } from '../conversations/access.ts'
import type { Pushes } from '../push/push.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import type { Acknowledge } from '../sending/acknowledge.ts'
import { createInbox, type Inbox, type InboxOptions, ofTypes } from './inbox.ts'
import type { ResyncScheduler } from './resync-scheduler.ts'
import type { SubscribeUser, UserSubscription } from './user-subscription.ts'

// Attaches and detaches one stream of messages.
//
// Attach: first the subscription, confirmed by Redis; then the session. What is published after that arrives here, and what was published
// before was stored before, so the catch-up that follows reads it.
//
// Detach: first the session, so that senders stop counting on this stream; then a flush, after which everything published
// while they still did is in the inbox; then a pending row for everything that arrived and was not acked. Only then is the mark set that
// lets the next attach trust the pending index. A crash anywhere before that leaves no mark, and the next attach compares every
// conversation with the log.
//
// What was heard and not acked may have gone into a dead connection, and no push was sent, as the user counted as attached. So it is pushed
// now, unless the user has read it or still has another session.
//
// Groups have no pending rows. Every attach compares their counters with the boundaries. Where a counter says that there is nothing new, the
// attach also looks into the next cell: the counter may come from a replica that had missed the entry.

/** This is about a megabyte of ordinary messages. Beyond that, the log is the better buffer. */
const inboxLimitDefault = 256

type Needs = Pick<Ports, 'sessions' | 'boundaries' | 'clock'> & {
  addPending: Acknowledge['addPending']
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  pushes: Pushes
  randomId: () => string
  observer: Observer
  inboxLimit?: number
  /** Called when a detach fails. No message is lost by that, as the next attach then compares every conversation. */
  onDetachError: (error: unknown) => void
}

export type Attach = ReturnType<typeof createAttach>

export function createAttach(needs: Needs) {
  const inboxOptions: InboxOptions = {
    limit: needs.inboxLimit ?? inboxLimitDefault,
    onOverflow: () => needs.observer.overflowed('messages'),
    accepts: ofTypes('message', 'change', 'group', 'membership'),
  }
  const { subscribeUser, sessions, clock, resyncScheduler, randomId, observer } = needs

  return async function attach(userId: UserId, only?: Member): Promise<AttachedStream> {
    const conversationId = only?.conversation.id
    const inbox = createInbox(clock, inboxOptions)
    const subscription = await subscribeUser(userId, inbox, only)
    try {
      const session: Session = {
        userId,
        connectionId: randomId(),
        leaseId: await resyncScheduler.lease(),
        ...(conversationId && { conversationId }),
      }
      const { pendingIndexComplete } = await sessions.attach(session)
      resyncScheduler.keepAlive(session, 'syncing')
      observer.attached()
      resyncScheduler.add(inbox, userId)
      return new AttachedStream(needs, session, inbox, subscription, pendingIndexComplete)
    } catch (error) {
      await subscription.close()
      throw error
    }
  }
}

/** `reached` is how far the stream got. `whole`: it has missed nothing up to there, in any conversation. */
type StreamOutcome = { reached: [ConversationId, Seq][]; whole: boolean }

export class AttachedStream {
  readonly inbox: Inbox
  readonly subscription: UserSubscription
  /** Whether the pending index names every conversation with something undelivered. */
  readonly pendingIndexComplete: boolean
  readonly #needs: Needs
  readonly #session: Session

  constructor(
    needs: Needs,
    session: Session,
    inbox: Inbox,
    subscription: UserSubscription,
    pendingIndexComplete: boolean,
  ) {
    this.#needs = needs
    this.#session = session
    this.inbox = inbox
    this.subscription = subscription
    this.pendingIndexComplete = pendingIndexComplete
  }

  async online(): Promise<void> {
    this.#needs.resyncScheduler.keepAlive(this.#session, 'online')
    await this.#needs.sessions.renew([{ session: this.#session, state: 'online' }])
  }

  async detach(outcome: StreamOutcome): Promise<void> {
    const { resyncScheduler, observer, onDetachError } = this.#needs
    resyncScheduler.remove(this.inbox)
    resyncScheduler.stopKeepingAlive(this.#session)
    observer.detached()
    try {
      await this.#leave(outcome)
    } catch (error) {
      onDetachError(error)
    } finally {
      await this.subscription.close()
    }
  }

  async #leave({ reached, whole }: StreamOutcome): Promise<void> {
    const { sessions, boundaries, addPending, pushes, clock } = this.#needs
    const { userId, conversationId } = this.#session
    await sessions.leave(this.#session)
    await this.subscription.flush()
    const untaken = this.inbox.untaken()
    const heard = new Map(reached)
    for (const event of untaken ?? []) {
      if (event.type !== 'message') continue
      if (conversationId && event.message.conversationId !== conversationId) continue
      heard.set(event.message.conversationId, Math.max(event.message.seq, heard.get(event.message.conversationId) ?? 0))
    }
    const ownBoundaries = conversationId
      ? await boundaries.getMany([{ userId, conversationId }])
      : await boundaries.ofUser(userId)
    const delivered = new Map(ownBoundaries.map((each) => [each.conversationId, each.lastDeliveredSeq]))
    await Promise.all(
      [...heard].map(([id, seq]) => {
        if (isGroupId(id)) return undefined
        const done = delivered.get(id) ?? 0
        if (seq <= done) return undefined
        // A row that is written and not noted would outlive its ack, and a detach is not repeated.
        return retryWhileUnavailable(clock, () => addPending({ userId, conversationId: id }, done + 1))
      }),
    )
    pushes.missed(
      userId,
      [...heard].filter(([id, seq]) => seq > (delivered.get(id) ?? 0)),
    )
    // A stream of one conversation cannot vouch for the others.
    if (whole && untaken && !conversationId) await sessions.setPendingIndexComplete(userId)
  }
}
