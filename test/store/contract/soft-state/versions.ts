import { expect, test } from 'vitest'
import type { ConversationId } from '../../../../src/protocol/ids.ts'
import { aConversation } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function versionsContract(world: () => SoftWorld): void {
  const here = () => world().here.versions
  const there = () => world().there.versions

  async function know(id: ConversationId, version: number): Promise<void> {
    await here().look([id], 'known')
    await here().seed(id, 'known', version)
  }

  test('a version that was raised is known to every node', async () => {
    const [one, other] = [aConversation(), aConversation()]
    await know(one, 5)
    await here().raise(one, 7)
    expect(await there().look([other, one], 'a')).toEqual([undefined, 7])
    expect(await there().look([], 'a')).toEqual([])
  })

  test('raising never lowers', async () => {
    const id = aConversation()
    await know(id, 3)
    await here().raise(id, 7)
    await there().raise(id, 5)
    expect(await here().look([id], 'a')).toEqual([7])
  })

  test('whoever finds none reads the group, and is believed', async () => {
    const id = aConversation()
    expect(await here().look([id], 'a')).toEqual([undefined])
    await here().seed(id, 'a', 3)
    expect(await there().look([id], 'b')).toEqual([3])
  })

  test('of two who find none, the first is believed; the other knew nothing newer', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    expect(await there().look([id], 'b')).toEqual([undefined])
    await there().seed(id, 'b', 3)
    expect(await here().look([id], 'c')).toEqual([undefined])
    await here().seed(id, 'a', 4)
    expect(await here().look([id], 'c')).toEqual([4])
  })

  test('what one has read is a minimum for another who began to read before, whoever is done first', async () => {
    const [first, last] = [aConversation(), aConversation()]
    for (const id of [first, last]) {
      await here().look([id], 'a')
      await there().look([id], 'b')
    }
    await there().seed(first, 'b', 5)
    await here().seed(first, 'a', 4)
    await here().seed(last, 'a', 4)
    await there().seed(last, 'b', 5)
    expect(await here().look([first, last], 'c')).toEqual([5, 5])
    await there().seed(first, 'b', 3)
    expect(await here().look([first], 'c')).toEqual([5])
  })

  test('a group that was changed while somebody read it is not made old again', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    await there().raise(id, 9)
    await here().seed(id, 'a', 3)
    expect(await here().look([id], 'b')).toEqual([undefined])
    await here().seed(id, 'b', 9)
    expect(await there().look([id], 'c')).toEqual([9])
  })

  test('what was forgotten is not told by somebody who replaced the group before and says so late', async () => {
    const id = aConversation()
    await know(id, 3)
    await there().raise(id, 9)
    await world().forget()
    await here().raise(id, 5)
    expect(await here().look([id], 'a')).toEqual([undefined])
  })

  test('what was forgotten meanwhile is not told by somebody who read before', async () => {
    const id = aConversation()
    await here().look([id], 'a')
    await there().raise(id, 9)
    await world().forget()
    await here().seed(id, 'a', 3)
    expect(await here().look([id], 'b')).toEqual([undefined])
  })
}
