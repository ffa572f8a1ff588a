import type { Random } from '../../simulation/random.ts'
import { type ClusterFault, clusterFaults } from './chaos-cluster.ts'
import { type DynamoFault, dynamoFaults } from './fault-proxy.ts'

// The faults are drawn from the seed before anything runs. The machine decides which call meets which of them.

const nodeFaults = ['kill a node', 'terminate a node', 'pause a node', 'step a clock'] as const
const serviceFaults = [
  'flush Redis',
  'restart Redis',
  'pause Redis',
  'cut pub/sub',
  'fail over Redis',
  'roll Redis back',
  'lose events',
] as const
type FaultKind =
  | (typeof nodeFaults)[number]
  | (typeof serviceFaults)[number]
  | 'kill a node in a write'
  | ClusterFault
  | `DynamoDB: ${DynamoFault}`

/** What a plan is made of. */
export type FaultSettings = {
  kinds: readonly FaultKind[]
  /** These are now and then alone, with a pause long enough to see how soon all devices are current again. */
  lonely: readonly FaultKind[]
  /** So many faults come together. */
  together: readonly number[]
  /** A fault lasts this long, and the pause after it this. */
  forMs: readonly [from: number, to: number]
  pauseMs: readonly [from: number, to: number]
}

export const faultsOfServices: FaultSettings = {
  kinds: [
    ...nodeFaults.filter((kind) => kind !== 'step a clock'),
    ...serviceFaults,
    'step a clock',
    ...dynamoFaults.map((fault) => `DynamoDB: ${fault}` as const),
  ],
  lonely: ['kill a node', 'flush Redis', 'restart Redis'],
  together: [1, 2, 2, 3],
  forMs: [1000, 4000],
  pauseMs: [1500, 3500],
}

/** The faults of Redis that need a proxy or a single server are left out: those of a cluster are in their place. */
export const faultsOfCluster: FaultSettings = {
  ...faultsOfServices,
  kinds: [
    ...nodeFaults,
    'flush Redis',
    'cut pub/sub',
    ...clusterFaults,
    ...dynamoFaults.map((fault) => `DynamoDB: ${fault}` as const),
  ],
  lonely: ['kill a node', 'flush Redis', ...clusterFaults],
}

/** There is one node, so one fault at a time. Half of them are kills; what a kill can meet is over in milliseconds, so many kills are needed. */
export const faultsOfOneProcess: FaultSettings = {
  kinds: [...nodeFaults, 'kill a node', ...Array<FaultKind>(3).fill('kill a node in a write')],
  lonely: ['kill a node'],
  together: [1],
  forMs: [20, 1500],
  pauseMs: [300, 1500],
}

export const killMoments = ['before', 'given', 'answered'] as const

/** From then on so many writes are begun, and the node dies at this moment of the last one. */
export type KillAtWrite = { writes: number; moment: (typeof killMoments)[number] }

export type PlannedFault = {
  kind: FaultKind
  atMs: number
  /** The fault lasts this long. A killed node stays away this long. */
  forMs: number
  /** The fault hits the node at this share of those that are up. */
  share: number
  /** This share of the calls to DynamoDB, or of the events, meets the fault. */
  probability: number
  /** After the fault the clock of the node differs by this from that of the others. */
  offsetMs?: number
  killAtWrite?: KillAtWrite
}

const firstAtMs = 1500
const stepMaxMs = 30_000
/** A send, an ack or a change of a group is not more writes than this. */
const writesMax = 12

/**
 * Makes episodes of one to three faults that overlap, each followed by a pause in which things heal. Every fifth episode is one fault alone
 * and a pause long enough to see how soon all devices are current again. Every kind comes up before one comes up for the second time.
 */
export function planFaults(
  random: Random,
  durationMs: number,
  settings: FaultSettings = faultsOfServices,
): PlannedFault[] {
  const { kinds: faultKinds, lonely, together } = settings
  const plan: PlannedFault[] = []
  let deck: FaultKind[] = []
  const draw = (): FaultKind => {
    if (deck.length === 0) deck = shuffle(random, faultKinds)
    return deck.pop() ?? 'kill a node'
  }
  let atMs = firstAtMs
  for (let episode = 1; ; episode += 1) {
    const alone = episode % 5 === 0
    const kinds = alone ? [random.pick(lonely)] : Array.from({ length: random.pick(together) }, draw)
    let endMs = atMs
    for (const kind of kinds) {
      const from = alone ? atMs : atMs + random.between(0, 1500)
      const fault = {
        kind,
        atMs: from,
        forMs: durationOf(kind, random, settings),
        share: random.next(),
        probability: 0.3,
      }
      if (kind === 'DynamoDB: slow') plan.push({ ...fault, probability: 0.8 })
      else if (kind === 'step a clock') plan.push({ ...fault, offsetMs: random.between(-stepMaxMs, stepMaxMs) })
      else if (kind === 'kill a node in a write')
        plan.push({ ...fault, killAtWrite: { writes: random.between(1, writesMax), moment: random.pick(killMoments) } })
      else plan.push(fault)
      endMs = Math.max(endMs, from + fault.forMs)
    }
    const pauseMs = alone ? random.between(10_000, 14_000) : random.between(...settings.pauseMs)
    atMs = endMs + pauseMs
    if (atMs > durationMs) return plan.filter((fault) => fault.atMs + fault.forMs < durationMs)
  }
}

function durationOf(kind: FaultKind, random: Random, { forMs }: FaultSettings): number {
  if (kind === 'flush Redis' || kind === 'cut pub/sub' || kind === 'step a clock') return 0
  if (kind === 'restart Redis') return random.between(50, 2000)
  return random.between(...forMs)
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const shuffled = [...items]
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const j = random.below(i + 1)
    const [one, other] = [shuffled[i], shuffled[j]]
    if (one === undefined || other === undefined) continue
    shuffled[i] = other
    shuffled[j] = one
  }
  return shuffled
}
