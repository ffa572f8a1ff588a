import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPersistedState } from '../../../packages/client/src/shared/persisted-state.ts'
import { memoryStorage } from '../../../packages/client/src/storage/memory-storage.ts'
import { brokenStorage, expectNoTimers, isDone, keptIn, settled, slowStorage } from '../kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function start(storage = memoryStorage()) {
  const errors: unknown[] = []
  return { persistedState: createPersistedState(storage, (error) => void errors.push(error)), storage, errors }
}

describe('what is to be kept', () => {
  it('in one go is written in one go, the last word of each', async () => {
    const write = vi.fn(async (_changes: ReadonlyMap<string, unknown>) => undefined)
    const { persistedState } = start({ ...memoryStorage(), write })
    persistedState.set('a', 1)
    persistedState.set('b', 1)
    persistedState.set('a', 2)
    await persistedState.written()
    expect(write.mock.calls).toEqual([[new Map(Object.entries({ a: 2, b: 1 }))]])
  })

  it('while a batch is on its way goes with the next: calls do not overlap', async () => {
    const storage = slowStorage()
    const { persistedState } = start(storage)
    persistedState.set('a', 1)
    await settled()
    persistedState.set('a', 2)
    persistedState.set('b', 2)
    await settled()
    expect(storage.waiting).toHaveLength(1)
    const written = persistedState.written()
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 1 })
    expect(await isDone(written)).toBe(false)
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 2, b: 2 })
    expect(await isDone(written)).toBe(true)
  })

  it('is written when there is nothing more to write', async () => {
    const { persistedState } = start()
    expect(await isDone(persistedState.written())).toBe(true)
    persistedState.set('a', 1)
    expect(persistedState.written()).toBeInstanceOf(Promise)
    await persistedState.written()
    expectNoTimers()
  })

  it('is deleted when it is undefined', async () => {
    const { persistedState, storage } = start()
    persistedState.set('a', 1)
    await persistedState.written()
    persistedState.set('a', undefined)
    await persistedState.written()
    expect(await keptIn(storage)).toEqual({})
  })
})

describe('a storage', () => {
  it('that fails is told of, and holds nobody up', async () => {
    const { persistedState, errors } = start(brokenStorage())
    expect(await persistedState.load()).toEqual([])
    persistedState.set('a', 1)
    await persistedState.written()
    expect(errors).toEqual([new Error('forbidden'), new Error('full')])
  })

  it('that fails once is written to again', async () => {
    const storage = memoryStorage()
    const write = vi.fn(storage.write).mockRejectedValueOnce(new Error('busy'))
    const { persistedState, errors } = start({ ...storage, write })
    persistedState.set('a', 1)
    await persistedState.written()
    persistedState.set('b', 2)
    await persistedState.written()
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
    const persistedState = createPersistedState(
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
    expect(await persistedState.load()).toEqual([])
    for (const key of ['a', 'b']) {
      persistedState.set(key, 1)
      expect(await isDone(persistedState.written())).toBe(true)
      await expect(persistedState.written()).resolves.toBeUndefined()
    }
    for (const each of uncaught) expect(each).toThrow('of the application')
  })

  it('that never answers is waited for 3 s, and told of', async () => {
    const never = () => new Promise<never>(() => undefined)
    const { persistedState, errors } = start({ load: never, write: never })
    const loaded = persistedState.load()
    persistedState.set('a', 1)
    const written = persistedState.written()
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
    const { persistedState } = start(storage)
    persistedState.set('a', 1)
    await settled()
    const closed = persistedState.close()
    persistedState.set('b', 1)
    await storage.release()
    expect(close).not.toHaveBeenCalled()
    await storage.release()
    expect(await keptIn(storage)).toEqual({ a: 1, b: 1 })
    expect(await isDone(closed)).toBe(true)
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('whatever comes late is left to whoever runs on the storage by then', async () => {
    const { persistedState, storage } = start()
    await persistedState.close()
    persistedState.set('a', 1)
    await persistedState.written()
    await settled()
    expect(await keptIn(storage)).toEqual({})
  })
})
