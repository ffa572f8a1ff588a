import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterNode, startRedisCluster } from '../../kit/services/redis-cluster.ts'
import { waitUntil } from '../../kit/wait-until.ts'

// A real cluster, and what can happen to it. Each fault ends when all nodes know each other again and every replica follows its master.

export const clusterFaults = [
  'kill a master',
  'fail over by hand',
  'force a failover',
  'pause a master',
  'cut a master off',
  'cut the bus',
  'move slots',
  'add and remove a master',
] as const
export type ClusterFault = (typeof clusterFaults)[number]

export type ChaosCluster = Awaited<ReturnType<typeof createChaosCluster>>

const nodeTimeoutMs = 2000
/** One in so many slots of a master moves, whether it has keys or not. */
const slotStep = 100

export async function createChaosCluster() {
  const cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs, cuttable: true })

  /** Draws a master that has a replica. */
  async function draw(share: number): Promise<{ master: ClusterNode; replica: ClusterNode }> {
    const masters = await cluster.masters()
    const pairs = await Promise.all(
      masters.map(async (master) => ({ master, replica: (await cluster.replicasOf(master))[0] })),
    )
    const whole = pairs.flatMap(({ master, replica }) => (replica ? [{ master, replica }] : []))
    const pair = whole[Math.floor(share * whole.length)]
    if (!pair) throw new Error('No master has a replica.')
    return pair
  }
  const replaced = (replica: ClusterNode) => waitUntil(() => cluster.isMaster(replica))

  async function moveSlots(slots: readonly number[], from: ClusterNode, to: ClusterNode): Promise<void> {
    for (const slot of slots) await cluster.moveSlot(slot, from, to)
  }

  const harm: Record<ClusterFault, (share: number, forMs: number) => Promise<void>> = {
    async 'kill a master'(share, forMs) {
      const { master, replica } = await draw(share)
      await master.kill()
      await replaced(replica)
      await sleep(forMs)
      await master.launch()
    },
    async 'fail over by hand'(share) {
      await cluster.failOver((await draw(share)).replica)
    },
    async 'force a failover'(share) {
      await cluster.failOver((await draw(share)).replica, 'TAKEOVER')
    },
    async 'pause a master'(share, forMs) {
      const { master, replica } = await draw(share)
      master.pause()
      await replaced(replica)
      await sleep(forMs)
      master.resume()
    },
    async 'cut a master off'(share, forMs) {
      const { master, replica } = await draw(share)
      const heal = cluster.cutOff(master)
      await replaced(replica)
      await sleep(forMs)
      heal()
    },
    async 'cut the bus'(share, forMs) {
      const { master } = await draw(share)
      const [other] = (await cluster.masters()).filter((each) => each !== master)
      const heal = other && cluster.cut(master, other)
      await sleep(forMs)
      heal?.()
    },
    async 'move slots'(share) {
      const { master } = await draw(share)
      const [other] = (await cluster.masters()).filter((each) => each !== master)
      const slots = (await cluster.slotsOf(master)).filter((slot) => slot % slotStep === 0)
      if (other) await moveSlots(slots, master, other)
    },
    async 'add and remove a master'(share, forMs) {
      const { master } = await draw(share)
      const added = await cluster.addMaster()
      const slots = (await cluster.slotsOf(master)).filter((slot) => slot % slotStep === 0)
      await moveSlots(slots, master, added)
      await sleep(forMs)
      await moveSlots(slots, added, master)
      await cluster.remove(added)
    },
  }

  return {
    url: cluster.url,
    flush: cluster.flush,
    cutListeners: cluster.killSubscribers,
    /** Resolves when the cluster is whole again. */
    async harm(fault: ClusterFault, share: number, forMs: number): Promise<void> {
      await harm[fault](share, forMs)
      await cluster.settled()
    },
    stop: cluster.stop,
    /** Kills all of it without waiting for the end. */
    destroy(): void {
      for (const node of cluster.nodes) void node.kill()
    },
  }
}
