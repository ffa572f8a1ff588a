import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { ConversationId } from '../../../src/protocol/ids.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A replica takes over that lags behind, and no connection breaks, as in a cluster where the listening connection is to another
// node. Here one Redis plays both: it gets back what it knew before, and is promoted anew.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

const node = (at: number) => world.nodes[at]?.parts ?? expect.fail()

/** Reads the counter as it is now. The returned function brings it back. */
async function rememberCounter(chat: string): Promise<() => Promise<void>> {
  const { raw } = world.redis
  const [key] = await raw.keys(`*seq:{${chat}}`)
  const value = key && (await raw.get(key))
  if (!key || !value) expect.fail('There is no counter.')
  return async () => void (await raw.set(key, value))
}

/** Makes it another master than before, with the same data. */
async function promote(): Promise<void> {
  const results = await world.redis.raw.multi().replicaof('127.0.0.1', 1).replicaof('NO', 'ONE').exec()
  expect(results?.map(([error]) => error)).toEqual([null, null])
}

it('a message whose event was lost comes with the next periodic resync, also if the counter has fallen back behind it', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  const atBob = bob.follow()
  await world.online(bob)
  const { conversationId } = await alice.send(bob, 'one')
  await atBob.receives(1)

  const fallBack = await rememberCounter(conversationId)
  const lost = vi.spyOn(node(0).ports.events, 'publishEntry').mockResolvedValue({ absent: [], overtaken: [] })
  await alice.send(bob, 'unheard')
  lost.mockRestore()
  await fallBack()
  await promote()

  node(1).domain.resyncScheduler.resyncAll()
  expect((await atBob.receives(2)).map(({ message }) => message.body)).toEqual(['one', 'unheard'])
  await atBob.stop()
})

it.each([
  ['on the same node, whatever the counter says', { node: 0, promoted: false }],
  ['on another node', { node: 1, promoted: true }],
])(
  'a later message of a sender has the higher number, though the counter has fallen back into a hole: %s',
  async (_where, { node: at, promoted }) => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const { conversationId } = await alice.send(bob, 'one')
    const fallBack = await rememberCounter(conversationId)
    // A node that dies after reserving leaves this.
    await node(0).ports.sequencer.reserveAbove(conversationId as ConversationId, 1)
    expect((await alice.send(bob, 'three')).seq).toBe(3)
    await fallBack()
    if (promoted) await promote()
    expect((await alice.send(bob, 'four', { node: world.url(at) })).seq).toBeGreaterThan(3)
  },
)
