import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReceipts, type Receipts } from '../../../packages/client/src/state/receipts.ts'
import { memoryStorage } from '../../../packages/client/src/storage/memory-storage.ts'
import type { Storage } from '../../../packages/client/src/storage/storage.ts'
import {
  boundary,
  expectNoTimers,
  keptIn,
  persistedStateOver,
  refused,
  type ScriptedAsk,
  scriptedAsk,
  settled,
} from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const batchMs = 200

type World = ScriptedAsk & {
  receipts: Receipts
  /** `Ack dm_1 4`, as it went out. */
  sent(): string[]
  /** Whatever is asked is granted as it is. */
  grant(): Promise<void>
}

function start({
  storage = memoryStorage(),
  random = () => 0,
}: {
  storage?: Storage
  random?: () => number
} = {}): World {
  const asks = scriptedAsk()
  const receipts = createReceipts({ ask: asks.ask, persistedState: persistedStateOver(storage), random })
  return {
    ...asks,
    receipts,
    sent: () => asks.all.map(({ name, variables: { input } }) => `${name} ${input.conversationId} ${input.seq}`),
    async grant() {
      for (const { name, variables, answer } of [...asks.open]) {
        const { conversationId, seq } = variables.input
        const ticks = boundary('alice', seq, name === 'MarkRead' ? seq : 0, conversationId)
        answer(name === 'MarkRead' ? { markRead: { ticks } } : { ack: { ticks } })
      }
      await settled()
    },
  }
}

describe('delivered', () => {
  it('is told in batches, the highest of each conversation', async () => {
    const { receipts, sent, grant } = start()
    for (const seq of [1, 2, 3]) receipts.delivered('dm_1', seq)
    receipts.delivered('dm_2', 7)
    await vi.advanceTimersByTimeAsync(batchMs - 1)
    receipts.delivered('dm_1', 4)
    expect(sent()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent()).toEqual(['Ack dm_1 4', 'Ack dm_2 7'])
    await grant()
    expectNoTimers()
  })

  it('that comes while a batch is on its way goes with the next', async () => {
    const { receipts, sent, grant } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    receipts.delivered('dm_1', 2)
    receipts.delivered('dm_1', 3)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent()).toEqual(['Ack dm_1 1'])
    await grant()
    await grant()
    expect(sent()).toEqual(['Ack dm_1 1', 'Ack dm_1 3'])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent()).toHaveLength(2)
  })

  it('goes out again in a batch of its own when there was nothing left', async () => {
    const { receipts, sent, grant } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    receipts.delivered('dm_1', 2)
    await vi.advanceTimersByTimeAsync(batchMs - 1)
    expect(sent()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(sent()).toEqual(['Ack dm_1 1', 'Ack dm_1 2'])
  })

  it('is told for eight conversations at a time', async () => {
    const { receipts, open, sent, grant } = start()
    for (let i = 1; i <= 20; i += 1) receipts.delivered(`dm_${i}`, i)
    await vi.advanceTimersByTimeAsync(batchMs)
    expect(open).toHaveLength(8)
    await grant()
    expect(open).toHaveLength(8)
    await grant()
    expect(open).toHaveLength(4)
    await grant()
    expect(new Set(sent()).size).toBe(20)
  })

  it('that the server knows already is not told', async () => {
    const { receipts, all } = start()
    receipts.delivered('dm_1', 4)
    receipts.known('dm_1', boundary('alice', 4))
    receipts.known('dm_2', boundary('alice', 9))
    receipts.delivered('dm_2', 8)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(0)
    expectNoTimers()
  })

  it('sooner told than the batch when there is a way again', async () => {
    const { receipts, sent } = start()
    receipts.delivered('dm_1', 1)
    receipts.wake()
    await settled()
    expect(sent()).toEqual(['Ack dm_1 1'])
  })
})

describe('read', () => {
  it('says delivered, too', async () => {
    const { receipts, sent, grant } = start()
    receipts.delivered('dm_1', 3)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent()).toEqual(['MarkRead dm_1 3'])
  })

  it('is followed by what was delivered beyond it', async () => {
    const { receipts, sent, grant } = start()
    receipts.delivered('dm_1', 5)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    await grant()
    expect(sent()).toEqual(['MarkRead dm_1 3', 'Ack dm_1 5'])
  })

  it('only ever rises', async () => {
    const storage = memoryStorage()
    const { receipts, sent, grant } = start({ storage })
    receipts.read('dm_1', 5)
    receipts.read('dm_1', 2)
    expect(receipts.readUpTo('dm_1')).toBe(5)
    await settled()
    expect(await keptIn(storage)).toEqual({ 'read:dm_1': 5 })
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    receipts.read('dm_1', 5)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent()).toEqual(['MarkRead dm_1 5'])
  })

  it('is what the user said, or what the server knows of another device', () => {
    const { receipts } = start()
    expect(receipts.readUpTo('dm_1')).toBe(0)
    receipts.read('dm_1', 3)
    receipts.known('dm_1', boundary('alice', 5, 5))
    expect(receipts.readUpTo('dm_1')).toBe(5)
  })

  it('is kept until the server has confirmed it', async () => {
    const storage = memoryStorage()
    const { receipts, grant } = start({ storage })
    receipts.read('dm_1', 3)
    await settled()
    expect(await keptIn(storage)).toEqual({ 'read:dm_1': 3 })
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    expect(await keptIn(storage)).toEqual({})
  })

  it('that rises while the first word is on its way is kept on', async () => {
    const storage = memoryStorage()
    const { receipts, grant } = start({ storage })
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    receipts.read('dm_1', 4)
    await grant()
    expect(await keptIn(storage)).toEqual({ 'read:dm_1': 4 })
    await grant()
    expect(await keptIn(storage)).toEqual({})
  })

  it('is not kept any more when another device has read further', async () => {
    const storage = memoryStorage()
    const { receipts, all } = start({ storage })
    receipts.read('dm_1', 3)
    await settled()
    receipts.known('dm_1', boundary('alice', 5, 5))
    await settled()
    expect(await keptIn(storage)).toEqual({})
    receipts.read('dm_1', 4)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await keptIn(storage)).toEqual({})
    expect(all).toHaveLength(0)
  })

  it('outlives a reload', async () => {
    const storage = memoryStorage()
    const first = start({ storage })
    first.receipts.read('dm_1', 3)
    first.receipts.close()
    await settled()
    const second = start({ storage })
    second.receipts.restore([['position:dm_1', 9], ...(await storage.load())])
    expect(second.receipts.readUpTo('dm_1')).toBe(3)
    await vi.advanceTimersByTimeAsync(batchMs)
    expect(second.sent()).toEqual(['MarkRead dm_1 3'])
  })
})

describe('what fails', () => {
  it('is told again, later each time and never more than 30 s, with what has come since', async () => {
    const { receipts, all, fail, sent, grant } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    for (const pauseMs of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]) {
      const before = all.length
      await fail()
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
      expect(all).toHaveLength(before)
      receipts.delivered('dm_1', before + 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(all).toHaveLength(before + 1)
    }
    expect(sent().at(-1)).toBe('Ack dm_1 9')
    await grant()
    expectNoTimers()
  })

  it.each([
    [0, 250],
    [1, 500],
  ])('with a random of %d is told again after %d ms', async (random, pauseMs) => {
    const { receipts, all, fail } = start({ random: () => random })
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail()
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    expect(all).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(all).toHaveLength(2)
  })

  it('is told again at once when there is a way again', async () => {
    const { receipts, sent, fail } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail()
    receipts.wake()
    await settled()
    expect(sent()).toEqual(['Ack dm_1 1', 'Ack dm_1 1'])
  })

  it('does not take with it what has succeeded beside it', async () => {
    const { receipts, sent, first, grant } = start()
    receipts.delivered('dm_1', 1)
    receipts.delivered('dm_2', 2)
    await vi.advanceTimersByTimeAsync(batchMs)
    first().fail(new Error('lost'))
    await grant()
    await vi.advanceTimersByTimeAsync(250)
    expect(sent()).toEqual(['Ack dm_1 1', 'Ack dm_2 2', 'Ack dm_1 1'])
  })

  it('after the read went through does not repeat the read', async () => {
    const { receipts, sent, grant, fail } = start()
    receipts.delivered('dm_1', 5)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    await fail()
    await vi.advanceTimersByTimeAsync(250)
    expect(sent()).toEqual(['MarkRead dm_1 3', 'Ack dm_1 5', 'Ack dm_1 5'])
  })
})

describe('what is refused for good', () => {
  it('is not told again, not even after a reload', async () => {
    const storage = memoryStorage()
    const { receipts, all, fail } = start({ storage })
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail(refused('NOT_FOUND'))
    receipts.wake()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(all).toHaveLength(1)
    expect(await keptIn(storage)).toEqual({})
    expectNoTimers()
  })

  it('of delivered is not told again', async () => {
    const { receipts, all, fail } = start()
    receipts.delivered('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail(refused('NOT_FOUND'))
    await vi.advanceTimersByTimeAsync(120_000)
    expect(all).toHaveLength(1)
  })

  it('does not keep what comes after it from being told', async () => {
    const { receipts, sent, fail, grant } = start()
    receipts.delivered('dm_1', 2)
    receipts.read('dm_1', 999)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail(refused('SEQ_OUT_OF_RANGE'))
    expect(receipts.readUpTo('dm_1')).toBe(0)
    await grant()
    receipts.delivered('dm_1', 3)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    expect(sent()).toEqual(['MarkRead dm_1 999', 'Ack dm_1 2', 'MarkRead dm_1 3'])
  })

  it('is not what was said since', async () => {
    const storage = memoryStorage()
    const { receipts, sent, fail, grant } = start({ storage })
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    receipts.read('dm_1', 4)
    await fail(refused('SEQ_OUT_OF_RANGE'))
    expect(receipts.readUpTo('dm_1')).toBe(4)
    expect(await keptIn(storage)).toEqual({ 'read:dm_1': 4 })
    await grant()
    expect(sent()).toEqual(['MarkRead dm_1 3', 'MarkRead dm_1 4'])
  })

  it('is not what was asked with a token that was refused', async () => {
    const { receipts, sent, fail } = start()
    receipts.delivered('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail(refused('UNAUTHENTICATED'))
    await vi.advanceTimersByTimeAsync(250)
    expect(sent()).toEqual(['Ack dm_1 3', 'Ack dm_1 3'])
  })
})

describe('an answer', () => {
  it('that shows less than was told is no reason to tell it for ever', async () => {
    const { receipts, answer, all } = start()
    receipts.delivered('dm_1', 5)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await answer({ markRead: { ticks: boundary('alice', 1, 1) } })
    await answer({ ack: { ticks: boundary('alice', 1, 1) } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(2)
  })

  it('that shows more, from another device, leaves less to tell', async () => {
    const { receipts, answer, all } = start()
    receipts.delivered('dm_1', 5)
    receipts.read('dm_1', 3)
    await vi.advanceTimersByTimeAsync(batchMs)
    await answer({ markRead: { ticks: boundary('alice', 9, 7) } })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(1)
    expect(receipts.readUpTo('dm_1')).toBe(7)
  })
})

describe('a reset', () => {
  it('forgets what was to be told, and what the server knew', async () => {
    const { receipts, sent } = start()
    receipts.known('dm_1', boundary('alice', 9, 9))
    receipts.delivered('dm_2', 4)
    receipts.reset()
    expect(receipts.readUpTo('dm_1')).toBe(0)
    await vi.advanceTimersByTimeAsync(batchMs)
    expect(sent()).toEqual([])
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    expect(sent()).toEqual(['Ack dm_1 1'])
  })

  it('forgets it for the next life, too', async () => {
    const storage = memoryStorage()
    const first = start({ storage })
    first.receipts.read('dm_1', 3)
    first.receipts.reset()
    first.receipts.close()
    await settled()
    expect(await keptIn(storage)).toEqual({})
  })
})

describe('what the application was told before a reload', () => {
  const told: [string, unknown][] = [
    ['position:dm_1', 9],
    ['position:dm_2', 4],
  ]

  it('is told to the server where it does not know it', async () => {
    const { receipts, sent, grant } = start()
    receipts.restore(told)
    receipts.known('dm_1', boundary('alice', 7))
    receipts.known('dm_2', boundary('alice', 4))
    await vi.advanceTimersByTimeAsync(batchMs)
    await grant()
    expect(sent()).toEqual(['Ack dm_1 9'])
    expectNoTimers()
  })

  it('is not, where nothing is known of the conversation, or the server is another one', async () => {
    const { receipts, all } = start()
    receipts.restore(told)
    receipts.reset()
    receipts.known('dm_1', boundary('alice', 7))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(0)
  })
})

describe('when it is closed', () => {
  it('before the batch, nothing is told and no timer is left', async () => {
    const { receipts, all } = start()
    receipts.delivered('dm_1', 1)
    receipts.close()
    expectNoTimers()
    await settled()
    receipts.delivered('dm_1', 2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(all).toHaveLength(0)
  })

  it('during a batch, nothing more is told', async () => {
    const { receipts, all, fail } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    receipts.close()
    await fail()
    expectNoTimers()
    expect(all).toHaveLength(1)
  })

  it('in the pause after a failure, nothing more is told and no timer is left', async () => {
    const { receipts, all, fail } = start()
    receipts.delivered('dm_1', 1)
    await vi.advanceTimersByTimeAsync(batchMs)
    await fail()
    receipts.close()
    expectNoTimers()
    await settled()
    expect(all).toHaveLength(1)
  })
})
