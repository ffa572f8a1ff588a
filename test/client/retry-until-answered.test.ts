import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectNoTimers, networkFailure, refused, retrying } from './kit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it.each([
  ['an answer that does not come', networkFailure],
  ['a token that is refused', refused('UNAUTHENTICATED')],
])('%s is tried again with the same id', async (_name, error) => {
  const ids: string[] = []
  const done = retrying().retryUntilAnswered(async (id) => {
    ids.push(id)
    if (ids.length < 3) throw error
    return 'done'
  })
  await vi.advanceTimersByTimeAsync(250 + 500)
  expect(await done).toBe('done')
  expect(ids).toEqual(['id1', 'id1', 'id1'])
})

it('a refusal of the call itself is final', async () => {
  const forbidden = refused('FORBIDDEN')
  await expect(retrying().retryUntilAnswered(() => Promise.reject(forbidden))).rejects.toBe(forbidden)
  expectNoTimers()
})

it('whoever closes the client meanwhile gets the error', async () => {
  const { retryUntilAnswered, close } = retrying()
  const outcome = retryUntilAnswered(() => Promise.reject(refused('UNAUTHENTICATED'))).catch((error) => error.code)
  await vi.advanceTimersByTimeAsync(0)
  close()
  expect(await outcome).toBe('UNAUTHENTICATED')
})
