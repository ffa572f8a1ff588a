import type { Random } from '../../simulation/random.ts'
import { type DynamoFault, dynamoFaults } from './fault-proxy.ts'

// The faults are drawn from the seed before anything runs. The machine decides which call meets which of them.

const processFaults = [
  'kill a node',
  'terminate a node',
  'pause a node',
  'flush Redis',
  'restart Redis',
  'pause Redis',
  'cut pub/sub',
  'fail over Redis',
  'roll Redis back',
  'lose events',
  'step a clock',
] as const
type ProcessFault = (typeof processFaults)[number]
type FaultKind = ProcessFault | `DynamoDB: ${DynamoFault}`

const faultKinds: readonly FaultKind[] = [
  ...processFaults,
  ...dynamoFaults.map((fault) => `DynamoDB: ${fault}` as const),
]

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
}

const firstAtMs = 1500
const stepMaxMs = 30_000
const lonely: readonly FaultKind[] = ['kill a node', 'flush Redis', 'restart Redis']

/**
 * Makes episodes of one to three faults that overlap, each followed by a pause in which things heal. Every fifth episode is one fault alone
 * and a pause long enough to see how soon all devices are current again. Every kind comes up before one comes up for the second time.
 */
export function planFaults(random: Random, durationMs: number): PlannedFault[] {
  const plan: PlannedFault[] = []
  let deck: FaultKind[] = []
  const draw = (): FaultKind => {
    if (deck.length === 0) deck = shuffle(random, faultKinds)
    return deck.pop() ?? 'flush Redis'
  }
  let atMs = firstAtMs
  for (let episode = 1; ; episode += 1) {
    const alone = episode % 5 === 0
    const kinds = alone ? [random.pick(lonely)] : Array.from({ length: random.pick([1, 2, 2, 3]) }, draw)
    let endMs = atMs
    for (const kind of kinds) {
      const from = alone ? atMs : atMs + random.between(0, 1500)
      const fault = { kind, atMs: from, forMs: durationOf(kind, random), share: random.next(), probability: 0.3 }
      if (kind === 'DynamoDB: slow') plan.push({ ...fault, probability: 0.8 })
      else if (kind === 'step a clock') plan.push({ ...fault, offsetMs: random.between(-stepMaxMs, stepMaxMs) })
      else plan.push(fault)
      endMs = Math.max(endMs, from + fault.forMs)
    }
    const pauseMs = alone ? random.between(10_000, 14_000) : random.between(1500, 3500)
    atMs = endMs + pauseMs
    if (atMs > durationMs) return plan.filter((fault) => fault.atMs + fault.forMs < durationMs)
  }
}

function durationOf(kind: FaultKind, random: Random): number {
  if (kind === 'flush Redis' || kind === 'cut pub/sub' || kind === 'step a clock') return 0
  if (kind === 'restart Redis') return random.between(50, 2000)
  return random.between(1000, 4000)
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
