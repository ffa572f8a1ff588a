import { expect, test } from 'vitest'
import type { DepartureStore } from '../../../src/ports/people.ts'
import { aConversation, aUser, upTo } from '../../kit/ids.ts'

export function departuresContract(open: () => DepartureStore): void {
  test('a departure stands until that very one is removed', async () => {
    const [userId, groupId] = [aUser(), aConversation()]
    const [first, second] = [
      { userId, groupId, leftAtMs: 1000 },
      { userId, groupId, leftAtMs: 2000 },
    ]
    expect(await open().getMany(groupId, [userId])).toEqual([])
    await open().put(first)
    await open().put(second)
    expect(await open().getMany(groupId, [userId])).toEqual([second])
    await open().remove(first)
    expect(await open().getMany(groupId, [userId])).toEqual([second])
    await open().remove(second)
    await open().remove(second)
    expect(await open().getMany(groupId, [userId])).toEqual([])
  })

  test('many are found, each once, and those of another group are not', async () => {
    const [groupId, otherId, users] = [aConversation(), aConversation(), upTo(130).map(aUser)]
    await Promise.all(users.map((userId, i) => open().put({ userId, groupId: i % 2 ? groupId : otherId, leftAtMs: i })))
    const found = await open().getMany(groupId, [...users, ...users])
    expect(found.map(({ leftAtMs }) => leftAtMs).sort((one, other) => one - other)).toEqual(
      users.flatMap((_, i) => (i % 2 ? [i] : [])),
    )
    expect(await open().getMany(groupId, [])).toEqual([])
  })
}
