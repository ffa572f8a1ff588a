import { LRUCache } from 'lru-cache'
import type { Typing } from '../../ports/events.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { UserId } from '../../protocol/ids.ts'
import { entriesMax } from '../../shared/entries-max.ts'
import { audienceOf, type Member } from '../conversations/access.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { createInbox, ofTypes, type Signal } from '../streams/inbox.ts'
import { noneWhileUnavailable } from '../streams/reading.ts'
import type { ResyncScheduler } from '../streams/resync-scheduler.ts'
import { createStream } from '../streams/stream.ts'
import type { SubscribeUser } from '../streams/user-subscription.ts'
import type { Blocking } from './blocking.ts'

// Typing indicators are published on the same channels as everything else and stored nowhere: a lost one is published again a moment later,
// and one that is not repeated expires.

/** A client that calls with every key stroke is published once in this time. */
const throttleMs = 2000
/** A member who was not heard for this long has stopped. */
const fadesAfterMs = 6000
const inboxLimit = 256

type Needs = Pick<Ports, 'events' | 'clock'> & {
  subscribeUser: SubscribeUser
  resyncScheduler: ResyncScheduler
  blocking: Pick<Blocking, 'isBlocked'>
  observer: Observer
}

export function createTyping(
  { events, clock, subscribeUser, resyncScheduler, blocking, observer }: Needs,
  cacheSize: number,
) {
  const said = new LRUCache<string, { typing: boolean; atMs: number }>(entriesMax(cacheSize))

  /** Returns undefined where there is nothing to publish. */
  function setTyping(member: Member, typing: boolean): Promise<void> | undefined {
    const { userId, conversation } = member
    const key = `${userId} ${conversation.id}`
    const before = said.get(key)
    const isNews = typing ? !before?.typing || clock.monotonic() - before.atMs >= throttleMs : before?.typing !== false
    if (!isNews) return undefined
    said.set(key, { typing, atMs: clock.monotonic() })
    return publish(member, typing)
  }

  async function publish(member: Member, typing: boolean): Promise<void> {
    const { userId, conversation } = member
    if (await blocking.isBlocked(member)) return
    await events.publishTyping(audienceOf(member), { userId, conversationId: conversation.id, typing })
  }

  /** Shows each change of the other members of one conversation once. */
  async function followTyping(member: Member): Promise<AsyncIterableIterator<Typing>> {
    const { userId, conversation } = member
    const inbox = createInbox(clock, {
      limit: inboxLimit,
      onOverflow: () => observer.overflowed('typing'),
      accepts: ofTypes('typing', 'message', 'membership'),
    })
    const subscription = await subscribeUser(userId, inbox, member)
    resyncScheduler.add(inbox, userId)
    /** These members are writing, and until when that holds if it is not repeated. */
    const writing = new Map<UserId, number>()

    async function* run(): AsyncGenerator<Typing> {
      await retryWhileUnavailable(clock, () => subscription.refresh())
      for (;;) {
        const signal = await inbox.take(writing.size > 0 ? Math.min(...writing.values()) : undefined)
        if (signal.type === 'closed') return
        if (signal.type === 'typing' && signal.typing.conversationId === conversation.id) yield* hear(signal.typing)
        await endIfRemoved(signal)
        if (signal.type === 'message' && signal.message.conversationId === conversation.id) {
          yield* stopped([signal.message.senderId])
        }
        yield* stopped([...writing].filter(([, untilMs]) => untilMs <= clock.monotonic()).map(([id]) => id))
      }
    }

    /** Ends the stream if the user was removed. The event may be late and the user back by now, so the current state is read. */
    async function endIfRemoved(signal: Signal): Promise<void> {
      if (signal.type === 'periodicResync') await subscription.refresh().catch(noneWhileUnavailable)
      const isTold = signal.type === 'membership' && signal.membership.conversationId === conversation.id
      if (isTold || signal.type === 'resync') await retryWhileUnavailable(clock, () => subscription.refresh())
    }

    function* hear({ userId: other, typing }: Typing): Generator<Typing> {
      if (other === userId) return
      if (!typing) return yield* stopped([other])
      const isNew = !writing.has(other)
      writing.set(other, clock.monotonic() + fadesAfterMs)
      if (isNew) yield { conversationId: conversation.id, userId: other, typing }
    }

    function* stopped(others: readonly UserId[]): Generator<Typing> {
      for (const other of others) {
        if (writing.delete(other)) yield { conversationId: conversation.id, userId: other, typing: false }
      }
    }

    return createStream(inbox, { run }, async () => {
      resyncScheduler.remove(inbox)
      await subscription.close()
    })
  }

  /** A message ends the typing of its sender, so the next key stroke is published again. */
  const stopTyping = ({ userId, conversation }: Member): void => void said.delete(`${userId} ${conversation.id}`)

  return { setTyping, followTyping, stopTyping }
}
