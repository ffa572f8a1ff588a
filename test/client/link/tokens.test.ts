import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTokens } from '../../../packages/client/src/link/tokens.ts'
import { deferred, microtasks } from '../kit.ts'

/** `t1`, `t2` …, and what was said when they were asked for. */
function start(fetchOne: (n: number) => string | Promise<string> = (n) => `t${n}`) {
  const refusals: boolean[] = []
  const tokens = createTokens(({ refused }) => {
    refusals.push(refused)
    return fetchOne(refusals.length)
  })
  return { tokens, refusals }
}

describe('a token', () => {
  it('is asked for once, by whoever needs it first, and used by all', async () => {
    const { tokens, refusals } = start()
    expect(await Promise.all([tokens.get(), tokens.get()])).toEqual(['t1', 't1'])
    expect(await tokens.get()).toBe('t1')
    expect(refusals).toEqual([false])
  })

  it('that never comes is given up, and asked for again', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { tokens } = start((n) => (n === 1 ? new Promise(() => undefined) : `t${n}`))
    const first = expect(tokens.get()).rejects.toMatchObject({ code: 'NETWORK' })
    await vi.advanceTimersByTimeAsync(15_000)
    await first
    expect(await tokens.get()).toBe('t2')
  })

  it('that is refused is replaced, and the application is told why', async () => {
    const { tokens, refusals } = start()
    await tokens.refuse(await tokens.get())
    expect(await tokens.get()).toBe('t2')
    expect(refusals).toEqual([false, true])
  })

  it('that was refused long ago does no harm to the one that has come since', async () => {
    const { tokens, refusals } = start()
    const old = await tokens.get()
    await tokens.refuse(old)
    await tokens.get()
    await tokens.refuse(old)
    expect(await tokens.get()).toBe('t2')
    expect(refusals).toEqual([false, true])
  })

  it('that is refused before there is any does no harm', async () => {
    const { tokens, refusals } = start()
    await tokens.refuse('t0')
    expect(await tokens.get()).toBe('t1')
    expect(refusals).toEqual([false])
  })

  it('that was refused while its successor is on its way does no harm to that', async () => {
    const successor = deferred<string>()
    const { tokens, refusals } = start((n) => (n === 1 ? 't1' : successor.promise))
    await tokens.refuse(await tokens.get())
    const next = tokens.get()
    const late = tokens.refuse('t1')
    successor.resolve('t2')
    await late
    expect(await next).toBe('t2')
    expect(await tokens.get()).toBe('t2')
    expect(refusals).toEqual([false, true])
  })

  it.each([0, 1, 2, 3, 4, 5])('that two find refused %d steps apart is replaced once', async (steps) => {
    const { tokens, refusals } = start()
    await tokens.get()
    const replaced = async () => {
      await tokens.refuse('t1')
      return tokens.get()
    }
    const one = replaced()
    await microtasks(steps)
    expect(await Promise.all([one, replaced()])).toEqual(['t2', 't2'])
    expect(refusals).toEqual([false, true])
  })

  it('that the application cannot provide is a failure of the network, and asked for again', async () => {
    const { tokens, refusals } = start((n) => (n === 1 ? Promise.reject(new Error('offline')) : `t${n}`))
    await expect(tokens.get()).rejects.toMatchObject({ code: 'NETWORK', retryable: true, cause: new Error('offline') })
    expect(await tokens.get()).toBe('t2')
    expect(refusals).toEqual([false, false])
  })

  it('is asked for again although the application threw at once', async () => {
    const { tokens } = start((n) => {
      if (n === 1) throw new Error('not signed in')
      return `t${n}`
    })
    await expect(tokens.get()).rejects.toMatchObject({ code: 'NETWORK' })
    expect(await tokens.get()).toBe('t2')
  })

  it('that is refused stays so until a new one was provided', async () => {
    const { tokens, refusals } = start((n) => (n === 2 ? Promise.reject(new Error('offline')) : `t${n}`))
    await tokens.refuse(await tokens.get())
    await expect(tokens.get()).rejects.toMatchObject({ code: 'NETWORK' })
    expect(await tokens.get()).toBe('t3')
    expect(refusals).toEqual([false, true, true])
  })
})
