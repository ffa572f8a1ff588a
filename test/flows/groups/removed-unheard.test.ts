import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A member is removed from a group, and the events of it are lost on their way to the node that has their streams.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

const node = (at: number) => world.nodes[at]?.parts ?? expect.fail()

/** Loses what the first node would publish of this. */
async function unheard(happens: () => Promise<unknown>): Promise<void> {
  const { events } = node(0).ports
  const lost = [
    vi.spyOn(events, 'publishMembership').mockResolvedValue(),
    vi.spyOn(events, 'publishGroupEntry').mockResolvedValue(),
  ]
  await happens()
  for (const each of lost) each.mockRestore()
}

/** Alice, the owner, and carol are on the first node; bob is on the second. */
async function groupOfThree() {
  const [alice, carol] = [await world.person('alice'), await world.person('carol')]
  const bob = await world.person('bob', { node: 1 })
  const { id } = await createGroup(alice, [bob, carol])
  const { seq } = await alice.send({ conversationId: id }, 'hi')
  return { alice, bob, carol, id, seq }
}

/** Returns the stream of this over SSE, as text. */
async function overSse({ url, token }: Person, query: string, variables: object) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ query, variables }),
  })
  const { body } = response
  if (!body) expect.fail()
  let text = ''
  const over = (async () => {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) text += chunk
    return text
  })()
  return { over, text: () => text }
}

it('their streams of that group end with the next periodic resync, over WebSocket as over SSE', async () => {
  const { alice, bob, id, seq } = await groupOfThree()
  const ticks = bob.followTicks({ conversationId: id })
  const messages = bob.follow({ conversationId: id })
  const changes = bob.followChanges({ conversationId: id })
  const typing = bob.followTyping(id)
  const sse = await overSse(
    bob,
    'subscription ($id: ID!) { ticksChanged(conversationId: $id) { userId lastReadSeq } }',
    { id },
  )
  await Promise.all([ticks.receives(2), messages.receives(1)])
  await expect.poll(() => sse.text().match(/lastReadSeq/g)?.length).toBe(2)
  await alice.edit(id, seq, 'hello')
  await changes.receives(1)
  await expect
    .poll(async () => {
      await alice.setTyping(id, false)
      await alice.setTyping(id, true)
      return typing.events.length
    })
    .toBeGreaterThan(0)

  await unheard(() => updateMembers(alice, id, { remove: [bob] }))
  node(1).domain.resyncScheduler.resyncAll()

  for (const stream of [ticks, messages, changes, typing]) {
    expect(await stream.fails()).toMatchObject({ code: 'NOT_FOUND', retryable: false })
    await stream.stop()
  }
  expect(await sse.over).toContain('NOT_FOUND')
})

it('their stream of all ticks goes on with what is still theirs', async () => {
  const { alice, bob, carol, id, seq } = await groupOfThree()
  const ticks = bob.followTicks()
  await expect
    .poll(async () => {
      await carol.ack(id, seq)
      return ticks.events.length
    })
    .toBeGreaterThan(0)
  const shown = ticks.events.length
  await unheard(() => updateMembers(alice, id, { remove: [bob] }))
  node(1).domain.resyncScheduler.resyncAll()
  const { conversationId } = await bob.send(carol, 'psst')
  await carol.ack(conversationId, 1)
  // Everything that the periodic resync had to show has come before this.
  await ticks.sees((each) => each.conversationId === conversationId && each.lastDeliveredSeq === 1)

  await carol.markRead(id, (await alice.send({ conversationId: id }, 'among ourselves')).seq)
  node(1).domain.resyncScheduler.resyncAll()
  await carol.markRead(conversationId, 1)
  await ticks.sees((each) => each.conversationId === conversationId && each.lastReadSeq === 1)
  const later = ticks.events.slice(shown).map((each) => each.conversationId)
  expect(later.filter((each) => each === id)).toEqual([])
  await ticks.stop()
})
