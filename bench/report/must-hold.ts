import {
  coldPages,
  development,
  production,
  restingMemory,
  sendCpu,
  sendRate,
  startTime,
} from '../scenarios/embedded.ts'
import { cpuPerDelivery } from '../scenarios/fan-out.ts'
import { writesPerSend } from '../scenarios/growth-members.ts'
import { pageCpu, sendIntoStored } from '../scenarios/history.ts'
import { memoryPerSubscriber } from '../scenarios/idle.ts'
import { cpuPerMutation } from '../scenarios/mutation.ts'
import { overHttpName, perCpuSecond } from '../scenarios/query.ts'
import { cpuPerMessage, cpuPerMessageAtRate, unhindered } from '../scenarios/send.ts'
import { type Measured, ratioOf } from '../sheet.ts'

/** What this project promises of its speed. These are ratios within one run, and two figures with a unit, which nothing compares with. */
type Promised = {
  what: string
  stock: number | undefined
  ours: number | undefined
  goal: { atMost: number } | { atLeast: number }
  unit?: 'ms' | 'MB'
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
    {
      what: 'one process, durable send to double tick: CPU with stores, against mercurius with Redis Streams and its Redis',
      stock: undefined,
      ours: ratioOf(all, sendCpu, 'parley', 'mercurius'),
      goal: { atMost: 1 },
    },
    {
      what: 'the same, against socket.io with Redis Streams and its Redis',
      stock: undefined,
      ours: ratioOf(all, sendCpu, 'parley', 'socket.io'),
      goal: { atMost: 1.4 },
    },
    {
      what: 'one process: sends per second, 32 pairs, against mercurius',
      stock: undefined,
      ours: ratioOf(all, sendRate, 'parley', 'mercurius'),
      goal: { atLeast: 1 },
    },
    {
      what: 'one process, 20 messages of a chat for each connection, asked for again, HTTP: per CPU second with stores, against mercurius',
      stock: undefined,
      ours: ratioOf(all, coldPages, 'parley', 'mercurius'),
      goal: { atLeast: 1.5 },
    },
    ...[production, development].flatMap((who): Promised[] => [
      {
        what: `one process, from spawn to ready (${who.split(', ')[1]} mode)`,
        stock: undefined,
        ours: medianOf(all, startTime, who),
        goal: { atMost: 1000 },
        unit: 'ms',
      },
      {
        what: `one process, memory at rest (${who.split(', ')[1]} mode)`,
        stock: undefined,
        ours: medianOf(all, restingMemory, who),
        goal: { atMost: 100 },
        unit: 'MB',
      },
    ]),
  ]
}

const medianOf = (all: readonly Measured[], what: string, who: string): number | undefined =>
  all.find((each) => each.what === what && each.who === who)?.median

export const isMet = ({ ours, goal }: Promised): boolean | undefined => {
  if (ours === undefined) return undefined
  return 'atMost' in goal ? ours <= goal.atMost : ours >= goal.atLeast
}

export const goalText = ({ goal, unit }: Promised): string =>
  'atMost' in goal ? `≤ ${figure(goal.atMost, unit)}` : `≥ ${figure(goal.atLeast, unit)}`

const figure = (value: number, unit: Promised['unit']): string =>
  unit === undefined ? times(value) : `${Math.round(value).toLocaleString('en')} ${unit}`

export const oursText = ({ ours, unit }: Promised): string => (ours === undefined ? '–' : figure(ours, unit))

export const times = (ratio: number | undefined): string => (ratio === undefined ? '–' : `${ratio.toFixed(2)}x`)

export function printMustHold(all: readonly Measured[]): void {
  console.log(`\n${'must hold'.padEnd(82)} ${'stock'.padStart(8)} ${'ours'.padStart(8)}   goal`)
  for (const each of promised(all)) {
    const met = isMet(each)
    const verdict = met === undefined ? 'not measured' : met ? 'met' : 'not met'
    const [stock, ours] = [times(each.stock), oursText(each)]
    console.log(
      `${each.what.padEnd(82)} ${stock.padStart(8)} ${ours.padStart(8)}   ${goalText(each).padEnd(9)} ${verdict}`,
    )
  }
}
