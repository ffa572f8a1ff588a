import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHistoryWindow } from '../../../packages/client/src/state/history-window.ts'
import { message, networkFailure, page, scriptedAsk } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const messages = (from: number, to: number) => range(from, to).map((seq) => message(seq))

function start() {
  const asks = scriptedAsk()
  const onChange = vi.fn()
  const window = createHistoryWindow(asks.ask, 'dm_1', onChange)
  return { ...asks, window, onChange, seqs: () => window.get().messages.map(({ seq }) => seq) }
}

describe('the window on a conversation', () => {
  it('opens on the newest page, oldest first', async () => {
    const { window, answer, first, seqs, onChange } = start()
    const opening = window.open()
    expect(window.get()).toMatchObject({ messages: [], loading: true, hasOlder: true })
    expect(onChange).toHaveBeenCalledTimes(1)
    expect(first().variables).toEqual({ conversationId: 'dm_1', first: 50, after: null })
    await answer(page(messages(51, 100), true))
    await opening
    expect(seqs()).toEqual(range(51, 100))
    expect(window.get()).toMatchObject({ loading: false, hasOlder: true })
    expect(onChange).toHaveBeenCalledTimes(2)
  })

  it('is opened once, by however many', async () => {
    const { window, answer, all } = start()
    void window.open()
    void window.open()
    void window.loadOlder()
    expect(all).toHaveLength(1)
    await answer(page(messages(1, 2)))
    await window.open()
    expect(all).toHaveLength(1)
  })

  it('grows page by page to the beginning, and asks for no more then', async () => {
    const { window, answer, all, seqs } = start()
    void window.open()
    await answer(page(messages(51, 100), true))
    void window.loadOlder()
    expect(all.at(-1)?.variables.after).toBe('c51')
    await answer(page(messages(1, 50)))
    expect(seqs()).toEqual(range(1, 100))
    expect(window.get().hasOlder).toBe(false)
    await window.loadOlder()
    expect(all).toHaveLength(2)
  })

  it('of an empty conversation is empty', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    await answer(page([]))
    expect(window.get()).toEqual({ messages: [], hasOlder: false, hasNewer: false, loading: false })
    window.received(message(1))
    expect(seqs()).toEqual([1])
  })
})

describe('a page that fails', () => {
  it('is told of, and read when asked again', async () => {
    const { window, answer, fail, seqs } = start()
    const opened = expect(window.open()).rejects.toBe(networkFailure)
    await fail(networkFailure)
    await opened
    expect(window.get()).toMatchObject({ loading: false, hasOlder: true, error: { code: 'NETWORK' } })
    void window.open()
    expect(window.get()).not.toHaveProperty('error')
    await answer(page(messages(1, 2)))
    expect(seqs()).toEqual([1, 2])
  })

  it('further down leaves what is there, and the place to go on from', async () => {
    const { window, answer, fail, seqs, first } = start()
    void window.open()
    await answer(page(messages(51, 100), true))
    void window.loadOlder()
    await fail(networkFailure)
    expect(seqs()).toEqual(range(51, 100))
    window.received(message(101))
    void window.loadOlder()
    expect(first().variables.after).toBe('c51')
    await answer(page(messages(1, 50)))
    expect(seqs()).toEqual(range(1, 101))
  })

  it('as the first one leaves nothing behind that a hole could follow', async () => {
    const { window, answer, fail, seqs } = start()
    const opened = expect(window.open()).rejects.toBe(networkFailure)
    window.received(message(10))
    expect(seqs()).toEqual([10])
    await fail(networkFailure)
    await opened
    for (const seq of range(11, 109)) window.received(message(seq))
    expect(seqs()).toEqual([])
    void window.open()
    await answer(page(messages(60, 109), true))
    expect(seqs()).toEqual(range(60, 109))
  })
})

describe('what the inbox brings', () => {
  it('is appended', async () => {
    const { window, answer, seqs, onChange } = start()
    void window.open()
    await answer(page(messages(1, 2)))
    onChange.mockClear()
    window.received(message(3))
    window.received(message(4))
    expect(seqs()).toEqual([1, 2, 3, 4])
    expect(onChange).toHaveBeenCalledTimes(2)
  })

  it('while the page is read, and newer than it, comes after it', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    window.received(message(4))
    window.received(message(5))
    await answer(page(messages(1, 3)))
    expect(seqs()).toEqual([1, 2, 3, 4, 5])
  })

  it('while the page is read, and part of it, is there once', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    window.received(message(2))
    window.received(message(3))
    await answer(page(messages(1, 4)))
    window.received(message(4))
    expect(seqs()).toEqual([1, 2, 3, 4])
  })

  it('before anybody looks is left to the page', async () => {
    const { window, seqs, onChange } = start()
    window.received(message(7))
    expect(seqs()).toEqual([])
    expect(onChange).not.toHaveBeenCalled()
  })

  it('and lies below the oldest page is left to the page it belongs to', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    await answer(page(messages(51, 100), true))
    window.received(message(20))
    window.received(message(60))
    expect(seqs()).toEqual(range(51, 100))
    void window.loadOlder()
    await answer(page(messages(1, 50)))
    window.received(message(20))
    expect(seqs()).toEqual(range(1, 100))
  })
})

describe('when nobody looks any more', () => {
  it('a long history is let go of, and read anew', async () => {
    const { window, answer, seqs, first } = start()
    void window.open()
    await answer(page(messages(1, 501)))
    window.trim()
    expect(window.get()).toMatchObject({ messages: [], hasOlder: true, loading: false })
    window.received(message(502))
    void window.open()
    expect(first().variables.after).toBeNull()
    await answer(page(messages(453, 502), true))
    expect(seqs()).toEqual(range(453, 502))
  })

  it('a short one stays', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    await answer(page(messages(1, 500)))
    window.trim()
    expect(seqs()).toHaveLength(500)
  })

  it('one that is being read stays', async () => {
    const { window, answer, seqs } = start()
    void window.open()
    await answer(page(messages(101, 601), true))
    void window.loadOlder()
    window.trim()
    await answer(page(messages(51, 100), true))
    expect(seqs()).toEqual(range(51, 601))
  })
})

describe('a jump', () => {
  async function jumped() {
    const started = start()
    const { window, answer } = started
    void window.open()
    await answer(page(messages(951, 1000), true))
    void window.jumpTo(100)
    await answer(page(messages(75, 124), true, true))
    return started
  }

  it('shows what is around a seq, with more on both sides', async () => {
    const { window, all, seqs } = await jumped()
    expect(all.at(-1)?.variables).toEqual({ conversationId: 'dm_1', aroundSeq: 100, first: 50 })
    expect(seqs()).toEqual(range(75, 124))
    expect(window.get()).toMatchObject({ hasOlder: true, hasNewer: true })
  })

  it('to what is shown already asks for nothing', async () => {
    const { window, all } = await jumped()
    await window.jumpTo(75)
    expect(all).toHaveLength(2)
  })

  it('leaves out what arrives, until the pages have reached the newest', async () => {
    const { window, answer, all, seqs } = await jumped()
    window.received(message(1001))
    expect(seqs()).toEqual(range(75, 124))
    void window.loadNewer()
    expect(all.at(-1)?.variables).toEqual({ conversationId: 'dm_1', last: 50, before: 'c124' })
    // The page was read before this one arrived, and is the newest.
    window.received(message(176))
    await answer(page(messages(125, 175), false, false))
    expect(seqs()).toEqual(range(75, 176))
    window.received(message(177))
    expect(seqs().at(-1)).toBe(177)
    expect(window.get().hasNewer).toBe(false)
  })

  it('is undone by going to the newest', async () => {
    const { window, answer, all, seqs } = await jumped()
    void window.toNewest()
    await answer(page(messages(951, 1000), true))
    expect(seqs()).toEqual(range(951, 1000))
    expect(window.get()).toMatchObject({ hasOlder: true, hasNewer: false })
    await window.toNewest()
    expect(all).toHaveLength(3)
  })

  it('that is still being read is dropped by going to the newest', async () => {
    const { window, answer, all, seqs } = start()
    void window.open()
    await answer(page(messages(951, 1000), true))
    void window.jumpTo(100)
    void window.toNewest()
    window.received(message(1001))
    await answer(page(messages(75, 124), true, true))
    expect(seqs()).toEqual(range(951, 1001))
    expect(window.get()).toMatchObject({ hasNewer: false, loading: false })
    expect(all).toHaveLength(2)
  })

  it('drops the way to the newest that is still being read', async () => {
    const { window, answer, seqs } = await jumped()
    void window.toNewest()
    const jumping = window.jumpTo(500)
    await answer(page(messages(951, 1000), true))
    await answer(page(messages(475, 524), true, true))
    await jumping
    expect(seqs()).toEqual(range(475, 524))
    expect(window.get()).toMatchObject({ hasNewer: true })
  })

  it('that fails leaves everything as it was', async () => {
    const { window, answer, fail, seqs } = start()
    void window.open()
    await answer(page(messages(51, 100), true))
    const jumping = window.jumpTo(3)
    const failed = expect(jumping).rejects.toBe(networkFailure)
    await fail(networkFailure)
    await failed
    expect(seqs()).toEqual(range(51, 100))
    expect(window.get()).toMatchObject({ hasNewer: false, error: networkFailure })
  })

  it('is forgotten when it is not shown any more', async () => {
    const { window, answer, seqs } = await jumped()
    window.trim()
    void window.open()
    await answer(page(messages(951, 1000), true))
    expect(seqs()).toEqual(range(951, 1000))
  })
})
