import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../backings/backing.ts'
import type { ClockStep, FaultWindow } from '../checks/history.ts'
import { type ChaosCluster, type ClusterFault, clusterFaults } from './chaos-cluster.ts'
import type { DynamoFault } from './fault-proxy.ts'
import type { PlannedFault } from './plan.ts'
import type { NodeProcess } from './processes.ts'
import type { RedisPair } from './redis-pair.ts'

type NemesisOptions = {
  plan: readonly PlannedFault[]
  nodes: readonly NodeProcess[]
  /** Without them there is nothing to harm but the nodes. */
  services: Services | undefined
  nowMs: () => number
  /** When this is aborted, everything is left as it is. */
  signal: AbortSignal
  onFault: (fault: FaultWindow) => void
  onClock: (step: ClockStep) => void
}

type Ended = Omit<FaultWindow, 'kind' | 'fromMs' | 'toMs'>

export const exitLimitMs = 10_000

/** Carries out the plan and ends when all of it has healed. A fault that finds nothing to harm is left out. */
export async function unleash(options: NemesisOptions): Promise<{ leftOut: number }> {
  const { plan, nodes, services, nowMs, signal, onFault, onClock } = options
  const sleep = (ms: number) => wait(ms, undefined, { signal })
  setMaxListeners(0, signal)
  const suffering = new Set<NodeProcess>()
  let redisSuffers = false
  let leftOut = 0

  async function onNode(share: number, harm: (node: NodeProcess) => Promise<Ended>): Promise<Ended | undefined> {
    const healthy = nodes.filter((node) => node.isUp() && !suffering.has(node))
    const node = healthy[Math.floor(share * healthy.length)]
    if (!node) return undefined
    suffering.add(node)
    try {
      return { ...(await harm(node)), target: node.name }
    } finally {
      suffering.delete(node)
    }
  }

  async function onRedis(harm: (redis: RedisPair) => Promise<Ended>): Promise<Ended | undefined> {
    const redis = services?.redis
    return redis && onlyOne(() => harm(redis))
  }

  const onAnyRedis = (harm: (redis: RedisPair | ChaosCluster) => Promise<Ended>) =>
    services?.cluster ? onCluster(harm) : onRedis(harm)

  async function onCluster(harm: (cluster: ChaosCluster) => Promise<Ended>): Promise<Ended | undefined> {
    const cluster = services?.cluster
    return cluster && onlyOne(() => harm(cluster))
  }

  async function onlyOne(harm: () => Promise<Ended>): Promise<Ended | undefined> {
    if (redisSuffers) return undefined
    redisSuffers = true
    try {
      return await harm()
    } finally {
      redisSuffers = false
    }
  }

  async function carryOut(fault: PlannedFault): Promise<Ended | undefined> {
    const { kind, forMs, share, probability, offsetMs = 0, killAtWrite } = fault
    switch (kind) {
      case 'kill a node':
        return onNode(share, async (node) => {
          await node.kill()
          await sleep(forMs)
          await node.start()
          return {}
        })
      case 'kill a node in a write':
        return onNode(share, async (node) => {
          if (killAtWrite) await node.killAtWrite(killAtWrite)
          await sleep(forMs)
          await node.start()
          return {}
        })
      case 'terminate a node':
        return onNode(share, async (node) => {
          const exit = await node.terminate()
          await node.start()
          return { exit }
        })
      case 'pause a node':
        return onNode(share, async (node) => {
          node.pause()
          await sleep(forMs)
          node.resume()
          return {}
        })
      case 'step a clock':
        return onNode(share, async (node) => {
          node.setClock(offsetMs)
          onClock({ node: node.name, fromMs: nowMs(), offsetMs })
          return {}
        })
      case 'flush Redis':
        return onAnyRedis(async (redis) => {
          await redis.flush()
          return { emptiedAtMs: nowMs() }
        })
      case 'restart Redis':
        return onRedis(async (redis) => {
          await redis.kill()
          await sleep(forMs)
          await redis.launch()
          const emptiedAtMs = nowMs()
          await redis.replicated()
          return { emptiedAtMs }
        })
      case 'pause Redis':
        return onRedis(async (redis) => {
          redis.pause()
          await sleep(forMs)
          redis.resume()
          return {}
        })
      case 'cut pub/sub':
        return onAnyRedis(async (redis) => {
          await redis.cutListeners()
          return {}
        })
      case 'fail over Redis':
        return onRedis((redis) => redis.failOver(forMs))
      case 'roll Redis back':
        return onRedis(async (redis) => {
          await redis.rollBack(forMs)
          return {}
        })
      case 'lose events': {
        if (!services?.redis) return undefined
        const end = services.redis.loseEvents(probability)
        await sleep(forMs)
        return { hits: end() }
      }
      default: {
        if (isOfCluster(kind))
          return onCluster(async (cluster) => {
            await cluster.harm(kind, share, forMs)
            return {}
          })
        if (!services) return undefined
        const end = services.dynamodb.begin(kind.slice('DynamoDB: '.length) as DynamoFault, probability)
        await sleep(forMs)
        return { hits: end() }
      }
    }
  }

  await Promise.all(
    plan.map(async (fault) => {
      await sleep(Math.max(0, fault.atMs - nowMs()))
      const fromMs = nowMs()
      const ended = await carryOut(fault)
      if (ended) onFault({ kind: fault.kind, fromMs, toMs: nowMs(), ...ended })
      else leftOut += 1
    }),
  )
  return { leftOut }
}

const isOfCluster = (kind: PlannedFault['kind']): kind is ClusterFault =>
  (clusterFaults as readonly string[]).includes(kind)
