import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { ClockStep, FaultWindow } from '../checks/history.ts'
import type { DynamoFault, FaultProxy } from './fault-proxy.ts'
import type { PlannedFault } from './plan.ts'
import type { NodeProcess } from './processes.ts'
import type { RedisPair } from './redis-pair.ts'

type NemesisOptions = {
  plan: readonly PlannedFault[]
  nodes: readonly NodeProcess[]
  redis: RedisPair
  dynamodb: FaultProxy
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
  const { plan, nodes, redis, dynamodb, nowMs, signal, onFault, onClock } = options
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

  async function onRedis(harm: () => Promise<Ended>): Promise<Ended | undefined> {
    if (redisSuffers) return undefined
    redisSuffers = true
    try {
      return await harm()
    } finally {
      redisSuffers = false
    }
  }

  async function carryOut({ kind, forMs, share, probability, offsetMs = 0 }: PlannedFault): Promise<Ended | undefined> {
    switch (kind) {
      case 'kill a node':
        return onNode(share, async (node) => {
          await node.kill()
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
        return onRedis(async () => {
          await redis.flush()
          return { emptiedAtMs: nowMs() }
        })
      case 'restart Redis':
        return onRedis(async () => {
          await redis.kill()
          await sleep(forMs)
          await redis.launch()
          const emptiedAtMs = nowMs()
          await redis.replicated()
          return { emptiedAtMs }
        })
      case 'pause Redis':
        return onRedis(async () => {
          redis.pause()
          await sleep(forMs)
          redis.resume()
          return {}
        })
      case 'cut pub/sub':
        return onRedis(async () => {
          redis.cutListeners()
          return {}
        })
      case 'fail over Redis':
        return onRedis(() => redis.failOver(forMs))
      case 'roll Redis back':
        return onRedis(async () => {
          await redis.rollBack(forMs)
          return {}
        })
      case 'lose events': {
        const end = redis.loseEvents(probability)
        await sleep(forMs)
        return { hits: end() }
      }
      default: {
        const end = dynamodb.begin(kind.slice('DynamoDB: '.length) as DynamoFault, probability)
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
