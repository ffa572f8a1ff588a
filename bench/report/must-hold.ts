import { cpuPerDelivery } from '../scenarios/fan-out.ts'
import { writesPerSend } from '../scenarios/growth-members.ts'
import { pageCpu, sendIntoStored } from '../scenarios/history.ts'
import { memoryPerSubscriber } from '../scenarios/idle.ts'
import { cpuPerMutation } from '../scenarios/mutation.ts'
import { overHttpName, perCpuSecond } from '../scenarios/query.ts'
import { cpuPerMessage, cpuPerMessageAtRate, unhindered } from '../scenarios/send.ts'
import { type Measured, ratioOf } from '../sheet.ts'

/** What this project promises of its speed: ratios within one run. */
type Promised = {
  what: string
  stock: number | undefined
  ours: number | undefined
  goal: { atMost: number } | { atLeast: number }
}

export function promised(all: readonly Measured[]): Promised[] {
  const both = (what: string, against: string) => ({
    stock: ratioOf(all, what, 'stock', against),
    ours: ratioOf(all, what, 'parley', against),
  })
  const queries = `${overHttpName}: ${perCpuSecond}`
  const pages = all.filter(({ what }) => what === pageCpu).map(({ who }) => who)
  const stored = all.filter(({ what }) => what === sendIntoStored).map(({ who }) => who)
  const grown = (what: string, many: string | undefined, few: string | undefined) => ({
    stock: undefined,
    ours: ratioOf(all, what, many ?? '', few ?? ''),
  })
  return [
    {
      what: 'fan-out 1 to 1,000: CPU per delivery, against raw ws with one shared buffer',
      ...both(cpuPerDelivery, 'raw ws'),
      goal: { atMost: 1.5 },
    },
    {
      what: 'WebSocket mutation without storage: CPU, against raw ws echo',
      ...both(cpuPerMutation, 'raw ws'),
      goal: { atMost: 1.6 },
    },
    {
      what: 'HTTP query of 20 messages: per CPU second, against mercurius, each from its store',
      ...both(queries, 'mercurius'),
      goal: { atLeast: 1.2 },
    },
    {
      what: 'memory per idle attached subscriber, against a raw ws socket (of 1,000; of 10,000 with --full)',
      ...both(memoryPerSubscriber, 'raw ws'),
      goal: { atMost: 2 },
    },
    {
      what: 'durable send to double tick: server CPU, against stock Yoga with the SDK',
      ...both(cpuPerMessage, 'stock'),
      goal: { atMost: 0.35 },
    },
    {
      what: 'the same, against mercurius with Redis Streams, each as fast as it can, on stores that can do more',
      stock: undefined,
      ours: ratioOf(all, cpuPerMessage, unhindered, 'mercurius'),
      goal: { atMost: 1.7 },
    },
    {
      what: 'the same, each as fast as it can, ours on a DynamoDB server that is the limit',
      ...both(cpuPerMessage, 'mercurius'),
      goal: { atMost: 1.7 },
    },
    {
      what: 'the same, each at 100 a second',
      ...both(cpuPerMessageAtRate, 'mercurius'),
      goal: { atMost: 1.7 },
    },
    {
      what: `${pages[1] ?? 'the oldest page'} against page 1: CPU`,
      ...grown(pageCpu, pages[1], pages[0]),
      goal: { atMost: 1.1 },
    },
    {
      what: `send with ${stored.at(-1) ?? 'much stored'} against ${stored[0] ?? 'little'}: CPU`,
      ...grown(sendIntoStored, stored.at(-1), stored[0]),
      goal: { atMost: 1.1 },
    },
    {
      what: 'send in a group of 1,000 attached against 10: DynamoDB writes',
      ...grown(writesPerSend, '1,000 members', '10 members'),
      goal: { atMost: 1 },
    },
  ]
}

export const isMet = ({ ours, goal }: Promised): boolean | undefined => {
  if (ours === undefined) return undefined
  return 'atMost' in goal ? ours <= goal.atMost : ours >= goal.atLeast
}

export const goalText = ({ goal }: Promised): string =>
  'atMost' in goal ? `≤ ${goal.atMost.toFixed(2)}x` : `≥ ${goal.atLeast.toFixed(2)}x`

export const times = (ratio: number | undefined): string => (ratio === undefined ? '–' : `${ratio.toFixed(2)}x`)

export function printMustHold(all: readonly Measured[]): void {
  console.log(`\n${'must hold'.padEnd(82)} ${'stock'.padStart(8)} ${'ours'.padStart(8)}   goal`)
  for (const each of promised(all)) {
    const met = isMet(each)
    const verdict = met === undefined ? 'not measured' : met ? 'met' : 'not met'
    const [stock, ours] = [times(each.stock), times(each.ours)]
    console.log(
      `${each.what.padEnd(82)} ${stock.padStart(8)} ${ours.padStart(8)}   ${goalText(each).padEnd(9)} ${verdict}`,
    )
  }
}
