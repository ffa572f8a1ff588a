import { expect, test } from 'vitest'
import type { UserId } from '../../../../src/protocol/ids.ts'
import { aConversation, aUser } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function indexStampsContract(world: () => SoftWorld): void {
  const here = () => world().here.indexStamps
  const there = () => world().there.indexStamps
  const stampOf = async (userId: UserId) => (await there().look([userId]))[0]

  test('a stamp is the same on every node, and stays', async () => {
    const userId = aUser()
    const stamp = await stampOf(userId)
    expect(stamp).toEqual(expect.stringMatching(/./))
    expect(await here().look([userId])).toEqual([stamp])
    expect(await stampOf(userId)).toBe(stamp)
  })

  test('what is replaced is another from then on, for these users alone', async () => {
    const [one, two, other] = [aUser(), aUser(), aUser()]
    const before = await here().look([one, two, other])
    await here().replace([one, two])
    const after = await there().look([one, two, other])
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after[2]).toBe(before[2])
    await here().replace([])
  })

  test('whoever is told of a membership has another stamp', async () => {
    const userId = aUser()
    const first = await stampOf(userId)
    await here().look([userId])
    const conversationId = aConversation()
    await world().here.events.publishMembership([userId], { conversationId, seq: 1, joined: true })
    expect(await stampOf(userId)).not.toBe(first)
  })

  test('a stamp that was forgotten does not come back', async () => {
    const userId = aUser()
    const before = await stampOf(userId)
    await world().forget()
    expect(await stampOf(userId)).not.toBe(before)
  })

  test('stamps come in the order asked for, however many', async () => {
    const [first, last] = [aUser(), aUser()]
    const [stampOfLast] = await here().look([last])
    await here().replace([first])
    const [stampOfFirst] = await here().look([first])
    const all = await there().look([first, ...Array.from({ length: 700 }, aUser), last])
    expect(all).toHaveLength(702)
    expect([all[0], all[701]]).toEqual([stampOfFirst, stampOfLast])
    expect(await there().look([])).toEqual([])
  })
}
