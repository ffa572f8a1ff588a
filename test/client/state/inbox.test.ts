import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MessageFieldsFragment } from '../../../packages/client/src/generated/graphql.ts'
import { createInbox, type Inbox, type InboxOptions } from '../../../packages/client/src/state/inbox.ts'
import { memoryStorage } from '../../../packages/client/src/storage/memory-storage.ts'
import type { Storage } from '../../../packages/client/src/storage/storage.ts'
import {
  event,
  expectNoTimers,
  isDone,
  keptIn,
  message,
  microtasks,
  page,
  persistedStateOver,
  refused,
  type ScriptedAsk,
  scriptedAsk,
  settled,
} from '../kit.ts'

// One conversation at position p; what comes, and when:
//
//   known (seq ≤ p) · next (previousSeq ≤ p) · early (previousSeq > p)
//   early, then the page                     the gap, then what was held
//   early, the stream brings the gap         before the page, during its way, after it
//   early, early, the page                   one read; held ones follow in order, whatever the order they came in
//   early, the page, newer than the page     read again
//   early, the page shows less               the event is the next one, and nothing is read again
//   early, the page fails                    again, later each time, one chain however many events come meanwhile
//   the page under way, then reset or close  it belongs to something that is over: nothing of it is told

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type World = ScriptedAsk & { inbox: Inbox; told: string[] }

function start(options: Partial<InboxOptions> & { storage?: Storage; at?: number } = {}): World {
  const { storage = memoryStorage(), at = 0, ...rest } = options
  const asks = scriptedAsk()
  const told: string[] = []
  const onMessage = ({ conversationId, seq }: MessageFieldsFragment) => told.push(`${conversationId} ${seq}`)
  const inbox = createInbox({
    ask: asks.ask,
    persistedState: persistedStateOver(storage),
    random: () => 0,
    onMessage,
    ...rest,
  })
  inbox.restore([
    ['device', true],
    ['position:dm_1', at],
  ])
  return { ...asks, inbox, told }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const messages = (from: number, to: number) => range(from, to).map((seq) => message(seq))
const lines = (from: number, to: number) => range(from, to).map((seq) => `dm_1 ${seq}`)

describe('an event', () => {
  it('that is the next one is told', () => {
    const { inbox, told, all } = start({ at: 4 })
    inbox.handleEvent(event(message(5)))
    inbox.handleEvent(event(message(6)))
    expect(told).toEqual(['dm_1 5', 'dm_1 6'])
    expect(inbox.positionOf('dm_1')).toBe(6)
    expect(all).toHaveLength(0)
  })

  it('that is known is dropped', () => {
    const { inbox, told } = start({ at: 4 })
    inbox.handleEvent(event(message(5)))
    for (const seq of [4, 5, 1]) inbox.handleEvent(event(message(seq)))
    expect(told).toEqual(['dm_1 5'])
    expect(inbox.positionOf('dm_1')).toBe(5)
  })

  it('that follows numbers without a message is the next one', () => {
    const { inbox, told, all } = start({ at: 4 })
    inbox.handleEvent(event(message(9), 4))
    expect(told).toEqual(['dm_1 9'])
    expect(all).toHaveLength(0)
  })

  it('whose predecessor lies below the position is the next one', () => {
    const { inbox, told, all } = start({ at: 4 })
    inbox.handleEvent(event(message(6), 2))
    expect(told).toEqual(['dm_1 6'])
    expect(all).toHaveLength(0)
  })

  it('of a conversation nobody knew is its first', () => {
    const { inbox, told } = start()
    inbox.handleEvent(event(message(1, { conversationId: 'grp_1' })))
    expect(told).toEqual(['grp_1 1'])
    expect(inbox.knows('grp_1')).toBe(true)
  })
})

describe('an early event', () => {
  it('is held until the log has shown what is missing', async () => {
    const { inbox, told, all, answer } = start({ at: 2 })
    inbox.handleEvent(event(message(5)))
    expect(told).toEqual([])
    expect(inbox.positionOf('dm_1')).toBe(2)
    expect(all).toMatchObject([{ name: 'Messages', variables: { conversationId: 'dm_1', after: null } }])
    await answer(page(messages(1, 5)))
    expect(told).toEqual(lines(3, 5))
    expect(all).toHaveLength(1)
    expectNoTimers()
  })

  it('is the next one when the stream brings what is missing before the page', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    inbox.handleEvent(event(message(5)))
    inbox.handleEvent(event(message(3)))
    expect(told).toEqual(['dm_1 3'])
    inbox.handleEvent(event(message(4)))
    expect(told).toEqual(lines(3, 5))
    await answer(page(messages(1, 5)))
    expect(told).toEqual(lines(3, 5))
    expect(all).toHaveLength(1)
  })

  it('that has overtaken others is told after them', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    for (const seq of [7, 5, 6]) inbox.handleEvent(event(message(seq)))
    await answer(page(messages(1, 7)))
    expect(told).toEqual(lines(3, 7))
    expect(all).toHaveLength(1)
  })

  it('that has overtaken others does not make them known, should the log not show them', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    for (const seq of [9, 5, 7]) inbox.handleEvent(event(message(seq)))
    await answer(page(messages(1, 2)))
    expect(told).toEqual(['dm_1 5', 'dm_1 7', 'dm_1 9'])
    expect(all).toHaveLength(1)
  })

  it('heard twice is told once', async () => {
    const { inbox, told, answer } = start({ at: 2 })
    inbox.handleEvent(event(message(5)))
    inbox.handleEvent(event(message(5)))
    await answer(page(messages(1, 5)))
    expect(told).toEqual(lines(3, 5))
  })

  it('that is newer than the page is held, and the log is read again', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    inbox.handleEvent(event(message(5)))
    inbox.handleEvent(event(message(9)))
    await answer(page(messages(1, 6)))
    expect(told).toEqual(lines(3, 6))
    expect(all).toHaveLength(2)
    await answer(page(messages(1, 9)))
    expect(told).toEqual(lines(3, 9))
    expect(all).toHaveLength(2)
  })

  it('that comes while the log is read for another reason is not forgotten', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    const filled = inbox.fill('dm_1')
    inbox.handleEvent(event(message(6)))
    await answer(page(messages(1, 4)))
    expect(await isDone(filled)).toBe(false)
    await answer(page(messages(1, 6)))
    expect(await isDone(filled)).toBe(true)
    expect(told).toEqual(lines(3, 6))
    expect(all).toHaveLength(2)
  })

  it.each(range(0, 12))('that comes %d steps after the page is not forgotten', async (steps) => {
    const { inbox, told, answer, first, open } = start({ at: 2 })
    inbox.handleEvent(event(message(4)))
    first().answer(page(messages(1, 4)))
    await microtasks(steps)
    inbox.handleEvent(event(message(6)))
    await settled()
    if (open.length > 0) await answer(page(messages(1, 6)))
    expect(told).toEqual(lines(3, 6))
  })

  it('is the next one when the log shows less than it says', async () => {
    const { inbox, told, answer, all } = start({ at: 2 })
    inbox.handleEvent(event(message(5), 4))
    await answer(page([...messages(1, 2), message(5)]))
    inbox.handleEvent(event(message(8), 7))
    await answer(page([...messages(1, 2), message(5)]))
    expect(told).toEqual(['dm_1 5', 'dm_1 8'])
    expect(all).toHaveLength(2)
    expectNoTimers()
  })

  it('is the next one when the log shows nothing at all', async () => {
    const { inbox, told, answer, all } = start()
    inbox.handleEvent(event(message(5), 4))
    inbox.handleEvent(event(message(7), 6))
    await answer(page([]))
    expect(told).toEqual(['dm_1 5'])
    await answer(page([]))
    expect(told).toEqual(['dm_1 5', 'dm_1 7'])
    expect(all).toHaveLength(2)
  })

  it('of one conversation does not hold up another', async () => {
    const { inbox, told, answer } = start()
    inbox.handleEvent(event(message(3)))
    inbox.handleEvent(event(message(1, { conversationId: 'grp_1' })))
    inbox.handleEvent(event(message(4, { conversationId: 'grp_2' })))
    expect(told).toEqual(['grp_1 1'])
    await answer(page(messages(1, 3)))
    expect(told).toEqual(['grp_1 1', 'dm_1 1', 'dm_1 2', 'dm_1 3'])
    await answer(page(range(1, 4).map((seq) => message(seq, { conversationId: 'grp_2' }))))
    expect(told.slice(4)).toEqual(['grp_2 1', 'grp_2 2', 'grp_2 3', 'grp_2 4'])
  })
})

describe('a read of the log', () => {
  it('goes back page by page to the position, and tells the oldest first', async () => {
    const { inbox, told, answer, all } = start({ at: 50 })
    inbox.handleEvent(event(message(300)))
    await answer(page(messages(201, 300), true))
    await answer(page(messages(101, 200), true))
    expect(told).toEqual([])
    await answer(page(messages(1, 100), true))
    expect(told).toEqual(lines(51, 300))
    expect(all.map(({ variables }) => variables)).toEqual([
      { conversationId: 'dm_1', first: 100, after: null },
      { conversationId: 'dm_1', first: 100, after: 'c201' },
      { conversationId: 'dm_1', first: 100, after: 'c101' },
    ])
  })

  it('ends where the log begins', async () => {
    const { inbox, told, answer, open } = start()
    inbox.handleEvent(event(message(101)))
    await answer(page(messages(2, 101), true))
    await answer(page(messages(1, 1)))
    expect(told).toEqual(lines(1, 101))
    expect(open).toHaveLength(0)
  })

  it('goes on when the position is exactly at the end of a page', async () => {
    const { inbox, told, answer, open } = start({ at: 2 })
    inbox.handleEvent(event(message(5)))
    await answer(page(messages(3, 5), true))
    await answer(page(messages(1, 2)))
    expect(told).toEqual(lines(3, 5))
    expect(open).toHaveLength(0)
  })

  it('does not go back further than to the position', async () => {
    const { inbox, told, answer, open } = start({ at: 2 })
    inbox.handleEvent(event(message(4)))
    await answer(page(messages(2, 4), true))
    expect(told).toEqual(lines(3, 4))
    expect(open).toHaveLength(0)
  })

  it('is shared by everybody who wants it', async () => {
    const { inbox, answer, all } = start()
    const both = [inbox.fill('dm_1'), inbox.fill('dm_1')]
    await answer(page(messages(1, 2)))
    await Promise.all(both)
    expect(all).toHaveLength(1)
    void inbox.fill('dm_1')
    await settled()
    expect(all).toHaveLength(2)
  })

  it('that fails tells whoever asked for it', async () => {
    const { inbox, fail, all } = start()
    const filled = inbox.fill('dm_1')
    const outcome = expect(filled).rejects.toMatchObject({ code: 'NETWORK' })
    await fail()
    await outcome
    await vi.advanceTimersByTimeAsync(120_000)
    expect(all).toHaveLength(1)
  })

  it('that fails for an early event is tried again, later each time and never more than 30 s', async () => {
    const { inbox, told, fail, answer, all } = start()
    inbox.handleEvent(event(message(3)))
    for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      const before = all.length
      await fail()
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(all).toHaveLength(before)
      await vi.advanceTimersByTimeAsync(1)
      expect(all).toHaveLength(before + 1)
    }
    await answer(page(messages(1, 3)))
    expect(told).toEqual(lines(1, 3))
    expectNoTimers()
  })

  it('that fails in the middle begins again at the newest page', async () => {
    const { inbox, told, fail, answer, first } = start()
    inbox.handleEvent(event(message(4)))
    await answer(page(messages(3, 4), true))
    await fail()
    expect(told).toEqual([])
    await vi.advanceTimersByTimeAsync(250)
    expect(first().variables.after).toBeNull()
    await answer(page(messages(1, 4)))
    expect(told).toEqual(lines(1, 4))
  })

  it('that fails is tried again once, however many early events were heard meanwhile', async () => {
    const { inbox, told, fail, answer, all } = start()
    for (const seq of [3, 4, 5]) inbox.handleEvent(event(message(seq)))
    await fail()
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(250)
    expect(all).toHaveLength(2)
    for (const seq of [7, 8, 9]) inbox.handleEvent(event(message(seq)))
    await fail()
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(all).toHaveLength(3)
    await answer(page(messages(1, 9)))
    expect(told).toEqual(lines(1, 9))
    expectNoTimers()
  })

  it('that fails is not asked for more often because the conversation is lively', async () => {
    const { inbox, fail, all } = start()
    inbox.handleEvent(event(message(3)))
    await fail()
    for (const seq of range(5, 20)) {
      inbox.handleEvent(event(message(seq)))
      await settled()
    }
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(250)
    expect(all).toHaveLength(2)
  })

  it('is not needed any more when the stream has brought what was missing in the pause', async () => {
    const { inbox, told, fail, all } = start()
    inbox.handleEvent(event(message(3)))
    await fail()
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(2)))
    expect(told).toEqual(lines(1, 3))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(all).toHaveLength(1)
    expectNoTimers()
  })
})

describe('positions', () => {
  it('are kept only after the application was told', async () => {
    const order: string[] = []
    const persistedState = {
      ...persistedStateOver(),
      set: (key: string, value: unknown) => void order.push(`kept ${key} ${value}`),
    }
    const { inbox, answer } = start({ persistedState, onMessage: ({ seq }) => void order.push(`told ${seq}`) })
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(3)))
    await answer(page(messages(1, 2)))
    expect(order).toEqual(['told 1', 'told 2', 'told 3'].flatMap((told, i) => [told, `kept position:dm_1 ${i + 1}`]))
  })

  it('of what is held are not kept', async () => {
    const storage = memoryStorage()
    const { inbox } = start({ storage })
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(5)))
    await settled()
    expect(await keptIn(storage)).toEqual({ 'position:dm_1': 1 })
  })

  it('outlive a reload', async () => {
    const storage = memoryStorage()
    const { inbox } = start({ storage })
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(2, { conversationId: 'grp_1' }), 0))
    await settled()
    const { inbox: again, told } = start({ storage })
    again.restore(await storage.load())
    expect(again.positions()).toEqual([
      { conversationId: 'dm_1', seq: 1 },
      { conversationId: 'grp_1', seq: 2 },
    ])
    again.handleEvent(event(message(1)))
    expect(told).toEqual([])
  })

  it('name the conversations with the latest messages, as many as fit', () => {
    const { inbox } = start({ at: 7 })
    for (const i of range(1, 900)) inbox.handleEvent(event(message(1, { conversationId: `grp_${i}` })))
    inbox.handleEvent(event(message(2, { conversationId: 'grp_1' })))
    const named = inbox.positions()
    expect(named).toHaveLength(800)
    expect(named.at(-1)).toEqual({ conversationId: 'grp_1', seq: 2 })
    expect(named[0]).toEqual({ conversationId: 'grp_102', seq: 1 })
    expect(inbox.positionOf('dm_1')).toBe(7)
  })

  it('of a new device begin where they are told to, and are its own from then on', async () => {
    const storage = memoryStorage()
    const asks = scriptedAsk()
    const told: number[] = []
    const onMessage = ({ seq }: MessageFieldsFragment) => void told.push(seq)
    const inbox = createInbox({
      ask: asks.ask,
      persistedState: persistedStateOver(storage),
      random: () => 0,
      onMessage,
    })
    expect(inbox.isNew()).toBe(true)
    inbox.begin([{ conversationId: 'dm_1', seq: 4 }])
    expect(inbox.isNew()).toBe(false)
    inbox.handleEvent(event(message(4)))
    inbox.handleEvent(event(message(5)))
    inbox.begin([{ conversationId: 'dm_1', seq: 9 }])
    inbox.handleEvent(event(message(6)))
    expect(told).toEqual([5, 6])
    await settled()
    expect(await keptIn(storage)).toEqual({ device: true, 'position:dm_1': 6 })
  })
})

describe('whoever waits for a position', () => {
  it('that was reached is not kept waiting', async () => {
    const { inbox } = start({ at: 3 })
    expect(await isDone(inbox.reached('dm_1', 3))).toBe(true)
    expect(await isDone(inbox.reached('dm_2', 0))).toBe(true)
  })

  it('waits until everything up to it was told', async () => {
    const { inbox, answer, told } = start({ at: 3 })
    let toldThen: string[] = []
    const reached = inbox.reached('dm_1', 5).then(() => {
      toldThen = [...told]
    })
    inbox.handleEvent(event(message(6)))
    inbox.handleEvent(event(message(5, { conversationId: 'dm_2' }), 0))
    expect(await isDone(reached)).toBe(false)
    await answer(page(messages(1, 6)))
    expect(await isDone(reached)).toBe(true)
    expect(toldThen).toEqual(expect.arrayContaining(lines(4, 6)))
  })

  it('is told also when the position is passed in one step', async () => {
    const { inbox } = start()
    const reached = inbox.reached('dm_1', 5)
    inbox.handleEvent(event(message(8), 0))
    expect(await isDone(reached)).toBe(true)
  })
})

describe('a reset', () => {
  it('makes it a new device, also after a reload', async () => {
    const storage = memoryStorage()
    const { inbox, told } = start({ storage })
    inbox.begin([])
    inbox.handleEvent(event(message(1)))
    inbox.reset()
    expect(inbox.isNew()).toBe(true)
    expect(inbox.positions()).toEqual([])
    await settled()
    expect(await keptIn(storage)).toEqual({})
    inbox.handleEvent(event(message(1)))
    expect(told).toEqual(['dm_1 1', 'dm_1 1'])
  })

  it('forgets what was held, and does not go on looking for what was missing', async () => {
    const { inbox, told, fail, all } = start()
    inbox.handleEvent(event(message(3)))
    await fail()
    inbox.reset()
    expectNoTimers()
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(2)))
    expect(told).toEqual(['dm_1 1', 'dm_1 2'])
    expect(all).toHaveLength(1)
  })

  it('does not take a page that was on its way for one of the new log', async () => {
    const { inbox, told, answer } = start({ at: 50 })
    inbox.handleEvent(event(message(60)))
    inbox.reset()
    await answer(page(messages(1, 60)))
    expect(told).toEqual([])
    expect(inbox.positionOf('dm_1')).toBe(0)
    inbox.handleEvent(event(message(1)))
    expect(told).toEqual(['dm_1 1'])
  })

  it('lets the log be read anew while the old read is still on its way', async () => {
    const { inbox, told, answer, first, open } = start({ at: 50 })
    inbox.handleEvent(event(message(60)))
    const old = first()
    inbox.reset()
    inbox.handleEvent(event(message(3)))
    await settled()
    old.answer(page(messages(1, 60)))
    await settled()
    void inbox.fill('dm_1')
    expect(open).toHaveLength(1)
    await answer(page(messages(1, 3)))
    expect(told).toEqual(lines(1, 3))
  })
})

describe('a conversation that is forgotten', () => {
  it('has no position any more, also after a reload; the others keep theirs', async () => {
    const storage = memoryStorage()
    const { inbox } = start({ storage, at: 4 })
    inbox.handleEvent(event(message(3, { conversationId: 'grp_1' }), 0))
    inbox.forget('grp_1')
    await settled()
    expect(inbox.positions()).toEqual([{ conversationId: 'dm_1', seq: 4 }])
    expect(await keptIn(storage)).toEqual({})
  })

  it('is not told of by a read that was on its way, nor read again', async () => {
    const { inbox, told, answer, fail, all } = start({ at: 4 })
    inbox.handleEvent(event(message(9)))
    inbox.forget('dm_1')
    await answer(page(messages(5, 9)))
    expect(told).toEqual([])
    inbox.handleEvent(event(message(9)))
    await fail(refused('NOT_FOUND'))
    inbox.forget('dm_1')
    expectNoTimers()
    expect(all).toHaveLength(2)
    expect(inbox.knows('dm_1')).toBe(false)
  })

  it('is not waited for', async () => {
    const { inbox } = start({ at: 4 })
    const [gone, other] = [inbox.reached('dm_1', 9), inbox.reached('dm_2', 1)]
    inbox.forget('dm_1')
    expect(await isDone(gone)).toBe(true)
    expect(await isDone(other)).toBe(false)
  })

  it('is not told of by what was held', async () => {
    const { inbox, told } = start({ at: 4 })
    inbox.handleEvent(event(message(9)))
    inbox.forget('dm_1')
    inbox.handleEvent(event(message(8), 0))
    expect(told).toEqual(['dm_1 8'])
  })

  it('begins anew where the user is let in again, whatever comes before that', async () => {
    const { inbox, told, answer } = start({ at: 4 })
    inbox.forget('dm_1')
    inbox.handleEvent(event(message(20), 19))
    await answer(page(messages(18, 20)))
    expect(told).toEqual(lines(18, 20))
  })
})

describe('when it is closed', () => {
  it('in the pause before another read, no timer is left', async () => {
    const { inbox, fail, all } = start()
    for (const seq of [3, 4, 5]) inbox.handleEvent(event(message(seq)))
    await fail()
    inbox.close()
    expectNoTimers()
    expect(all).toHaveLength(1)
  })

  it('during a read that fails, it is not tried again', async () => {
    const { inbox, fail } = start()
    inbox.handleEvent(event(message(3)))
    inbox.close()
    await fail(refused('UNAVAILABLE'))
    expectNoTimers()
  })

  it('during a read, the application is told nothing any more, and will be by the next run', async () => {
    const storage = memoryStorage()
    const { inbox, told, answer } = start({ storage })
    inbox.handleEvent(event(message(1)))
    inbox.handleEvent(event(message(3)))
    inbox.close()
    await answer(page(messages(1, 3)))
    expect(told).toEqual(['dm_1 1'])
    expect(await keptIn(storage)).toEqual({ 'position:dm_1': 1 })
  })
})
