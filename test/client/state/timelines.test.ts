import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConversations } from '../../../packages/client/src/state/conversations.ts'
import { createOutbox } from '../../../packages/client/src/state/outbox.ts'
import { createTimelines, type Timeline } from '../../../packages/client/src/state/timelines.ts'
import {
  conversation,
  list,
  message,
  networkFailure,
  page,
  persistedStateOver,
  refused,
  retrying,
  scriptedAsk,
  settled,
  stored,
} from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const bob = { userId: 'bob' }
const chat = { conversationId: 'dm_1' }
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const messages = (from: number, to: number) => range(from, to).map((seq) => message(seq))

/** With a list and an outbox as they are. */
function start() {
  const asks = scriptedAsk()
  const { ask } = asks
  const { retryUntilAnswered } = retrying()
  let made = 0
  const conversations = createConversations({
    ask,
    retryUntilAnswered,
    userId: 'alice',
    readUpTo: () => 0,
  })
  const outbox = createOutbox({
    ask,
    persistedState: persistedStateOver(),
    random: () => 0,
    randomId: () => `id${++made}`,
    now: Date.now,
    queueOf: conversations.recipientKeyOf,
    onStored: () => false,
  })
  outbox.restore([])
  const timelines = createTimelines({ ask, retryUntilAnswered, conversations, outbox })
  conversations.onSeen((_conversation, isNew) => isNew && timelines.refresh())
  return {
    ...asks,
    conversations,
    outbox,
    timelines,
    async listed(): Promise<void> {
      void conversations.refresh(() => false)
      await asks.answer(list([conversation()]), 'Conversations')
    },
  }
}

const shown = (timeline: Timeline) =>
  timeline
    .get()
    .entries.map((entry) =>
      entry.type === 'message' ? String(entry.message.seq) : `${entry.outgoing.body} ${entry.outgoing.state}`,
    )

describe('a timeline', () => {
  it('is the same for the same recipient', () => {
    const { timelines } = start()
    expect(timelines.of(bob)).toBe(timelines.of({ userId: 'bob' }))
    expect(timelines.of(chat)).toBe(timelines.of({ conversationId: 'dm_1' }))
    expect(timelines.of(bob)).not.toBe(timelines.of(chat))
  })

  it('loads while somebody looks, and not before', async () => {
    const { timelines, open, answer } = start()
    const timeline = timelines.of(chat)
    expect(timeline.get()).toEqual({
      entries: [],
      conversationId: 'dm_1',
      loading: false,
      hasOlder: true,
      hasNewer: false,
    })
    expect(open).toHaveLength(0)
    const told = vi.fn()
    timeline.subscribe(told)
    expect(timeline.get().loading).toBe(true)
    await answer(page(messages(1, 3)))
    expect(shown(timeline)).toEqual(['1', '2', '3'])
    expect(timeline.get()).toMatchObject({ loading: false, hasOlder: false, hasNewer: false })
    expect(told).toHaveBeenCalled()
  })

  it('is the same object until something changes', async () => {
    const { timelines, answer } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    await answer(page(messages(1, 3)))
    const [state, entry] = [timeline.get(), timeline.get().entries[0]]
    expect(timeline.get()).toBe(state)
    timelines.received(message(4))
    expect(timeline.get()).not.toBe(state)
    expect(timeline.get().entries[0]).toBe(entry)
  })

  it('loads older pages', async () => {
    const { timelines, answer, first } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    await answer(page(messages(51, 100), true))
    void timeline.loadOlder()
    expect(first().variables.after).toBe('c51')
    await answer(page(messages(1, 50)))
    expect(shown(timeline)).toEqual(range(1, 100).map(String))
  })

  it('of which a page failed is loaded when there is a way again', async () => {
    const { timelines, fail, answer } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    await fail(networkFailure)
    expect(timeline.get().error).toMatchObject({ code: 'NETWORK' })
    timelines.refresh()
    await answer(page(messages(1, 1)))
    expect(shown(timeline)).toEqual(['1'])
  })

  it('of which the newest page failed for the moment is read again by itself', async () => {
    const { timelines, fail, answer, open } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    for (const pauseMs of [250, 500]) {
      await fail(networkFailure)
      expect(timeline.get()).toMatchObject({ loading: false, error: { code: 'NETWORK' } })
      expect(open).toHaveLength(0)
      await vi.advanceTimersByTimeAsync(pauseMs)
      expect(timeline.get().loading).toBe(true)
    }
    await answer(page(messages(1, 3)))
    expect(shown(timeline)).toEqual(['1', '2', '3'])
    expect(timeline.get().error).toBeUndefined()
  })

  it('of which the newest page failed is not read again for nobody, nor if it was refused', async () => {
    const { timelines, fail, open } = start()
    const stop = timelines.of(chat).subscribe(() => undefined)
    await fail(networkFailure)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(open).toHaveLength(0)
    timelines.of(chat).subscribe(() => undefined)
    await fail(refused('NOT_FOUND'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(open).toHaveLength(0)
  })

  it('tells nobody who has gone', async () => {
    const { timelines, answer } = start()
    const timeline = timelines.of(chat)
    const told = vi.fn()
    const stop = timeline.subscribe(told)
    stop()
    told.mockClear()
    await answer(page(messages(1, 1)))
    timelines.received(message(2))
    expect(told).not.toHaveBeenCalled()
  })

  it('is read anew after a reset', async () => {
    const { timelines, answer } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    await answer(page(messages(1, 3)))
    timelines.reset()
    expect(shown(timeline)).toEqual([])
    await answer(page(messages(1, 1)))
    expect(shown(timeline)).toEqual(['1'])
  })
})

describe('the timeline of a person', () => {
  it('has no conversation until it is known, and then loads it', async () => {
    const { timelines, open, listed, answer } = start()
    const timeline = timelines.of(bob)
    timeline.subscribe(() => undefined)
    expect(timeline.get()).toEqual({ entries: [], loading: false, hasOlder: false, hasNewer: false })
    await timeline.loadOlder()
    expect(open).toHaveLength(0)
    await listed()
    expect(timeline.get()).toMatchObject({ conversationId: 'dm_1', loading: true })
    await answer(page(messages(1, 2)), 'Messages')
    expect(shown(timeline)).toEqual(['1', '2'])
  })

  it('shows the same as that of the chat with them', async () => {
    const { timelines, listed, answer, all } = start()
    await listed()
    for (const to of [bob, chat]) timelines.of(to).subscribe(() => undefined)
    await answer(page(messages(1, 2)), 'Messages')
    timelines.received(message(3))
    expect(shown(timelines.of(bob))).toEqual(['1', '2', '3'])
    expect(shown(timelines.of(chat))).toEqual(['1', '2', '3'])
    expect(all.filter(({ name }) => name === 'Messages')).toHaveLength(1)
  })

  it('stays as it is when somebody else no longer looks at the chat with them', async () => {
    const { timelines, listed, answer } = start()
    await listed()
    timelines.of(bob).subscribe(() => undefined)
    const stop = timelines.of(chat).subscribe(() => undefined)
    await answer(page(messages(1, 600)), 'Messages')
    stop()
    timelines.refresh()
    await settled()
    expect(shown(timelines.of(bob))).toHaveLength(600)
  })

  it('lets go of a long history when nobody looks any more', async () => {
    const { timelines, listed, answer, open } = start()
    await listed()
    const stops = [bob, chat].map((to) => timelines.of(to).subscribe(() => undefined))
    await answer(page(messages(1, 600)), 'Messages')
    for (const stop of stops) stop()
    timelines.refresh()
    expect(shown(timelines.of(bob))).toEqual([])
    timelines.of(bob).subscribe(() => undefined)
    expect(open.map(({ name }) => name)).toEqual(['Messages'])
  })
})

describe('what is on its way', () => {
  it('comes last, and turns into the message in its place, under the same key', async () => {
    const { timelines, outbox, answer } = start()
    const timeline = timelines.of(chat)
    timeline.subscribe(() => undefined)
    await answer(page(messages(1, 2)), 'Messages')
    outbox.send(chat, 'hi')
    expect(shown(timeline)).toEqual(['1', '2', 'hi waiting'])
    const { key } = timeline.get().entries[2] ?? {}
    await settled()
    const own = message(3, { from: 'alice', clientMessageId: 'id1' })
    await answer(stored(own), 'SendMessage')
    expect(shown(timeline)).toEqual(['1', '2', 'hi sent'])
    timelines.received(own)
    outbox.arrived('id1')
    expect(shown(timeline)).toEqual(['1', '2', '3'])
    expect(timeline.get().entries[2]?.key).toBe(key)
  })

  it('is never shown twice, whichever comes first', async () => {
    const { timelines, outbox, answer } = start()
    const timeline = timelines.of(chat)
    const seen: string[][] = []
    timeline.subscribe(() => seen.push(shown(timeline)))
    await answer(page(messages(1, 1)), 'Messages')
    outbox.send(chat, 'hi')
    timelines.received(message(2, { from: 'alice', clientMessageId: 'id1' }))
    outbox.arrived('id1')
    expect(seen.slice(-3)).toEqual([
      ['1', 'hi waiting'],
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('goes to one conversation, and shows in no other', () => {
    const { timelines, outbox } = start()
    outbox.send({ userId: 'carol' }, 'to carol')
    outbox.send(bob, 'to bob')
    expect(shown(timelines.of(bob))).toEqual(['to bob waiting'])
    expect(shown(timelines.of({ userId: 'carol' }))).toEqual(['to carol waiting'])
    expect(shown(timelines.of(chat))).toEqual([])
  })

  it('to a person shows in the chat with them, as soon as that is known', async () => {
    const { timelines, outbox, conversations } = start()
    outbox.send(bob, 'hi')
    conversations.isDirectWith('bob', 'dm_1')
    timelines.refresh()
    expect(shown(timelines.of(bob))).toEqual(['hi waiting'])
    expect(shown(timelines.of(chat))).toEqual(['hi waiting'])
  })

  it('and was refused shows where it was written', async () => {
    const { timelines, outbox, fail } = start()
    outbox.send(bob, 'hi')
    await settled()
    await fail(refused('FORBIDDEN'))
    expect(shown(timelines.of(bob))).toEqual(['hi failed'])
    outbox.discard('id1')
    expect(shown(timelines.of(bob))).toEqual([])
  })
})

describe('a conversation the user has left', () => {
  it('shows nothing but what could not be sent, and is not read', async () => {
    const { timelines, conversations, outbox, answer, open, all } = start()
    conversations.onGone(timelines.forget)
    const timeline = timelines.of({ conversationId: 'grp_1' })
    timeline.subscribe(() => undefined)
    await answer(page([message(1, { conversationId: 'grp_1' })]), 'Messages')
    expect(shown(timeline)).toEqual(['1'])
    conversations.drop('grp_1')
    expect(timeline.get()).toEqual({
      entries: [],
      conversationId: 'grp_1',
      loading: false,
      hasOlder: false,
      hasNewer: false,
      left: true,
    })
    timelines.refresh()
    expect(open).toEqual([])
    outbox.send({ conversationId: 'grp_1' }, 'late')
    await settled()
    all.at(-1)?.fail(refused('NOT_FOUND'))
    await settled()
    expect(shown(timeline)).toEqual(['late failed'])
  })

  it('is read anew when they are let in again', async () => {
    const { timelines, conversations, answer } = start()
    conversations.onGone(timelines.forget)
    const timeline = timelines.of({ conversationId: 'grp_1' })
    timeline.subscribe(() => undefined)
    await answer(page([message(1, { conversationId: 'grp_1' })]), 'Messages')
    conversations.drop('grp_1')
    void conversations.reread('grp_1')
    await answer({ conversation: conversation({ id: 'grp_1', kind: 'GROUP' }) }, 'Conversation')
    expect(timeline.get()).not.toHaveProperty('left')
    await answer(page([message(8, { conversationId: 'grp_1' })]), 'Messages')
    expect(shown(timeline)).toEqual(['8'])
  })
})
