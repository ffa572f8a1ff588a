import { expect, test } from 'vitest'
import type { BlockStore } from '../../../src/ports/people.ts'
import { aUser, upTo } from '../../kit/ids.ts'

export function blocksContract(open: () => BlockStore): void {
  test('a block stands until it is lifted, in its own direction only; setting it twice is no error', async () => {
    const [userId, blockedId] = [aUser(), aUser()]
    const asked = [
      { userId, blockedId },
      { userId: blockedId, blockedId: userId },
    ]
    expect(await open().getMany(asked)).toEqual([false, false])
    await open().set({ userId, blockedId }, true)
    await open().set({ userId, blockedId }, true)
    expect(await open().getMany(asked)).toEqual([true, false])
    await open().set({ userId, blockedId }, false)
    await open().set({ userId, blockedId }, false)
    expect(await open().getMany(asked)).toEqual([false, false])
  })

  test('many are found in the order asked for, also if asked twice', async () => {
    const userId = aUser()
    const blocks = upTo(130).map(() => ({ userId, blockedId: aUser() }))
    const isOdd = (_: unknown, i: number) => i % 2 === 1
    await Promise.all(blocks.filter(isOdd).map((block) => open().set(block, true)))
    expect(await open().getMany([...blocks, ...blocks])).toEqual([...blocks.map(isOdd), ...blocks.map(isOdd)])
    expect(await open().getMany([])).toEqual([])
  })
}
