import { readFileSync } from 'node:fs'

// What the plan is made of. A constant is the median of a figure in bench/results, or it is an assumption that says where it comes from.

type Measured = { file: string; what: string; who: string }
type Assumed = { value: number; because: string }
type Definition = { means: string; unit: string; from: Measured | Assumed }

const definitions = {
  directCpuMs: {
    means: 'CPU of a node: a direct message, its delivery, its ack and the tick',
    unit: 'ms',
    from: { file: 'send', what: 'send: server CPU per message', who: 'parley, quick DynamoDB' },
  },
  directRedisCpuMs: {
    means: 'CPU of Redis: the same',
    unit: 'ms',
    from: { file: 'send', what: 'send: Redis CPU per message', who: 'parley, quick DynamoDB' },
  },
  deliveryCpuUs: {
    means: 'CPU of a node: one delivery of many of the same message',
    unit: 'µs',
    from: { file: 'fan-out', what: 'fan-out to 1,000: server CPU per delivery', who: 'parley' },
  },
  ackCpuMs: {
    means: 'CPU of a node: an ack or a read of one message by one member',
    unit: 'ms',
    from: { value: 0.12, because: 'a third of a direct message, which is a send, a delivery and an ack' },
  },
  ackRedisCpuMs: {
    means: 'CPU of Redis: the same',
    unit: 'ms',
    from: { value: 0.035, because: 'a third of a direct message' },
  },
  attachCpuMs: {
    means: 'CPU of a node: to connect and attach',
    unit: 'ms',
    from: { value: 5, because: 'measured by hand with 3,000 users on an earlier release' },
  },
  attachStreamCpuMs: {
    means: 'CPU of a node: the same with one stream of messages and no list',
    unit: 'ms',
    from: { value: 3, because: 'the list and the other streams take the rest' },
  },
  attachReadUnits: {
    means: 'DynamoDB read units: to attach',
    unit: 'units',
    from: { value: 3, because: 'the memberships, the boundaries and the pending rows of a user, a query each' },
  },
  socketKiB: {
    means: 'memory of a node: a connected device with a stream',
    unit: 'KiB',
    from: { file: 'idle', what: 'idle: memory per subscriber', who: 'parley' },
  },
  nodeMB: {
    means: 'memory of a node without any device',
    unit: 'MB',
    from: { file: 'embedded', what: 'embedded: memory at rest', who: 'parley, production' },
  },
  idleCpuPercent: {
    means: 'CPU of a node: 1,000 users who do nothing',
    unit: '% of a core',
    from: { file: 'idle-users', what: 'idle people: server CPU per 1,000', who: '1,000 people' },
  },
  idleRedisCpuPercent: {
    means: 'CPU of Redis: the same',
    unit: '% of a core',
    from: { file: 'idle-users', what: 'idle people: CPU of Redis per 1,000', who: '1,000 people' },
  },
  idleReadUnits: {
    means: 'DynamoDB read units: the same',
    unit: 'a second',
    from: { file: 'idle-users', what: 'idle people: DynamoDB read units a second per 1,000', who: '1,000 people' },
  },
  redisUserBytes: {
    means: 'memory of Redis: a connected user',
    unit: 'bytes',
    from: { file: 'stored', what: 'stored: memory of Redis, a connected user', who: '1,000 users' },
  },
  redisKnownUserBytes: {
    means: 'memory of Redis: a user who was here in the last 30 days',
    unit: 'bytes',
    from: {
      file: 'stored',
      what: 'stored: memory of Redis, a user who was here in the last 30 days',
      who: '1,000 users',
    },
  },
  redisConversationBytes: {
    means: 'memory of Redis: a direct chat that both have used lately',
    unit: 'bytes',
    from: {
      file: 'stored',
      what: 'stored: memory of Redis, a direct chat that both have used lately',
      who: '1,000 users',
    },
  },
  messageBytes: {
    means: 'storage: a message of 111 characters in the tables that grow with each, as billed',
    unit: 'bytes',
    from: { file: 'stored', what: 'stored: a message in the tables that grow with each, as billed', who: 'by default' },
  },
  shortMessageBytes: {
    means: 'storage: the same with SENDS_ROWS=short',
    unit: 'bytes',
    from: {
      file: 'stored',
      what: 'stored: a message in the tables that grow with each, as billed',
      who: 'SENDS_ROWS=short',
    },
  },
  eventMessageBytes: {
    means: 'storage: the same with EVENTS=true',
    unit: 'bytes',
    from: {
      file: 'stored',
      what: 'stored: a message in the tables that grow with each, as billed',
      who: 'EVENTS=true',
    },
  },
  deliveryBytes: {
    means: 'network: a message to one device, with the headers of TCP and TLS',
    unit: 'bytes',
    from: { value: 700, because: 'the frame of the benchmark has 600' },
  },
  tickBytes: {
    means: 'network: a tick to one device',
    unit: 'bytes',
    from: { value: 350, because: 'the frame of the benchmark has 250' },
  },
} as const satisfies Record<string, Definition>

export type ConstantName = keyof typeof definitions
export type Constants = Record<ConstantName, number>
/** `source` is for people: the file and its day, or why it is believed. */
export type Sourced = {
  name: ConstantName
  value: number
  means: string
  unit: string
  isMeasured: boolean
  source: string
}

type Result = {
  takenAt: string
  machine: { loadBefore: number[] }
  measured: { what: string; who: string; median: number }[]
}

export const resultsFolder = new URL('../../bench/results/', import.meta.url)

/** Throws where a figure is not in its file: a plan on half of the figures would look like a plan. */
export function readConstants(folder: URL = resultsFolder): Sourced[] {
  const read = new Map<string, Result>()
  const resultOf = (file: string): Result => {
    const known = read.get(file) ?? (JSON.parse(readFileSync(new URL(`${file}.json`, folder), 'utf8')) as Result)
    read.set(file, known)
    return known
  }
  return (Object.keys(definitions) as ConstantName[]).map((name) => {
    const { means, unit, from }: Definition = definitions[name]
    if ('because' in from)
      return { name, means, unit, value: from.value, isMeasured: false, source: `assumed: ${from.because}` }
    const { takenAt, machine, measured } = resultOf(from.file)
    const found = measured.find(({ what, who }) => what === from.what && who === from.who)
    if (!found) throw new Error(`bench/results/${from.file}.json has no "${from.what}" of "${from.who}".`)
    const source = `${from.file}.json of ${takenAt.slice(0, 10)}, load ${machine.loadBefore[0]?.toFixed(0)}`
    return { name, means, unit, value: found.median, isMeasured: true, source }
  })
}

export const valuesOf = (sourced: readonly Sourced[]): Constants =>
  Object.fromEntries(sourced.map(({ name, value }) => [name, value])) as Constants
