import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { slotOf } from '../../src/engine/redis/slot-table.ts'
import type { EventSubscription } from '../../src/ports/events.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { aConversation, aUser, upTo } from '../kit/ids.ts'
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../kit/services/redis-cluster.ts'
import { connectNode, keys } from '../kit/soft-worlds.ts'

// Whatever happens to a cluster: each event that was accepted is heard, or a gap is told to its listener from then on. Two nodes are connected to it;
// one publishes to many users all the time, the other listens.

const eventually = (reached: () => void | Promise<void>) => vi.waitFor(reached, { timeout: 60_000, interval: 20 })
const users = 40

let cluster: RedisCluster
let here: ReturnType<typeof connectNode>
let there: ReturnType<typeof connectNode>
beforeAll(async () => {
  cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs: 2000, cuttable: true })
  here = connectNode(cluster.url, { commandTimeoutMs: 1000 })
  there = connectNode(cluster.url, { commandTimeoutMs: 1000 })
  await eventually(() => expect([here.link.hears(), there.link.hears()]).toEqual([true, true]))
})
afterAll(async () => {
  await here?.link.close()
  await there?.link.close()
  await cluster?.stop()
})

type Listener = { userId: UserId; heard: Set<number>; gapsAtMs: number[]; subscription: EventSubscription }
type Publication = { listener: Listener; n: number; fromMs: number }

async function aListener(): Promise<Listener> {
  const userId = aUser()
  const heard = new Set<number>()
  const gapsAtMs: number[] = []
  const subscription = await there.soft.events.subscribe(userId, {
    event: (event) => event.type === 'ticks' && heard.add(event.ticks.lastDeliveredSeq),
    gap: () => gapsAtMs.push(performance.now()),
  })
  return { userId, heard, gapsAtMs, subscription }
}

const slotOfListener = ({ userId }: Listener): number => slotOf(keys.channel(userId))

async function startLoad() {
  const listeners = await Promise.all(upTo(users).map(aListener))
  const accepted: Publication[] = []
  let n = 0
  let ending = false

  async function publish(listener: Listener): Promise<boolean> {
    n += 1
    const publication = { listener, n, fromMs: performance.now() }
    const ticks = { conversationId: aConversation(), userId: aUser(), lastDeliveredSeq: n, lastReadSeq: 0 }
    try {
      await here.soft.events.publishBoundaries([listener.userId], ticks)
      accepted.push(publication)
      return true
    } catch {
      return false
    }
  }

  async function subscribeAnew(): Promise<boolean> {
    try {
      const { subscription } = await aListener()
      await subscription.close()
      return true
    } catch {
      // How many are late while a master is away, the benchmark counts: cluster-faults.
      return false
    }
  }

  async function keepPublishing(listener: Listener): Promise<void> {
    while (!ending) await publish(listener)
  }
  async function keepSubscribing(): Promise<void> {
    while (!ending) await subscribeAnew()
  }
  const work = [...listeners.map(keepPublishing), keepSubscribing()]

  return {
    listeners,
    subscribeAnew,
    /** Resolves when nothing is accepted any more for those who listen in this slot. */
    async refuses(slot: number): Promise<void> {
      const inSlot = listeners.filter((listener) => slotOfListener(listener) === slot)
      await eventually(async () => expect(await Promise.all(inSlot.map(publish))).not.toContain(true))
    },
    /** Resolves when every user has heard something that was published from now on. */
    async delivers(): Promise<void> {
      const from = n
      await eventually(() => {
        const deaf = listeners.filter(({ heard }) => ![...heard].some((each) => each > from))
        expect(deaf.map(({ userId }) => userId)).toEqual([])
      })
    },
    /** Resolves when something more was accepted for every user. */
    async accepts(): Promise<void> {
      const from = accepted.length
      await eventually(() => {
        const since = new Set(accepted.slice(from).map(({ listener }) => listener))
        expect(since.size).toBe(users)
      })
    },
    async end(): Promise<void> {
      ending = true
      await Promise.all(work)
    },
    /** Resolves when whatever was published has been heard, or never will be. */
    async passed(): Promise<void> {
      await eventually(async () => void (await Promise.all(listeners.map(({ subscription }) => subscription.flush()))))
    },
    /** What was accepted and neither heard nor covered by a gap. */
    unnoticed: () =>
      accepted.filter(
        ({ listener, n, fromMs }) => !listener.heard.has(n) && !listener.gapsAtMs.some((atMs) => atMs >= fromMs),
      ).length,
    close: async () => void (await Promise.all(listeners.map(({ subscription }) => subscription.close()))),
  }
}

type Load = Awaited<ReturnType<typeof startLoad>>

/** On a busy machine the cluster may still be coming to rest after the fault before. */
const aMaster = (): Promise<ClusterNode> =>
  vi.waitFor(
    async () => {
      for (const master of await cluster.masters()) if ((await cluster.replicasOf(master)).length > 0) return master
      throw new Error('No master has a replica.')
    },
    { timeout: 30_000, interval: 50 },
  )
const replicaOf = async (master: ClusterNode): Promise<ClusterNode> =>
  (await cluster.replicasOf(master))[0] ?? expect.fail('It has no replica.')

/** The slots of those who listen, as far as this master has them. */
async function slotsInUse({ listeners }: Load, master: ClusterNode): Promise<number[]> {
  const owned = new Set(await cluster.slotsOf(master))
  return [...new Set(listeners.map(slotOfListener))].filter((slot) => owned.has(slot))
}

async function moveInUse(load: Load, from: ClusterNode, to: ClusterNode): Promise<void> {
  // Nothing is heard of a slot that is moving, but what is published is accepted.
  for (const slot of await slotsInUse(load, from)) await cluster.moveSlot(slot, from, to, load.accepts)
}

const takenOver = (replica: ClusterNode) => eventually(async () => expect(await cluster.isMaster(replica)).toBe(true))

const faults: [string, (load: Load) => Promise<void>][] = [
  ['a failover is asked for', async () => cluster.failOver(await replicaOf(await aMaster()))],
  ['a replica takes over without asking', async () => cluster.failOver(await replicaOf(await aMaster()), 'TAKEOVER')],
  [
    'a master is killed, and comes back as a replica',
    async () => {
      const master = await aMaster()
      const replica = await replicaOf(master)
      await master.kill()
      await takenOver(replica)
      await master.launch()
    },
  ],
  [
    'a master is frozen until it is replaced, and comes back',
    async () => {
      const master = await aMaster()
      const replica = await replicaOf(master)
      master.pause()
      await takenOver(replica)
      master.resume()
    },
  ],
  [
    'a master is cut off from the others, and goes on answering',
    async (load) => {
      const master = await aMaster()
      const replica = await replicaOf(master)
      const heal = cluster.cutOff(master)
      await takenOver(replica)
      await load.delivers()
      heal()
    },
  ],
  [
    'nobody has a slot, because two masters each say that the other has it',
    async (load) => {
      const [one, other] = await cluster.masters()
      if (!one || !other) expect.fail('There are too few masters.')
      const [slot = expect.fail('No listener has a slot there.')] = await slotsInUse(load, one)
      const restore = await cluster.orphanSlot(slot, one, other)
      await load.refuses(slot)
      await restore()
    },
  ],
  [
    'slots move, and are used while they do',
    async (load) => {
      const [from, to] = await cluster.masters()
      if (!from || !to) expect.fail('There are too few masters.')
      await moveInUse(load, from, to)
    },
  ],
  [
    'a master is added, is given slots, loses them again and is taken out',
    async (load) => {
      const old = await aMaster()
      const added = await cluster.addMaster()
      const slots = await slotsInUse(load, old)
      for (const slot of slots) await cluster.moveSlot(slot, old, added)
      await load.delivers()
      for (const slot of slots) await cluster.moveSlot(slot, added, old)
      await cluster.remove(added)
    },
  ],
]

test('while nodes move from one way of publishing to the other, they hear each other', async () => {
  const kinds = ['plain', 'moving', 'sharded'] as const
  const nodes = kinds.map((clusterPubSub) => ({ clusterPubSub, ...connectNode(cluster.url, { clusterPubSub }) }))
  const heardBy = async (at: (typeof nodes)[number]) => {
    const userId = aUser()
    const heard: number[] = []
    const subscription = await at.soft.events.subscribe(userId, {
      event: (event) => event.type === 'ticks' && heard.push(event.ticks.lastDeliveredSeq),
      gap: () => undefined,
    })
    for (const [index, { soft }] of nodes.entries()) {
      const ticks = { conversationId: aConversation(), userId: aUser(), lastDeliveredSeq: index, lastReadSeq: 0 }
      await soft.events.publishBoundaries([userId], ticks)
    }
    await subscription.flush()
    await subscription.close()
    return heard.sort().map((index) => kinds[index])
  }
  const heard = await Promise.all(nodes.map(heardBy))
  await Promise.all(nodes.map(({ link }) => link.close()))
  expect(heard).toEqual([kinds, kinds, ['moving', 'sharded']])
})

test.each(faults)('every event is heard, or a gap is told: %s', async (_name, fault) => {
  const load = await startLoad()
  try {
    await load.delivers()
    await fault(load)
    await load.delivers()
    await cluster.settled()
    await load.delivers()
    await load.end()
    await load.passed()
    expect(load.unnoticed()).toBe(0)
    await eventually(async () => expect(await load.subscribeAnew()).toBe(true))
    await eventually(() => expect([here.link.hears(), there.link.hears()]).toEqual([true, true]))
  } finally {
    await load.end()
    await load.close()
  }
})
