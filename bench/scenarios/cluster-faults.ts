import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../../test/kit/services/redis-cluster.ts'
import type { Bench, Scenario } from '../bench.ts'
import { type ConversationLoad, openConversationLoad } from '../load/conversation-load.ts'
import { messageAdded } from '../load/documents.ts'
import { openGraphQLSocket } from '../load/graphql-socket.ts'
import { accountOf } from '../load/tokens.ts'
import { createSheet, quantile, type Sheet } from '../sheet.ts'

// Measures what a fault of a Redis Cluster costs those who write to each other: two nodes of ours on three masters with a replica each; pairs
// whose people are on different nodes, each with four messages a second, and a new stream four times a second.

type Fault = {
  name: string
  /** Resolves when the cluster serves all slots again. `ended` is done afterwards, after this long. */
  begin(cluster: RedisCluster): Promise<{ end?: () => unknown; endAfterMs?: number }>
}

const faults: Fault[] = [
  {
    name: 'failover, asked for',
    begin: async (cluster) => {
      const { replica } = await aShard(cluster)
      await cluster.failOver(replica)
      return {}
    },
  },
  {
    name: 'takeover',
    begin: async (cluster) => {
      const { replica } = await aShard(cluster)
      await cluster.failOver(replica, 'TAKEOVER')
      return {}
    },
  },
  {
    name: 'a master is killed',
    begin: async (cluster) => {
      const { master, replica } = await aShard(cluster)
      await master.kill()
      await takenOver(cluster, replica)
      return { end: () => master.launch(), endAfterMs: 10_000 }
    },
  },
  { name: 'a master is stopped for 10 s', begin: (cluster) => stopped(cluster, 10_000) },
  { name: 'a master is stopped for 40 s', begin: (cluster) => stopped(cluster, 40_000) },
  {
    name: 'a master is cut off from the others, not from us, for 40 s',
    begin: async (cluster) => {
      const { master, replica } = await aShard(cluster)
      const heal = cluster.cutOff(master)
      await takenOver(cluster, replica)
      return { end: heal, endAfterMs: 40_000 }
    },
  },
  {
    name: 'a hundred slots move',
    begin: async (cluster) => {
      const [from, to] = await cluster.masters()
      if (!from || !to) throw new Error('There are too few masters.')
      for (const slot of (await cluster.slotsOf(from)).slice(0, 100)) await cluster.moveSlot(slot, from, to)
      return {}
    },
  },
  {
    name: 'a master is added and given 300 slots',
    begin: async (cluster) => {
      const masters = await cluster.masters()
      const added = await cluster.addMaster()
      for (const master of masters) {
        for (const slot of (await cluster.slotsOf(master)).slice(-100)) await cluster.moveSlot(slot, master, added)
      }
      return {}
    },
  },
  {
    name: 'a node that was master is taken out, and still answers',
    begin: async (cluster) => {
      const { master, replica } = await aShard(cluster)
      await cluster.failOver(replica)
      await cluster.forget(master)
      return { endAfterMs: 20_000 }
    },
  },
]

const nodeTimeoutsMs = [2000, 5000]
const beforeMs = 3000
const afterMs = 8000

export const clusterFaults: Scenario = async (bench) => {
  const sheet = createSheet()
  for (const nodeTimeoutMs of bench.choose({
    quick: nodeTimeoutsMs.slice(0, 1),
    default: nodeTimeoutsMs,
    full: nodeTimeoutsMs,
  }))
    await measureAll(bench, sheet, nodeTimeoutMs)
  return sheet.measured()
}

async function measureAll(bench: Bench, sheet: Sheet, nodeTimeoutMs: number): Promise<void> {
  const cluster = await startRedisCluster({ replicas: 1, nodeTimeoutMs, cuttable: true })
  const on = { url: cluster.url, pids: () => cluster.nodes.map((node) => node.pid()) }
  const nodes = [await bench.on(on), await bench.on(on)] as const
  const pairs = bench.choose({ quick: 4, default: 24, full: 48 })
  try {
    const loads: ConversationLoad[] = []
    for (let i = 0; i < pairs; i += 1)
      loads.push(
        await openConversationLoad(nodes[i % 2]?.port ?? 0, nodes[(i + 1) % 2]?.port ?? 0, `${nodeTimeoutMs}-${i}`),
      )
    for (const fault of bench.choose({ quick: faults.slice(0, 1), default: faults, full: faults }))
      await measureOne(
        sheet,
        cluster,
        loads,
        fault,
        `${fault.name}, node timeout ${nodeTimeoutMs / 1000} s`,
        nodes.map(({ port }) => port),
      )
    for (const load of loads) await load.end()
    for (const load of loads) load.close()
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await cluster.stop()
  }
}

async function measureOne(
  sheet: Sheet,
  cluster: RedisCluster,
  loads: readonly ConversationLoad[],
  fault: Fault,
  who: string,
  ports: readonly number[],
): Promise<void> {
  await sleep(beforeMs)
  const newcomers = keepSubscribing(ports)
  const beganAt = performance.now()
  const { end, endAfterMs = 0 } = await fault.begin(cluster)
  const healedMs = performance.now() - beganAt
  await sleep(Math.max(0, beganAt + endAfterMs - performance.now()))
  await end?.()
  await cluster.settled()
  await sleep(afterMs)
  const refused = await newcomers.end()
  const until = performance.now()
  const missing = () =>
    loads
      .flatMap((load) => load.told())
      .filter(({ acceptedAt, heardAt }) => acceptedAt <= until && heardAt === undefined)
  while (missing().length > 0 && performance.now() < until + 60_000) await sleep(50)
  const lost = missing().length
  const during = loads.map((load) =>
    load.told().filter(({ acceptedAt }) => acceptedAt >= beganAt && acceptedAt <= until),
  )
  const all = during.flat()
  const deliveredMs = all.flatMap(({ acceptedAt, heardAt }) =>
    heardAt === undefined ? [] : [Math.max(0, heardAt - acceptedAt)],
  )
  const triedMs = all.map(({ firstTriedAt, acceptedAt }) => acceptedAt - Math.max(firstTriedAt, beganAt))
  const silenceMs = during.flatMap((some) => {
    const heardAt = [beganAt, ...some.flatMap((each) => each.heardAt ?? [])].sort((one, other) => one - other)
    return heardAt.map((at, index) => at - (heardAt[index - 1] ?? at))
  })
  const add = (what: string, ms: number) => sheet.add(`cluster: ${what}`, who, 's', ms / 1000)
  add('it serves all slots again after', healedMs)
  add('sends again after, the slowest pair', Math.max(...triedMs))
  add('delivery after the answer, p99', quantile(deliveredMs, 0.99))
  add('delivery after the answer, slowest', Math.max(...deliveredMs))
  add('longest silence of a stream', Math.max(...silenceMs))
  sheet.add('cluster: new streams refused', who, '', refused)
  console.log(
    `${who}: healed ${healedMs.toFixed(0)}, sends ${Math.max(...triedMs).toFixed(0)}, p99 ${quantile(deliveredMs, 0.99).toFixed(0)} ms, of ${all.length}`,
  )
  sheet.add('cluster: accepted and not heard', who, '', lost)
}

/** Opens a stream for somebody new again and again. Resolves to how many were refused. */
function keepSubscribing(ports: readonly number[]) {
  let [ending, refused, opened] = [false, 0, 0]
  async function work(): Promise<void> {
    while (!ending) {
      opened += 1
      const socket = await openGraphQLSocket(
        ports[opened % ports.length] ?? 0,
        accountOf(`guest-${opened}-${ports[0]}`),
      )
      socket.onLost = () => undefined
      socket.onText = (payload) => {
        if (payload.includes('"error')) refused += 1
      }
      socket.send(socket.operation('added', messageAdded, {}))
      await sleep(250)
      void sleep(10_000).then(() => socket.close())
    }
  }
  const worked = work()
  return {
    async end(): Promise<number> {
      ending = true
      await worked
      return refused
    },
  }
}

async function aShard(cluster: RedisCluster): Promise<{ master: ClusterNode; replica: ClusterNode }> {
  for (;;) {
    for (const master of await cluster.masters()) {
      const [replica] = await cluster.replicasOf(master)
      if (replica) return { master, replica }
    }
    await sleep(100)
  }
}

async function takenOver(cluster: RedisCluster, replica: ClusterNode): Promise<void> {
  while (!(await cluster.isMaster(replica))) await sleep(20)
}

async function stopped(cluster: RedisCluster, ms: number) {
  const { master, replica } = await aShard(cluster)
  master.pause()
  await takenOver(cluster, replica)
  return { end: () => master.resume(), endAfterMs: ms }
}
