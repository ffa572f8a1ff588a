import { expect, test } from 'vitest'
import type { BlockStore, DepartureStore } from '../../../src/ports/people.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { aUser, upTo } from '../../kit/ids.ts'

export function blocksContract(open: () => BlockStore, departures: () => DepartureStore): void {
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

  test('those somebody has blocked are listed by id, from either end, without their departures from groups', async () => {
    const userId = aUser()
    const ids = ['alice', 'greg', 'grq', 'zoe', 'Z', '-', '|'].map((id) => id as UserId)
    for (const blockedId of ids) await open().set({ userId, blockedId }, true)
    await open().set({ userId: aUser(), blockedId: userId }, true)
    for (const left of upTo(5)) {
      await departures().put({ userId, groupId: `grp_${left}` as ConversationId, leftAtMs: 1 })
    }
    const sorted = [...ids].sort()
    expect(await open().above(userId, undefined, 100)).toEqual(sorted)
    expect(await open().below(userId, undefined, 100)).toEqual([...sorted].reverse())
    for (const [i, id] of sorted.entries()) {
      for (const limit of [1, 2, 3, 5]) {
        expect(await open().above(userId, id, limit)).toEqual(sorted.slice(i + 1, i + 1 + limit))
        expect(await open().below(userId, id, limit)).toEqual(sorted.slice(Math.max(0, i - limit), i).reverse())
      }
    }
    expect(await open().above(aUser(), undefined, 10)).toEqual([])
  })
}
