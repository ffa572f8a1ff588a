import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../kit/world.ts'

// While nodes are replaced, one writes claims in the full form and the next in the short one.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 1, config: { claimRows: { form: 'full', ttlDays: 0 } } })
  await world.startNode({}, { claimRows: { form: 'short', ttlDays: 30 } })
})
afterAll(() => world.stop())

describe.each([
  { first: 'full', from: 0, to: 1 },
  { first: 'short', from: 1, to: 0 },
])('a send whose claim is in the $first form', ({ from, to }) => {
  it('is known to a node that writes the other form, with and without Redis data', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const send = { clientMessageId: 'c-1' }
    const first = await alice.send(bob, 'once', { ...send, node: world.url(from) })
    expect(await alice.send(bob, 'once', { ...send, node: world.url(to) })).toEqual({ ...first, duplicate: true })
    await world.redis.raw.flushall()
    expect(await alice.send(bob, 'once', { ...send, node: world.url(to) })).toEqual({ ...first, duplicate: true })
  })

  it('is a conflict there with other content', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.send(bob, 'once', { clientMessageId: 'c-1', node: world.url(from) })
    await expect(alice.send(bob, 'other', { clientMessageId: 'c-1', node: world.url(to) })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  it('is finished there, if its node died before the message was written', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.send(bob, 'first', { node: world.url(from) })
    const { messages } = world.nodes[from]?.parts.ports ?? {}
    if (!messages) throw new Error('There is no such node.')
    const { put } = messages
    messages.put = async () => {
      throw new Error('This node dies.')
    }
    const send = { clientMessageId: 'c-1' }
    await expect(alice.send(bob, 'late', { ...send, node: world.url(from) })).rejects.toThrow()
    messages.put = put
    const { seq } = await alice.send(bob, 'late', { ...send, node: world.url(to) })
    const { edges } = await bob.history(world.chatOf(alice, bob))
    expect(edges.map(({ node }) => [node.seq, node.body, node.sender.id])).toContainEqual([seq, 'late', alice.userId])
    expect(await alice.send(bob, 'late', { ...send, node: world.url(from) })).toMatchObject({ seq, duplicate: true })
  })
})
