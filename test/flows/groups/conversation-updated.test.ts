import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

type Update = {
  conversation: { id: string } | null
  conversationEdge: { cursor: string; node: { id: string } } | null
  removedConversationId: string | null
}

const subscription = `subscription { conversationUpdated {
  conversation { id } conversationEdge { cursor node { id } } removedConversationId
} }`

it('shows a group at its place in the list, and says when it is gone, also if that was heard of by nobody', async () => {
  const alice = await world.person('alice')
  const bob = await world.person('bob', { node: 1 })
  const { id } = await createGroup(alice, [bob])
  const stream = bob.watch<{ conversationUpdated: Update }>(subscription)
  const parts = world.nodes[1]?.parts ?? expect.fail()
  await vi.waitFor(() => expect(parts.domain.resyncScheduler.streams()).toBe(1))

  await alice.send({ conversationId: id }, 'hi')
  const [shown] = await stream.receives(1)
  const { cursor } = shown?.conversationUpdated.conversationEdge ?? expect.fail()
  expect(shown?.conversationUpdated).toEqual({
    conversation: { id },
    conversationEdge: { cursor, node: { id } },
    removedConversationId: null,
  })
  const { conversations } = await bob.ask<{ conversations: { edges: { cursor: string }[] } }>(
    '{ conversations { edges { cursor } } }',
  )
  expect(conversations.edges).toEqual([{ cursor }])

  const gone = { conversation: null, conversationEdge: null, removedConversationId: id }
  await updateMembers(alice, id, { remove: [bob] })
  expect((await stream.receives(2)).at(-1)).toEqual({ conversationUpdated: gone })
  await updateMembers(alice, id, { add: [bob] })
  await stream.sees(
    ({ conversationUpdated }) => conversationUpdated.conversation?.id === id && stream.events.length > 2,
  )

  const { events } = world.nodes[0]?.parts.ports ?? expect.fail()
  const lost = [
    vi.spyOn(events, 'publishMembership').mockResolvedValue(),
    vi.spyOn(events, 'publishGroupEntry').mockResolvedValue(),
  ]
  await updateMembers(alice, id, { remove: [bob] })
  for (const each of lost) each.mockRestore()
  parts.domain.resyncScheduler.resyncAll()
  // Of the change before, a second event may come first.
  await expect.poll(() => stream.events.at(-1)).toEqual({ conversationUpdated: gone })
  await stream.stop()
})
