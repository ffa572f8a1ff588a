import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeeper } from '../../../src/client/shared/keeper.ts'
import { memoryStorage } from '../../../src/client/storage/memory-storage.ts'
import { brokenStorage, expectNoTimers, isDone, keptIn, settled, slowStorage } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function start(storage = memoryStorage()) {
  const errors: unknown[] = []
  return { keeper: createKeeper(storage, (error) => void errors.push(error)), storage, errors }
}

describe('what is to be kept', () => {
  it('in one go is written in one go, the last word of each', async () => {
    const write = vi.fn(async (_changes: ReadonlyMap<string, unknown>) => undefined)
    const { keeper } = start({ ...memoryStorage(), write })
    keeper.set('a', 1)
    keeper.set('b', 1)
    keeper.set('a', 2)
    await keeper.written()
    expect(write.mock.calls).toEqual([[new Map(Object.entries({ a: 2, b: 1 }))]])
  })

  it('while a batch is on its way goes with the next: calls do not overlap', async () => {
    const storage = slowStorage()
    const { keeper } = start(storage)
    keeper.set('a', 1)
    await settled()
    keeper.set('a', 2)
    keeper.set('b', 2)
    await settled()
    expect(storage.waiting).toHaveLength(1)
    const written = keeper.written()
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 1 })
    expect(await isDone(written)).toBe(false)
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 2, b: 2 })
    expect(await isDone(written)).toBe(true)
  })

  it('is written when there is nothing more to write', async () => {
    const { keeper } = start()
    expect(await isDone(keeper.written())).toBe(true)
    keeper.set('a', 1)
    expect(keeper.written()).toBeInstanceOf(Promise)
    await keeper.written()
    expectNoTimers()
  })

  it('is deleted when it is undefined', async () => {
    const { keeper, storage } = start()
    keeper.set('a', 1)
    await keeper.written()
    keeper.set('a', undefined)
    await keeper.written()
    expect(await keptIn(storage)).toEqual({})
  })
})

describe('a storage', () => {
  it('that fails is told of, and holds nobody up', async () => {
    const { keeper, errors } = start(brokenStorage())
    expect(await keeper.load()).toEqual([])
    keeper.set('a', 1)
    await keeper.written()
    expect(errors).toEqual([new Error('forbidden'), new Error('full')])
  })

  it('that fails once is written to again', async () => {
    const storage = memoryStorage()
    const write = vi.fn(storage.write).mockRejectedValueOnce(new Error('busy'))
    const { keeper, errors } = start({ ...storage, write })
    keeper.set('a', 1)
    await keeper.written()
    keeper.set('b', 2)
    await keeper.written()
    expect(errors).toEqual([new Error('busy')])
    expect(await keptIn(storage)).toMatchObject({ b: 2 })
  })

  it.each([
    ['throws instead of failing', () => undefined],
    [
      'fails before an application that throws, too',
      () => {
        throw new Error('of the application')
      },
    ],
  ])('that %s holds nobody up', async (_what, onError) => {
    const uncaught: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (work: () => void) => uncaught.push(work))
    const keeper = createKeeper(
      {
        load: () => {
          throw new Error('forbidden')
        },
        write: () => {
          throw new Error('full')
        },
      },
      onError,
    )
    expect(await keeper.load()).toEqual([])
    for (const key of ['a', 'b']) {
      keeper.set(key, 1)
      expect(await isDone(keeper.written())).toBe(true)
      await expect(keeper.written()).resolves.toBeUndefined()
    }
    for (const each of uncaught) expect(each).toThrow('of the application')
  })

  it('that never answers is waited for 3 s, and told of', async () => {
    const never = () => new Promise<never>(() => undefined)
    const { keeper, errors } = start({ load: never, write: never })
    const loaded = keeper.load()
    keeper.set('a', 1)
    const written = keeper.written()
    await vi.advanceTimersByTimeAsync(2999)
    expect(await isDone(Promise.race([loaded, written]))).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await loaded).toEqual([])
    expect(await isDone(written)).toBe(true)
    expect(errors).toHaveLength(2)
    expectNoTimers()
  })
})

describe('when it is closed', () => {
  it('everything is kept first, then the storage is closed', async () => {
    const close = vi.fn(async () => undefined)
    const storage = { ...slowStorage(), close }
    const { keeper } = start(storage)
    keeper.set('a', 1)
    await settled()
    const closed = keeper.close()
    keeper.set('b', 1)
    await storage.release()
    expect(close).not.toHaveBeenCalled()
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 1, b: 1 })
    expect(await isDone(closed)).toBe(true)
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('whatever comes late is left to whoever runs on the storage by then', async () => {
    const { keeper, storage } = start()
    await keeper.close()
    keeper.set('a', 1)
    await keeper.written()
    await settled()
    expect(await keptIn(storage)).toEqual({})
  })
})
