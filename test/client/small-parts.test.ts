import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { backoffMs, createSleeper } from '../../packages/client/src/shared/backoff.ts'
import {
  asClientError,
  ClientError,
  errorFromGraphQL,
  networkError,
} from '../../packages/client/src/shared/client-error.ts'
import { systemNetwork } from '../../packages/client/src/shared/network.ts'
import { createListeners, createValue } from '../../packages/client/src/shared/observable.ts'
import { within } from '../../packages/client/src/shared/within.ts'
import { deferred, expectNoTimers, isDone } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('the pause before another attempt', () => {
  it.each([
    [0, 500],
    [1, 500],
    [2, 1000],
    [3, 2000],
    [6, 16_000],
    [7, 30_000],
    [8, 30_000],
    [1000, 30_000],
  ])('after %d failures is at most %d ms, and at least half of that', (failures, stepMs) => {
    expect(backoffMs(failures, () => 0)).toBe(stepMs / 2)
    expect(backoffMs(failures, () => 0.5)).toBe(stepMs * 0.75)
    expect(backoffMs(failures, () => 1)).toBe(stepMs)
  })

  it('can be cut short, and leaves no timer then', async () => {
    const { sleep, wake } = createSleeper()
    const slept = sleep(1000)
    expect(await isDone(slept)).toBe(false)
    wake()
    expect(await isDone(slept)).toBe(true)
    expectNoTimers()
    wake()
    expect(await isDone(sleep(1000))).toBe(false)
  })
})

describe('within a time', () => {
  it('an outcome is passed on, and no timer left', async () => {
    expect(await within(1000, Promise.resolve('done'))).toBe('done')
    await expect(within(1000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expectNoTimers()
  })

  it('nothing is a failure of the network, whatever comes after', async () => {
    const late = deferred<string>()
    const outcome = within(1000, late.promise).catch((error) => error)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await outcome).toMatchObject({ code: 'NETWORK', retryable: true })
    late.resolve('late')
    expect(await outcome).toBeInstanceOf(ClientError)
  })
})

describe('an error', () => {
  it('of the server’s is what it says', () => {
    const extensions = { code: 'RATE_LIMITED', retryable: true, field: 'body', retryAfterMs: 5 } as const
    expect(errorFromGraphQL({ message: 'Slowly.', extensions })).toMatchObject({ message: 'Slowly.', ...extensions })
  })

  it('that does not say it may be tried again may not', () => {
    expect(errorFromGraphQL({ extensions: { code: 'NOT_FOUND' } })).toMatchObject({ retryable: false })
  })

  it.each([undefined, null, {}, { message: 'proxy' }, { extensions: {} }])(
    'that carries no code of ours may pass (%j)',
    (error) => {
      expect(errorFromGraphQL(error)).toMatchObject({ code: 'NETWORK', retryable: true })
    },
  )

  it('of any other kind is one of the network, and one of ours stays what it is', () => {
    const ours = networkError('Cut.')
    expect(asClientError(ours)).toBe(ours)
    const cause = new TypeError('fetch failed')
    expect(asClientError(cause)).toMatchObject({ code: 'NETWORK', message: 'fetch failed', cause })
    expect(asClientError('odd')).toMatchObject({ code: 'NETWORK', message: 'odd' })
  })
})

describe('a value that is looked at', () => {
  it('tells of each change, and of nothing else', () => {
    const value = createValue(1)
    const seen: number[] = []
    const stop = value.subscribe(() => seen.push(value.get()))
    value.set(1)
    value.set(2)
    value.set(2)
    value.set(3)
    stop()
    value.set(4)
    expect(seen).toEqual([2, 3])
    expect(value.get()).toBe(4)
  })

  it('tells everybody, though one of them throws or leaves', () => {
    const uncaught: (() => void)[] = []
    vi.stubGlobal('queueMicrotask', (work: () => void) => uncaught.push(work))
    const listeners = createListeners<[number]>()
    const seen: string[] = []
    const stopFirst = listeners.add((n) => {
      seen.push(`first ${n}`)
      stopFirst()
    })
    listeners.add(() => {
      throw new Error('of the application')
    })
    listeners.add((n) => seen.push(`last ${n}`))
    listeners.emit(1)
    listeners.emit(2)
    expect(seen).toEqual(['first 1', 'last 1', 'last 2'])
    expect(listeners.size).toBe(2)
    expect(uncaught).toHaveLength(2)
    expect(uncaught[0]).toThrow('of the application')
  })
})

describe('the network', () => {
  it('is taken to be there where nobody knows', () => {
    const network = systemNetwork()
    expect(network.online()).toBe(true)
    network.subscribe(() => undefined)()
  })

  it('in a browser is what it says, and is looked at again when the page is shown', () => {
    const [page, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState: 'visible' })]
    const navigator = { onLine: true }
    vi.stubGlobal('window', page)
    vi.stubGlobal('document', document)
    vi.stubGlobal('navigator', navigator)
    const network = systemNetwork()
    const told = vi.fn()
    const stop = network.subscribe(told)
    navigator.onLine = false
    page.dispatchEvent(new Event('offline'))
    expect(network.online()).toBe(false)
    expect(told).toHaveBeenCalledTimes(1)
    page.dispatchEvent(new Event('online'))
    expect(told).toHaveBeenCalledTimes(2)
    document.visibilityState = 'hidden'
    document.dispatchEvent(new Event('visibilitychange'))
    expect(told).toHaveBeenCalledTimes(2)
    document.visibilityState = 'visible'
    document.dispatchEvent(new Event('visibilitychange'))
    expect(told).toHaveBeenCalledTimes(3)
    stop()
    for (const type of ['online', 'offline']) page.dispatchEvent(new Event(type))
    document.dispatchEvent(new Event('visibilitychange'))
    expect(told).toHaveBeenCalledTimes(3)
  })
})
