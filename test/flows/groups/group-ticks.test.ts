import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createGroup } from '../../kit/group-of.ts'
import { upTo } from '../../kit/ids.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A group just large enough that its ticks are told together, on two nodes with sockets.

const crowdSize = 105
let world: World

beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

it('the ticks of a large group reach the author and whoever asks for it, once each, and nobody else', async () => {
  const alice = await world.person('alice')
  const [bob, carol] = [await world.person('bob', { node: 1 }), await world.person('carol', { node: 1 })]
  const crowd = upTo(crowdSize).map((i) => ({ userId: `of-the-crowd-${i}` }) as Person)
  const { id: conversationId } = await createGroup(alice, [bob, carol, ...crowd])
  const [atAlice, atBob, atBobToo, atCarol] = [
    alice.followTicks(),
    bob.followTicks({ conversationId }),
    bob.followTicks({ conversationId }),
    carol.followTicks(),
  ]
  await Promise.all([atBob, atBobToo].map((each) => each.receives(crowdSize + 2)))
  const ofSelf = world.chatOf(carol, alice)
  // Nothing comes first at these two, so that they stand is seen by the ticks of another chat.
  await alice.send(carol, 'do you hear?')
  await carol.send(alice, 'I do')
  for (const each of [alice, carol]) {
    const other = each === alice ? carol : alice
    await expect
      .poll(async () => {
        await other.ack(ofSelf, 2)
        return (each === alice ? atAlice : atCarol).events.length
      })
      .toBeGreaterThan(0)
  }
  const { seq } = await alice.send({ conversationId }, 'hello, all')
  await Promise.all(
    [...crowd, carol, bob].map(async ({ userId }, i) => {
      const { domain } = (world.nodes[i % world.nodes.length] ?? expect.fail()).parts
      return domain.ack(await domain.access.member(userId as UserId, conversationId as ConversationId), seq)
    }),
  )
  const risen = (events: readonly { userId: string; conversationId: string; lastDeliveredSeq: number }[]) =>
    events.filter((each) => each.conversationId === conversationId && each.lastDeliveredSeq === seq)
  const acked = [...crowd, carol, bob].map(({ userId }) => userId).sort()
  const names = (events: Parameters<typeof risen>[0]) =>
    risen(events)
      .map(({ userId }) => userId)
      .sort()
  await expect.poll(() => names(atAlice.events)).toEqual(acked)
  for (const each of [atBob, atBobToo]) {
    await expect.poll(() => names(each.events)).toEqual(acked.filter((userId) => userId !== bob.userId))
  }
  expect(risen(atCarol.events)).toEqual([])
  await Promise.all([atAlice, atBob, atBobToo, atCarol].map((each) => each.stop()))
})
