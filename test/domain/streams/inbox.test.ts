import { describe, expect, it } from 'vitest'
import { coalesce } from '../../../src/domain/streams/follow-ticks.ts'
import { createInbox, Inbox, type InboxOptions, ofTypes } from '../../../src/domain/streams/inbox.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { ChatEvent } from '../../../src/ports/events.ts'
import type { MemberBoundaries } from '../../../src/protocol/ticks.ts'
import { aConversation, aMessage, aUser, upTo } from '../../kit/ids.ts'

const clock: Clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined }
const inboxOf = (options: Partial<InboxOptions> = {}) =>
  createInbox(clock, { limit: 3, accepts: () => true, ...options })

const conversationId = aConversation()
const message = (seq: number): ChatEvent => ({ type: 'message', message: aMessage(conversationId, seq) })
const ticks = (given: Partial<MemberBoundaries> = {}): ChatEvent => ({
  type: 'ticks',
  ticks: { conversationId, userId: aUser(), lastDeliveredSeq: 1, lastReadSeq: 0, ...given },
})
const typing = (): ChatEvent => ({ type: 'typing', typing: { conversationId, userId: aUser(), typing: true } })

describe('an inbox', () => {
  it('hands events over in the order they came', async () => {
    const inbox = inboxOf()
    const events = [message(1), ticks(), message(2)]
    for (const event of events) inbox.event(event)
    expect([await inbox.take(), await inbox.take(), await inbox.take()]).toEqual(events)
  })

  it('that is full is emptied, and its reader sent to the log', async () => {
    const inbox = inboxOf()
    for (const seq of upTo(4)) inbox.event(message(seq))
    expect(inbox.untaken()).toBeUndefined()
    expect(await inbox.take()).toEqual({ type: 'resync' })
    inbox.event(message(5))
    expect(await inbox.take()).toMatchObject({ message: { seq: 5 } })
  })

  it('is not filled by what its reader does not want', async () => {
    const inbox = inboxOf({ accepts: ofTypes('message', 'change') })
    for (const _ of upTo(300)) inbox.event(ticks())
    for (const _ of upTo(300)) inbox.event(typing())
    inbox.event(message(1))
    expect(inbox.untaken()).toHaveLength(1)
    expect(await inbox.take()).toMatchObject({ type: 'message', message: { seq: 1 } })
  })

  it('wakes a waiting reader only for what it wants', async () => {
    const inbox = inboxOf({ accepts: ofTypes('message') })
    const taken = inbox.take()
    inbox.event(ticks())
    inbox.event(message(7))
    expect(await taken).toMatchObject({ message: { seq: 7 } })
  })
})

describe('an inbox of ticks', () => {
  it('keeps one per member and conversation, so that a crowd that acks and acks does not fill it', async () => {
    const crowd = upTo(3).map(aUser)
    const inbox = inboxOf({ coalesce })
    for (const seq of upTo(100)) for (const userId of crowd) inbox.event(ticks({ userId, lastDeliveredSeq: seq }))
    expect(inbox.untaken()).toEqual(crowd.map((userId) => ticks({ userId, lastDeliveredSeq: 100 })))
  })

  it('still counts members: one too many empties it', async () => {
    const inbox = inboxOf({ coalesce })
    for (const _ of upTo(4)) inbox.event(ticks())
    expect(await inbox.take()).toEqual({ type: 'resync' })
  })

  it('loses no rise to an event that was overtaken', async () => {
    const userId = aUser()
    const inbox = inboxOf({ coalesce })
    inbox.event(ticks({ userId, lastDeliveredSeq: 5, lastReadSeq: 2 }))
    inbox.event(ticks({ userId, lastDeliveredSeq: 4, lastReadSeq: 3 }))
    expect(await inbox.take()).toEqual(ticks({ userId, lastDeliveredSeq: 5, lastReadSeq: 3 }))
  })

  it('keeps the same member’s ticks of two conversations apart', () => {
    const userId = aUser()
    const inbox = inboxOf({ coalesce })
    inbox.event(ticks({ userId }))
    inbox.event(ticks({ userId, conversationId: aConversation() }))
    expect(inbox.untaken()).toHaveLength(2)
  })

  it('one that was taken already is news again', async () => {
    const userId = aUser()
    const inbox = inboxOf({ coalesce })
    inbox.event(ticks({ userId, lastDeliveredSeq: 1 }))
    await inbox.take()
    inbox.event(ticks({ userId, lastDeliveredSeq: 2 }))
    expect(await inbox.take()).toEqual(ticks({ userId, lastDeliveredSeq: 2 }))
  })
})

describe('an inbox with a sink', () => {
  const sinkThat = (inbox: Inbox, answer: (event: ChatEvent) => boolean) => {
    const offered: ChatEvent[] = []
    inbox.sink = {
      tryPush(event) {
        offered.push(event)
        return answer(event)
      },
    }
    return offered
  }

  it('offers what comes while the reader waits, and goes on waiting when it is taken', async () => {
    const inbox = inboxOf()
    const offered = sinkThat(inbox, (event) => event.type === 'message')
    const taken = inbox.take()
    inbox.event(message(1))
    inbox.event(message(2))
    inbox.event(typing())
    expect(offered).toHaveLength(3)
    expect(await taken).toMatchObject({ type: 'typing' })
  })

  it('offers nothing while nobody waits', async () => {
    const inbox = inboxOf()
    const offered = sinkThat(inbox, () => true)
    inbox.event(message(1))
    expect(offered).toEqual([])
    expect(await inbox.take()).toMatchObject({ message: { seq: 1 } })
  })

  it.each([
    ['an event that was declined', (inbox: Inbox) => inbox.event(typing())],
    ['a loss', (inbox: Inbox) => inbox.gap()],
    ['the periodic resync', (inbox: Inbox) => inbox.periodicResync()],
    ['the end', (inbox: Inbox) => inbox.close()],
  ])('offers nothing between %s and the reader’s going on', async (_what, wake) => {
    const inbox = inboxOf({ limit: 10 })
    const offered = sinkThat(inbox, (event) => event.type === 'message')
    const taken = inbox.take()
    wake(inbox)
    inbox.event(message(1))
    expect(offered.filter(({ type }) => type === 'message')).toEqual([])
    await taken
  })

  it('offers nothing while the reader waits for a certain time', async () => {
    const inbox = new Inbox(
      { now: () => 0, monotonic: () => 0, sleep: () => new Promise(() => undefined) },
      { limit: 3, accepts: () => true },
    )
    const offered = sinkThat(inbox, () => true)
    void inbox.take(300)
    inbox.event(message(1))
    expect(offered).toEqual([])
    expect(inbox.untaken()).toHaveLength(1)
  })

  it('offers nothing while something is being offered, and a failure is a no', async () => {
    const inbox = inboxOf()
    const offered = sinkThat(inbox, () => {
      inbox.event(message(2))
      throw new Error('cannot take it')
    })
    const taken = inbox.take()
    inbox.event(message(1))
    expect(offered).toHaveLength(1)
    expect([await taken, await inbox.take()]).toMatchObject([{ message: { seq: 2 } }, { message: { seq: 1 } }])
  })
})
