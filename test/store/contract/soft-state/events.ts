import { describe, expect, test, vi } from 'vitest'
import type { ChatEvent, EventListener, EventSubscription } from '../../../../src/ports/events.ts'
import type { Session } from '../../../../src/ports/soft-state.ts'
import { GroupTicks } from '../../../../src/protocol/group-ticks.ts'
import type { ConversationId, Seq, UserId } from '../../../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../../../src/protocol/ticks.ts'
import { aConversation, aGroupChange, aMessage, aUser, upTo } from '../../../kit/ids.ts'
import { seedCounter } from '../../../kit/seed-counter.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export type RecordingListener = { events: ChatEvent[]; gaps: number; subscription: EventSubscription }

/** Subscribes a listener that records what it hears. */
export async function listen(
  events: SoftWorld['here']['events'],
  userId: UserId,
  given: Partial<EventListener> = {},
): Promise<RecordingListener> {
  const listener: Omit<RecordingListener, 'subscription'> = { events: [], gaps: 0 }
  const subscription = await events.subscribe(userId, {
    event: (event) => listener.events.push(event),
    gap() {
      listener.gaps += 1
    },
    ...given,
  })
  return Object.assign(listener, { subscription })
}

export function eventsContract(world: () => SoftWorld): void {
  const here = () => world().here.events
  const there = () => world().there.events
  const sessions = () => world().here.sessions
  const ticks = (lastDeliveredSeq: number) => ({
    conversationId: aConversation(),
    userId: aUser(),
    lastDeliveredSeq,
    lastReadSeq: 0,
  })
  const boundariesOf = ({ lastDeliveredSeq, lastReadSeq }: MemberBoundaries) => ({ lastDeliveredSeq, lastReadSeq })
  let connections = 0
  const attached = async (given: Partial<Session> = {}) => {
    connections += 1
    const session: Session = { userId: aUser(), connectionId: `stream-${connections}`, ...given }
    await sessions().attach(session)
    return session
  }
  const flagged = async () => {
    const session = await attached()
    await sessions().leave(session)
    await sessions().setPendingIndexComplete(session.userId)
    return session.userId
  }
  const isFlagSet = async (userId: UserId) =>
    (await sessions().attach({ userId, connectionId: 'next' })).pendingIndexComplete
  const until = (reached: () => void | Promise<void>) => vi.waitFor(reached, { timeout: 10_000, interval: 5 })

  test('an entry is heard by every member, on every node, exactly as it was sent', async () => {
    const [alice, bob] = [aUser(), aUser()]
    const [ofAlice, ofBob] = [await listen(here(), alice), await listen(there(), bob)]
    const message = aMessage(aConversation(), 3, { senderId: alice, body: 'naïve "🎉" \\ \u2028' })
    await here().publishEntry({ entry: message, members: [alice, bob] })
    await Promise.all([ofAlice.subscription.flush(), ofBob.subscription.flush()])
    expect(ofAlice.events).toEqual([{ type: 'message', message }])
    expect(ofBob.events).toEqual([{ type: 'message', message }])
  })

  test('nobody else hears it', async () => {
    const stranger = await listen(here(), aUser())
    await here().publishEntry({ entry: aMessage(aConversation(), 1), members: [aUser()] })
    await stranger.subscription.flush()
    expect(stranger.events).toEqual([])
  })

  test('boundaries are told to those named', async () => {
    const bob = aUser()
    const listener = await listen(there(), bob)
    const told = ticks(4)
    await here().publishBoundaries([aUser(), bob], told)
    await here().publishBoundaries([], told)
    await listener.subscription.flush()
    expect(listener.events).toEqual([{ type: 'ticks', ticks: told }])
  })

  test('whose boundaries they are hears of them too, once', async () => {
    const told = ticks(4)
    const listener = await listen(there(), told.userId)
    await here().publishBoundaries([aUser(), told.userId], told)
    await here().publishBoundaries([aUser()], told)
    await listener.subscription.flush()
    expect(listener.events).toEqual([{ type: 'ticks', ticks: told }])
  })

  test('boundaries that are published lift the cached ones, which say whether there may be a pending row', async () => {
    const { boundaryCache } = world().there
    const told = ticks(4)
    const { pendingVersion } = await here().publishBoundaries([told.userId, aUser()], told)
    expect(pendingVersion).toBeGreaterThan(0)
    expect(await boundaryCache.get(told)).toEqual({ ...boundariesOf(told), pendingVersion })
    await boundaryCache.lift(told, told, pendingVersion)
    const more = { ...told, lastDeliveredSeq: told.lastDeliveredSeq + 3 }
    expect(await here().publishBoundaries([], more)).toEqual({ pendingVersion: 0 })
    expect(await boundaryCache.get(told)).toEqual({ ...boundariesOf(more), pendingVersion: 0 })
    expect(await here().publishBoundaries([], told)).toEqual({ pendingVersion: 0 })
    expect(await boundaryCache.get(told)).toEqual({ ...boundariesOf(more), pendingVersion: 0 })
  })

  test('whose restrictions have changed is told to everybody who listens for that', async () => {
    const userId = aUser()
    const heard: ChatEvent[] = []
    const listener = { event: (event: ChatEvent) => void heard.push(event), gap: () => undefined }
    const subscriptions = [await here().subscribeRestrictions(listener), await there().subscribeRestrictions(listener)]
    const ofUser = await listen(here(), userId)
    await there().publishRestriction(userId, 7)
    await Promise.all([...subscriptions, ofUser.subscription].map((each) => each.flush()))
    expect(heard).toEqual(upTo(2).map(() => ({ type: 'restriction', userId, version: 7 })))
    expect(ofUser.events).toEqual([])
    await Promise.all(subscriptions.map((each) => each.close()))
  })

  test('a changed conversation is told to those named', async () => {
    const bob = aUser()
    const listener = await listen(there(), bob)
    const conversationId = aConversation()
    await here().publishConversation([aUser(), bob], conversationId)
    await listener.subscription.flush()
    expect(listener.events).toEqual([{ type: 'conversation', conversationId }])
  })

  test('publishing an entry returns the members nobody is attached for, in their order', async () => {
    const [syncing, online, away, never] = [await attached(), await attached(), await attached(), aUser()]
    await sessions().renew([{ session: online, state: 'online' }])
    await sessions().leave(away)
    const members = [never, syncing.userId, away.userId, online.userId]
    expect(await there().publishEntry({ entry: aMessage(aConversation(), 1), members })).toMatchObject({
      absent: [never, away.userId],
    })
  })

  test('a session for one conversation counts for that one alone', async () => {
    const conversationId = aConversation()
    const { userId } = await attached({ conversationId })
    expect(await here().publishEntry({ entry: aMessage(conversationId, 1), members: [userId] })).toMatchObject({
      absent: [],
    })
    expect(await here().publishEntry({ entry: aMessage(aConversation(), 1), members: [userId] })).toMatchObject({
      absent: [userId],
    })
  })

  test('an expired session does not count', async () => {
    const { userId, connectionId } = await attached()
    await world().expire(userId, connectionId)
    expect(await here().publishEntry({ entry: aMessage(aConversation(), 1), members: [userId] })).toMatchObject({
      absent: [userId],
    })
  })

  test('a forgotten session does not count until it is renewed', async () => {
    const session = await attached()
    const publish = () => here().publishEntry({ entry: aMessage(aConversation(), 1), members: [session.userId] })
    await world().forget()
    expect(await publish()).toMatchObject({ absent: [session.userId] })
    await sessions().renew([{ session, state: 'online' }])
    expect(await publish()).toMatchObject({ absent: [] })
  })

  test('who listens without a session gets the entry, but is not counted on', async () => {
    const bob = aUser()
    const listener = await listen(there(), bob)
    expect(await here().publishEntry({ entry: aMessage(aConversation(), 1), members: [bob] })).toMatchObject({
      absent: [bob],
    })
    await listener.subscription.flush()
    expect(listener.events).toHaveLength(1)
  })

  test('publishing an entry names those whose pending row was written after their ack', async () => {
    const [late, early, conversationId] = [aUser(), aUser(), aConversation()]
    const entry = aMessage(conversationId, 7)
    const delivered = (userId: UserId, seq: Seq) =>
      here().publishBoundaries([userId], { userId, conversationId, lastDeliveredSeq: seq, lastReadSeq: 0 })
    await delivered(late, 6)
    await delivered(early, 9)
    const published = await there().publishEntry({ entry, members: [late, early], pendingWritten: [late, early] })
    expect(published).toEqual({ absent: [late, early], overtaken: [{ userId: early, delivered: 9 }] })
    expect((await delivered(late, 7)).pendingVersion).not.toBe(0)
  })

  test('publishing an entry lifts the counter to its seq, never lowers it, and never makes one', async () => {
    const { sequencer } = world().here
    const [counted, gone] = [aConversation(), aConversation()]
    await seedCounter(sequencer, counted, 5)
    await here().publishEntry({ entry: aMessage(counted, 8), members: [aUser()] })
    expect(await sequencer.counters([counted])).toEqual([8])
    await here().publishEntry({ entry: aMessage(counted, 3), members: [] })
    expect(await sequencer.counters([counted])).toEqual([8])
    await here().publishEntry({ entry: aMessage(gone, 3), members: [aUser()] })
    expect(await sequencer.counters([gone])).toEqual([undefined])
  })

  test('a sender whose last session is just leaving gets no flag from it either', async () => {
    const session = await attached()
    await sessions().leave(session)
    await here().publishEntry({
      entry: aMessage(aConversation(), 1, { senderId: session.userId }),
      members: [session.userId],
    })
    await sessions().setPendingIndexComplete(session.userId)
    expect(await isFlagSet(session.userId)).toBe(false)
  })

  test('a sender nobody is attached for loses the flag, a receiver keeps it', async () => {
    const [alice, bob] = [await flagged(), await flagged()]
    await here().publishEntry({ entry: aMessage(aConversation(), 1, { senderId: alice }), members: [alice, bob] })
    expect(await isFlagSet(alice)).toBe(false)
    expect(await isFlagSet(bob)).toBe(true)
  })

  test('everything published once the subscription stands is heard', async () => {
    for (const _ of upTo(20)) {
      const bob = aUser()
      const listener = await listen(there(), bob)
      await here().publishBoundaries([bob], ticks(1))
      await listener.subscription.flush()
      expect(listener.events).toHaveLength(1)
    }
  })

  test('flushing waits for everything published before, in the order it was', async () => {
    const bob = aUser()
    const listener = await listen(there(), bob)
    const message = aMessage(aConversation(), 1, { body: 'x'.repeat(2000) })
    const publish = (seq: number) =>
      seq % 2
        ? here().publishEntry({ entry: { ...message, seq }, members: [bob] })
        : here().publishBoundaries([bob], ticks(seq))
    for (const round of upTo(10)) await Promise.all(upTo(100).map((i) => publish((round - 1) * 100 + i)))
    await listener.subscription.flush()
    const heard = listener.events.map((event) =>
      event.type === 'message' ? event.message.seq : event.type === 'ticks' && event.ticks.lastDeliveredSeq,
    )
    expect(heard).toEqual(upTo(1000))
  })

  test('flushes of many listeners at once do not disturb each other', async () => {
    const bob = aUser()
    const listeners = await Promise.all(upTo(10).map((i) => listen(i % 2 ? here() : there(), bob)))
    await here().publishBoundaries([bob], ticks(1))
    await Promise.all(listeners.map((listener) => listener.subscription.flush()))
    expect(listeners.map((listener) => listener.events.length)).toEqual(upTo(10).map(() => 1))
  })

  test('a closed subscription hears nothing more, while another of the same user still does', async () => {
    const bob = aUser()
    const [closed, open] = [await listen(here(), bob), await listen(here(), bob)]
    await closed.subscription.close()
    await closed.subscription.close()
    await there().publishBoundaries([bob], ticks(1))
    await open.subscription.flush()
    expect(closed.events).toEqual([])
    expect(open.events).toHaveLength(1)
  })

  test('whoever subscribes right after the last one closed hears everything', async () => {
    const bob = aUser()
    for (const _ of upTo(10)) {
      const listener = await listen(here(), bob)
      await there().publishBoundaries([bob], ticks(1))
      await listener.subscription.flush()
      expect(listener.events).toHaveLength(1)
      void listener.subscription.close()
    }
  })

  test('a listener that throws harms no other, and hears on', async () => {
    const bob = aUser()
    const clumsy: ChatEvent[] = []
    const first = await listen(here(), bob, {
      event(event) {
        clumsy.push(event)
        throw new Error('clumsy')
      },
    })
    const second = await listen(here(), bob)
    await there().publishBoundaries([bob], ticks(1))
    await there().publishBoundaries([bob], ticks(2))
    await Promise.all([first.subscription.flush(), second.subscription.flush()])
    expect(clumsy).toHaveLength(2)
    expect(second.events).toHaveLength(2)
  })

  test('a broken link is one gap for each listener, after which everything is heard again', async () => {
    const [bob, carol] = [aUser(), aUser()]
    const listeners = [await listen(here(), bob), await listen(here(), carol), await listen(there(), bob)]
    await world().cutSubscribers()
    await until(() => expect(listeners.map((listener) => listener.gaps)).toEqual([1, 1, 1]))
    await there().publishBoundaries([bob, carol], ticks(1))
    await Promise.all(listeners.map((listener) => listener.subscription.flush()))
    expect(listeners.map((listener) => listener.events.length)).toEqual([1, 1, 1])
    expect(listeners.map((listener) => listener.gaps)).toEqual([1, 1, 1])
  })

  test('at the moment of the gap the listener hears again: what it reads then has no hole after it', async () => {
    const bob = aUser()
    const told: Promise<unknown>[] = []
    const listener = await listen(here(), bob, { gap: () => told.push(there().publishBoundaries([bob], ticks(7))) })
    await world().cutSubscribers()
    await until(() => expect(listener.events).toMatchObject([{ type: 'ticks', ticks: { lastDeliveredSeq: 7 } }]))
    await Promise.all(told)
    await listener.subscription.close()
  })

  test('a closed subscription has no gaps', async () => {
    const bob = aUser()
    const [closed, open] = [await listen(here(), bob), await listen(here(), bob)]
    await closed.subscription.close()
    await world().cutSubscribers()
    await until(() => expect(open.gaps).toBe(1))
    expect(closed.gaps).toBe(0)
  })

  test('while there is no answer every call is UNAVAILABLE; afterwards everything goes on by itself', async () => {
    const { sequencer, boundaryCache, versions, activity, blockCache } = world().here
    const session = await attached()
    const { userId } = session
    const conversationId = aConversation()
    const send = { senderId: userId, clientMessageId: 'one' as never }
    const listener = await listen(here(), userId)
    const comeBack = await world().goDown()
    const calls: Promise<unknown>[] = [
      sequencer.reserve(conversationId, send),
      seedCounter(sequencer, conversationId, 1),
      sequencer.reserveAbove(conversationId, 1),
      sequencer.giveBack(conversationId, 1),
      sequencer.counters([conversationId]),
      sessions().attach(session),
      sessions().renew([{ session, state: 'online' }]),
      sessions().leave(session),
      sessions().setPendingIndexComplete(userId),
      sessions().presence([userId]),
      sessions().seen([userId]),
      blockCache.look([conversationId], 'lease'),
      blockCache.reserve(conversationId, send, 'lease'),
      blockCache.seed(conversationId, 'lease', []),
      blockCache.begin(conversationId, 'change'),
      blockCache.end(conversationId, 'change'),
      boundaryCache.get({ userId, conversationId }),
      boundaryCache.open({ userId, conversationId }),
      boundaryCache.lift({ userId, conversationId }, { lastDeliveredSeq: 1, lastReadSeq: 1 }),
      activity.of([conversationId]),
      activity.seed([{ conversationId, seq: 1, atMs: 1 }]),
      here().publishEntry({ entry: aMessage(conversationId, 1), members: [userId] }),
      here().publishGroupEntry(aMessage(conversationId, 1)),
      here().publishBoundaries([userId], ticks(1)),
      here().publishTyping(conversationId, { conversationId, userId, typing: true }),
      here().publishMembership([userId], { conversationId, seq: 1, joined: true }),
      here().subscribeGroup(conversationId, { event: () => undefined, gap: () => undefined }),
      versions.look([conversationId], 'token'),
      versions.seed(conversationId, 'token', 1),
      versions.raise(conversationId, 1),
      here().publishConversation([userId], conversationId),
      here().subscribe(aUser(), { event: () => undefined, gap: () => undefined }),
      here().subscribePresence([aUser(), aUser()], { event: () => undefined, gap: () => undefined }),
      listener.subscription.flush(),
    ]
    const answers = await Promise.allSettled(calls)
    await comeBack()
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })

    await until(async () => {
      await seedCounter(sequencer, conversationId, 3)
      expect(await sequencer.counters([conversationId])).toEqual([3])
      const later = await listen(there(), userId)
      await here().publishBoundaries([userId], ticks(9))
      await Promise.all([listener.subscription.flush(), later.subscription.flush()])
      expect(later.events).toHaveLength(1)
      expect(listener.events.at(-1)).toMatchObject({ type: 'ticks', ticks: { lastDeliveredSeq: 9 } })
    })
  })

  describe('of a group', () => {
    const inGroup = async (id: ConversationId, events = here()) => {
      const heard: ChatEvent[] = []
      const subscription = await events.subscribeGroup(id, {
        event: (event) => void heard.push(event),
        gap: () => undefined,
      })
      return { heard, subscription }
    }

    test('an entry is heard by everybody who listens to it, on every node, and by nobody else', async () => {
      const [id, other] = [aConversation(), aConversation()]
      const [one, two, stranger] = [await inGroup(id), await inGroup(id, there()), await inGroup(other, there())]
      const message = aMessage(id, 3, { body: 'naïve "🎉"' })
      const change = aGroupChange(id, 4, { added: [aUser()], title: 'Tea', applied: true })
      await here().publishGroupEntry(message)
      await here().publishGroupEntry(change)
      await Promise.all([one, two, stranger].map(({ subscription }) => subscription.flush()))
      const both = [
        { type: 'message', message },
        { type: 'group', change },
      ]
      expect([one.heard, two.heard, stranger.heard]).toEqual([both, both, []])
      await Promise.all([one, two, stranger].map(({ subscription }) => subscription.close()))
      await here().publishGroupEntry(message)
      expect(one.heard).toHaveLength(2)
    })

    test('ticks and typing are told to all of it at once', async () => {
      const id = aConversation()
      const { heard, subscription } = await inGroup(id, there())
      const told = { ...ticks(2), conversationId: id }
      const typing = { conversationId: id, userId: aUser(), typing: true }
      await here().publishBoundaries(id, told)
      await here().publishTyping(id, typing)
      await subscription.flush()
      expect(heard).toEqual([
        { type: 'ticks', ticks: told },
        { type: 'typing', typing },
      ])
    })

    test('rises of several members are told to all of it as one event', async () => {
      const id = aConversation()
      const { heard, subscription } = await inGroup(id, there())
      const told = (seq: number) => ({ ...ticks(seq), conversationId: id, userId: aUser() })
      const before = { lastDeliveredSeq: 1, lastReadSeq: 1 }
      const group = new GroupTicks(id, [{ ticks: told(7), before }, { ticks: told(9) }])
      await here().publishGroupTicks(group)
      await subscription.flush()
      expect(heard).toEqual([{ type: 'groupTicks', group }])
    })

    test('whoever is added or removed is told on their own channel', async () => {
      const [bob, id] = [aUser(), aConversation()]
      const listener = await listen(there(), bob)
      await here().publishMembership([aUser(), bob], { conversationId: id, seq: 7, joined: true })
      await listener.subscription.flush()
      expect(listener.events).toEqual([
        { type: 'membership', membership: { conversationId: id, seq: 7, joined: true } },
      ])
    })

    test('publishing an entry lifts the counter, and never makes one', async () => {
      const { sequencer } = world().here
      const [known, unknown] = [aConversation(), aConversation()]
      await seedCounter(sequencer, known, 3)
      for (const id of [known, unknown]) await here().publishGroupEntry(aMessage(id, 8))
      await here().publishGroupEntry(aMessage(known, 5))
      expect(await sequencer.counters([known, unknown])).toEqual([8, undefined])
    })
  })
}
