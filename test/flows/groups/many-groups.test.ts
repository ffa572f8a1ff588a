import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { aGroup, aGroupChange, upTo } from '../../kit/ids.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A person is in very many groups, because others have put them there. Their list comes from a node that keeps its usual deadlines, with a
// Redis that knows nothing of these groups. Their streams work too. These read hundreds of logs, which may take long on a busy machine, so
// they are at a patient node.

const count = 600
let world: World
beforeAll(async () => {
  world = await startWorld({ app: { deadlines: {} } })
  await world.startNode({ deadlines: { redisMs: 5000, dynamoMs: 10_000 } })
})
afterAll(() => world.stop())

const portsOf = () => world.nodes[1]?.parts.ports ?? expect.fail()

/** Writes straight into the stores: the person is in so many groups of another user, in which nothing was said. */
async function putInto({ userId }: Person, owner: Person): Promise<ConversationId[]> {
  const { conversations, memberships, messages } = portsOf()
  const [victim, ownerId] = [userId as UserId, owner.userId as UserId]
  const ids = upTo(count).map((n) => `grp_${owner.userId}-${n}` as ConversationId)
  for (let i = 0; i < ids.length; i += 25) {
    await Promise.all(
      ids.slice(i, i + 25).map(async (id) => {
        const first = aGroupChange(id, 1, { senderId: ownerId, added: [ownerId, victim], title: id })
        const group = aGroup({ id, members: [ownerId, victim], version: 1 })
        const membersById = new Map(group.members.map((each) => [each, { role: 'OWNER' as const, joinedSeq: 1 }]))
        await messages.put(first)
        await memberships.addFirst([ownerId, victim], { conversationId: id, joinedSeq: 1 })
        await conversations.create({ ...group, membersById })
      }),
    )
  }
  return ids
}

it('somebody in hundreds of groups lists them, attaches and gets their messages', async () => {
  const [victim, owner] = [await world.person('victim'), await world.person('owner', { node: 1 })]
  const ids = await putInto(victim, owner)
  const list = '{ conversations(first: 100) { edges { node { id lastSeq unreadCount } } pageInfo { hasNextPage } } }'
  // On a busy machine a step may be late; the next attempt gets further.
  const ask = () => victim.ask<{ conversations: { edges: unknown[]; pageInfo: object } }>(list)
  const { conversations } = await vi.waitFor(ask, { timeout: 60_000, interval: 50 })
  expect(conversations.edges).toHaveLength(100)
  expect(conversations.pageInfo).toEqual({ hasNextPage: true })

  const streams = [victim.follow({}, world.url(1)), victim.followConversations(world.url(1))] as const
  const presence = async () => portsOf().sessions.presence([victim.userId as UserId])
  await expect.poll(presence, { timeout: 90_000, interval: 50 }).toEqual(['online'])
  for (const id of [ids[0], ids[count / 2], ids[count - 1]]) {
    await owner.send({ conversationId: id ?? '' }, 'hello')
  }
  expect(await streams[0].receives(3)).toHaveLength(3)
  await Promise.all(streams.map((stream) => stream.stop()))
}, 120_000)
