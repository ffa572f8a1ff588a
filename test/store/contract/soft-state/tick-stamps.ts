import { expect, test } from 'vitest'
import { GroupTicks } from '../../../../src/protocol/group-ticks.ts'
import type { ConversationId, UserId } from '../../../../src/protocol/ids.ts'
import { aConversation, aUser } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function tickStampsContract(world: () => SoftWorld): void {
  const here = () => world().here
  const there = () => world().there

  /** Returns which of these stamps another node finds changed by `act`. */
  async function changedBy(act: () => Promise<unknown>, ids: readonly (UserId | ConversationId)[]) {
    const before = await there().tickStamps.look(ids)
    expect(await here().tickStamps.look(ids)).toEqual(before)
    await act()
    const after = await there().tickStamps.look(ids)
    expect(await here().tickStamps.look(ids)).toEqual(after)
    return ids.filter((_id, i) => before[i] !== after[i])
  }
  const boundariesIn = (conversationId: ConversationId, userId: UserId) => ({
    userId,
    conversationId,
    lastDeliveredSeq: 4,
    lastReadSeq: 2,
  })

  test('what was delivered replaces the stamps of those who are told, and not that of whose boundaries they are', async () => {
    const [own, other, third] = [aUser(), aUser(), aUser()]
    const publish = () => here().events.publishBoundaries([other], boundariesIn(aConversation(), own))
    expect(await changedBy(publish, [own, other, third])).toEqual([other])
  })

  test('what was read replaces that one, too', async () => {
    const [own, other, third] = [aUser(), aUser(), aUser()]
    const publish = () => here().events.publishBoundaries([own, other], boundariesIn(aConversation(), own), true)
    expect(await changedBy(publish, [own, other, third])).toEqual([own, other])
  })

  test('what was read in a group replaces the stamp of the group, and of whoever has read it', async () => {
    const [own, other, group, second] = [aUser(), aUser(), aConversation(), aConversation()]
    const publish = () => here().events.publishBoundaries(group, boundariesIn(group, own), true)
    expect(await changedBy(publish, [own, other, group, second])).toEqual([own, group])
    const publishNothing = () => here().events.publishBoundaries([], boundariesIn(group, own), true)
    expect(await changedBy(publishNothing, [own, other, group, second])).toEqual([own])
  })

  test('what rose in a group together replaces the stamp of the group', async () => {
    const [own, group, second] = [aUser(), aConversation(), aConversation()]
    const ticks = boundariesIn(group, own)
    const publish = () => here().events.publishGroupTicks(new GroupTicks(group, [{ ticks }]))
    expect(await changedBy(publish, [own, group, second])).toEqual([group])
  })

  test('what is replaced is another from then on, and nothing else', async () => {
    const [one, two, group, other] = [aUser(), aUser(), aConversation(), aUser()]
    const replace = () => here().tickStamps.replace([one, two, group])
    expect(await changedBy(replace, [one, two, group, other])).toEqual([one, two, group])
    expect(await changedBy(() => here().tickStamps.replace([]), [one])).toEqual([])
  })

  test('a stamp that was forgotten does not come back', async () => {
    const [userId, group] = [aUser(), aConversation()]
    expect(await changedBy(() => world().forget(), [userId, group])).toEqual([userId, group])
  })

  test('stamps come in the order asked for, however many', async () => {
    const [first, last] = [aUser(), aUser()]
    const [stampOfFirst, stampOfLast] = await here().tickStamps.look([first, last])
    const all = await there().tickStamps.look([first, ...Array.from({ length: 700 }, aUser), last])
    expect(all).toHaveLength(702)
    expect([all[0], all[701]]).toEqual([stampOfFirst, stampOfLast])
    expect(await there().tickStamps.look([])).toEqual([])
  })
}
