import { expect, test } from 'vitest'
import { aConversation } from '../kit/ids.ts'
import type { SoftWorld } from '../kit/soft-worlds.ts'

export function versionsContract(world: () => SoftWorld): void {
  const here = () => world().here.versions
  const there = () => world().there.versions

  test('a version that was raised is known to every node', async () => {
    const [one, other] = [aConversation(), aConversation()]
    await here().raise(one, 7)
    expect(await there().look([other, one], 'a')).toEqual([undefined, 7])
    expect(await there().look([], 'a')).toEqual([])
  })

  test('raising never lowers', async () => {
    const id = aConversation()
    await here().raise(id, 7)
    await there().raise(id, 5)
    expect(await here().look([id], 'a')).toEqual([7])
  })

  test('whoever finds none reads the group, and is believed', async () => {
    const id = aConversation()
    expect(await here().look([id], 'a')).toEqual([undefined])
    await here().settle(id, 'a', 3)
    expect(await there().look([id], 'b')).toEqual([3])
  })

  test('of two who find none, the first is believed; the other knew nothing newer', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    expect(await there().look([id], 'b')).toEqual([undefined])
    await there().settle(id, 'b', 3)
    expect(await here().look([id], 'c')).toEqual([undefined])
    await here().settle(id, 'a', 4)
    expect(await here().look([id], 'c')).toEqual([4])
  })

  test('a group that was changed while somebody read it is not made old again', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    await there().raise(id, 9)
    await here().settle(id, 'a', 3)
    expect(await here().look([id], 'b')).toEqual([9])
  })

  test('what was forgotten meanwhile is not told by somebody who read before', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    await there().raise(id, 9)
    await world().forget()
    await here().settle(id, 'a', 3)
    expect(await here().look([id], 'b')).toEqual([undefined])
  })
}
