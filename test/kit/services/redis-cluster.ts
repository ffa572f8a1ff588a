import { Cluster } from 'ioredis'
import { freePort } from '../free-port.ts'
import { waitUntil } from '../wait-until.ts'
import { startBusProxy } from './bus-proxy.ts'
import { type RedisServer, startRedis } from './redis.ts'

const slotCount = 16_384

export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>
export type ClusterNode = RedisServer & { id: string; port: number; busPort: number }

type Options = {
  masters?: number
  /** Each master has so many. */
  replicas?: number
  /** A node that is silent for this long counts as failed, and a replica takes over. */
  nodeTimeoutMs?: number
  /** The talk between nodes goes through proxies, so that it can be cut. */
  cuttable?: boolean
}

/** Starts masters that share the slots. Those that are left go on serving theirs when one is gone. */
export async function startRedisCluster(options: Options = {}) {
  const { masters: masterCount = 3, replicas = 0, nodeTimeoutMs = 15_000, cuttable = false } = options
  const nodes: ClusterNode[] = []
  /** Those that were taken out, too. */
  const started: ClusterNode[] = []
  const proxies: Awaited<ReturnType<typeof startBusProxy>>[] = []
  const cuts = new Set<string>()
  const isCut = (one: string, other: string) => cuts.has(`${one} ${other}`) || cuts.has(`${other} ${one}`)

  async function startNode(): Promise<ClusterNode> {
    const port = await freePort()
    const busPort = await freePort()
    let id = ''
    const proxy = cuttable ? await startBusProxy(busPort, (sender) => isCut(sender, id)) : undefined
    if (proxy) proxies.push(proxy)
    const settings: Record<string, string | number> = {
      bind: '127.0.0.1',
      port,
      'cluster-enabled': 'yes',
      // One that has met no other does not know its own.
      'cluster-announce-ip': '127.0.0.1',
      'cluster-port': busPort,
      ...(proxy && { 'cluster-announce-bus-port': proxy.port }),
      'cluster-require-full-coverage': 'no',
      'cluster-node-timeout': nodeTimeoutMs,
      'cluster-replica-validity-factor': 0,
      'cluster-allow-replica-migration': 'no',
      'repl-diskless-sync-delay': 0,
      'enable-debug-command': 'yes',
    }
    const server = await startRedis(Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]))
    id = String(await server.raw.cluster('MYID'))
    const node = { ...server, id, port, busPort: proxy?.port ?? busPort }
    nodes.push(node)
    started.push(node)
    return node
  }

  const meet = (one: ClusterNode, other: ClusterNode) =>
    one.raw.call('CLUSTER', 'MEET', '127.0.0.1', other.port, other.busPort)

  for (let i = 0; i < masterCount * (1 + replicas); i += 1) await startNode()
  const firstMasters = nodes.slice(0, masterCount)
  const [seed] = nodes
  for (const node of nodes.slice(1)) if (seed) await meet(node, seed)
  for (const [index, { raw }] of firstMasters.entries()) {
    const from = Math.ceil((index * slotCount) / masterCount)
    const to = Math.ceil(((index + 1) * slotCount) / masterCount) - 1
    await raw.cluster('ADDSLOTSRANGE', from, to)
  }
  await waitUntil(async () => (await Promise.all(nodes.map(knowsNodes))).every(Boolean))
  for (const [index, { raw }] of nodes.slice(masterCount).entries())
    await raw.cluster('REPLICATE', firstMasters[index % masterCount]?.id ?? '')
  await settled()
  const raw = new Cluster(
    nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    { clusterRetryStrategy: () => 100, slotsRefreshInterval: 1000 },
  )
  raw.on('error', () => undefined)

  /** A node may know all slots before it has a link to each of the others. What is published there does not reach their subscribers then. */
  async function knowsNodes({ raw }: RedisServer): Promise<boolean> {
    const lines = `${await raw.cluster('NODES')}`.trim().split('\n')
    return (
      lines.length === nodes.length && lines.every((line) => / connected/.test(line) && !/handshake|fail/.test(line))
    )
  }

  async function isSettled(node: ClusterNode): Promise<boolean> {
    const info = `${await node.raw.cluster('INFO')}`
    if (!/cluster_state:ok/.test(info) || !/cluster_slots_ok:16384/.test(info)) return false
    if (!(await knowsNodes(node))) return false
    const replication = await node.raw.info('replication')
    return replication.includes('role:master') || replication.includes('master_link_status:up')
  }

  /** A replica that loads what its master has sent answers nothing else. */
  function isSettledNow(node: ClusterNode): Promise<boolean> {
    return isSettled(node).catch(() => false)
  }

  /** Resolves when all nodes know each other and all slots, and every replica follows its master. */
  async function settled(): Promise<void> {
    await waitUntil(async () => (await Promise.all(nodes.map(isSettledNow))).every(Boolean))
  }

  type Line = { id: string; flags: string[]; masterId: string; slots: string[] }
  /** What a node knows of all of them. */
  async function nodesBy({ raw }: RedisServer): Promise<Line[]> {
    return `${await raw.cluster('NODES')}`
      .trim()
      .split('\n')
      .map((line) => {
        const [id = '', _address, flags = '', masterId = '', _ping, _pong, _epoch, _state, ...slots] = line.split(' ')
        return { id, flags: flags.split(','), masterId, slots: slots.filter((slot) => !slot.startsWith('[')) }
      })
  }
  const byId = (id: string): ClusterNode => {
    const node = nodes.find((each) => each.id === id)
    if (!node) throw new Error(`The cluster has no node ${id}.`)
    return node
  }

  async function roleOf(node: ClusterNode): Promise<'master' | 'replica' | 'none'> {
    const own = (await nodesBy(node)).find(({ flags }) => flags.includes('myself'))
    if (own?.flags.includes('slave')) return 'replica'
    return own && own.slots.length > 0 ? 'master' : 'none'
  }

  /** The masters that have slots, by what they say of themselves. */
  async function masters(): Promise<ClusterNode[]> {
    const roles = await Promise.all(nodes.map((node) => roleOf(node).catch(() => 'none')))
    return nodes.filter((_node, index) => roles[index] === 'master')
  }

  async function slotsOf(node: ClusterNode): Promise<number[]> {
    const own = (await nodesBy(node)).find(({ flags }) => flags.includes('myself'))
    return (own?.slots ?? []).flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_none, index) => from + index)
    })
  }

  /**
   * As redis-cli does it: while a slot moves, keys that are not at the old master any more are asked for at the new one. But the old one is not told
   * to let go before it has heard from the new one. Whatever else is still on its way from there does not claim the slot, and Redis 7.0.13 to 7.2.3
   * does not forget that: when the slot comes back, it is given away once more to a master that has just given it away, and nobody has it
   * (redis/redis#12564).
   */
  async function moveSlot(
    slot: number,
    from: ClusterNode,
    to: ClusterNode,
    during?: () => Promise<void>,
  ): Promise<void> {
    await to.raw.cluster('SETSLOT', slot, 'IMPORTING', from.id)
    await from.raw.cluster('SETSLOT', slot, 'MIGRATING', to.id)
    await during?.()
    for (;;) {
      const keys = (await from.raw.cluster('GETKEYSINSLOT', slot, 100)) as string[]
      if (keys.length === 0) break
      await from.raw.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'REPLACE', 'KEYS', ...keys)
    }
    await to.raw.cluster('SETSLOT', slot, 'NODE', to.id)
    await waitUntil(async () => !(await slotsOf(from)).includes(slot), { interval: 2 })
    await from.raw.cluster('SETSLOT', slot, 'NODE', to.id)
  }

  function enforce(): void {
    for (const proxy of proxies) proxy.enforce()
  }

  return {
    url: nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    raw,
    nodes,
    ports: nodes.map(({ port }) => port),
    settled,
    masters,
    slotsOf,
    nodeAt: (port: number): ClusterNode => {
      const node = nodes.find((each) => each.port === port)
      if (!node) throw new Error(`The cluster has no node at ${port}.`)
      return node
    },
    replicasOf: async (master: ClusterNode): Promise<ClusterNode[]> =>
      (await nodesBy(master)).filter(({ masterId }) => masterId === master.id).map(({ id }) => byId(id)),
    /** The replica asks to take over. `FORCE` does not wait for its master, `TAKEOVER` asks nobody. */
    async failOver(replica: ClusterNode, how?: 'FORCE' | 'TAKEOVER'): Promise<void> {
      const ask = () => replica.raw.call('CLUSTER', 'FAILOVER', ...(how ? [how] : []))
      await ask()
      let askedAtMs = performance.now()
      const reached = async () => {
        if ((await roleOf(replica)) === 'master') return true
        // On a busy machine Redis gives up after five seconds, and says nothing.
        if (performance.now() - askedAtMs > 6000) {
          askedAtMs = performance.now()
          // It may be the master by now, and then refuses.
          await ask().catch(() => undefined)
        }
        return false
      }
      await waitUntil(reached, { timeout: 60_000 })
    },
    isMaster: async (node: ClusterNode): Promise<boolean> => (await roleOf(node)) === 'master',
    moveSlot,
    /** The one says that the other has this slot, which says the opposite. So nobody has it, until the returned function is called. */
    async orphanSlot(slot: number, one: ClusterNode, other: ClusterNode): Promise<() => Promise<void>> {
      // By SETSLOT alone it does not let go of a slot that has keys.
      await one.raw.cluster('DELSLOTS', slot)
      await one.raw.cluster('SETSLOT', slot, 'NODE', other.id)
      return async () => void (await one.raw.cluster('SETSLOT', slot, 'NODE', one.id))
    },
    async addMaster(): Promise<ClusterNode> {
      const [known] = nodes
      const node = await startNode()
      if (known) await meet(node, known)
      await settled()
      return node
    },
    /** The others forget it, and it forgets them. It has to be without slots, or they are without a master from then on. */
    async remove(node: ClusterNode): Promise<void> {
      nodes.splice(nodes.indexOf(node), 1)
      await Promise.all(nodes.map((other) => other.raw.cluster('FORGET', node.id)))
      await node.raw.flushall()
      await node.raw.cluster('RESET', 'HARD')
    },
    /** The others forget it, and it goes on as if it were one of them. */
    async forget(node: ClusterNode): Promise<void> {
      nodes.splice(nodes.indexOf(node), 1)
      await Promise.all(nodes.map((other) => other.raw.cluster('FORGET', node.id)))
    },
    /** Cuts the talk between two nodes. Both go on answering their clients. */
    cut(one: ClusterNode, other: ClusterNode): () => void {
      const pair = `${one.id} ${other.id}`
      cuts.add(pair)
      enforce()
      return () => void cuts.delete(pair)
    },
    /** Cuts a node off from all others. */
    cutOff(node: ClusterNode): () => void {
      const pairs = nodes.filter((other) => other !== node).map((other) => `${node.id} ${other.id}`)
      for (const pair of pairs) cuts.add(pair)
      enforce()
      return () => pairs.forEach((pair) => void cuts.delete(pair))
    },
    flush: async () => {
      for (const master of await masters()) await master.flush()
    },
    killSubscribers: async () => void (await Promise.all(nodes.map((node) => node.killSubscribers()))),
    pause: () => nodes.map((node) => node.pause()),
    resume: () => nodes.map((node) => node.resume()),
    async stop(): Promise<void> {
      raw.disconnect()
      await Promise.all(started.map((node) => node.stop()))
      await Promise.all(proxies.map((proxy) => proxy.stop()))
    },
  }
}
