import { readFileSync } from 'node:fs'

// What the plan is made of. A constant is the median of a figure in bench/results, or it is an assumption that says where it comes from.

type Figure = { what: string; who: string }
/** `less` is another figure of the file, which is taken off. `per` says for how many the rest is. */
type Measured = Figure & { file: string; less?: Figure; per?: number }
type Assumed = { value: number; because: string }
type Definition = { means: string; unit: string; from: Measured | Assumed }

const group = 'scaling: a message to a group'
const ofHundred = '100 members, 2 nodes'
const ackOf = (spent: string) => ({
  file: 'scaling-groups',
  what: `${group}, with an ack of each member: ${spent}`,
  who: ofHundred,
  less: { what: `${group}, deliveries alone: ${spent}`, who: ofHundred },
  per: 99,
})
const idleOf = (spent: string) => ({
  file: 'scaling',
  what: `scaling: 1,000 idle people, the streams of the client: ${spent}`,
  who: '1 node',
})

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
    means: 'CPU of a node: an ack or a read by one member, in a group of 100',
    unit: 'ms',
    from: ackOf('CPU of the nodes'),
  },
  ackRedisCpuMs: {
    means: 'CPU of Redis: the same',
    unit: 'ms',
    from: ackOf('CPU of Redis'),
  },
  directRedisBytes: {
    means: 'network: a direct message, to Redis and from it',
    unit: 'bytes',
    from: {
      file: 'scaling',
      what: 'scaling: a direct message to its double tick: bytes to and from Redis',
      who: '2 nodes',
    },
  },
  ackRedisBytes: {
    means: 'network: an ack by one member of a group, to Redis and from it',
    unit: 'bytes',
    from: ackOf('bytes to and from Redis'),
  },
  attachCpuMs: {
    means: 'CPU of a node: a device with 20 chats comes back, as the client does it',
    unit: 'ms',
    from: {
      file: 'scaling',
      what: 'scaling: a reconnect in a storm, as the client does it: CPU of the nodes',
      who: '2 nodes',
    },
  },
  attachStreamCpuMs: {
    means: 'CPU of a node: the same with one stream of messages and no list',
    unit: 'ms',
    from: { file: 'scaling', what: 'scaling: an attach, one stream of messages: CPU of the nodes', who: '2 nodes' },
  },
  attachReadUnits: {
    means: 'DynamoDB read units: the same, as the client does it',
    unit: 'units',
    from: {
      file: 'scaling',
      what: 'scaling: a reconnect in a storm, as the client does it: DynamoDB read units',
      who: '2 nodes',
    },
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
    means: 'CPU of a node: 1,000 users who do nothing, with the streams of the client',
    unit: '% of a core',
    from: idleOf('CPU of the nodes'),
  },
  idleRedisCpuPercent: {
    means: 'CPU of Redis: the same',
    unit: '% of a core',
    from: idleOf('CPU of Redis'),
  },
  idleReadUnits: {
    means: 'DynamoDB read units: the same',
    unit: 'a second',
    from: idleOf('DynamoDB read units a second'),
  },
  clockRedisMs: {
    means: 'CPU of Redis: what one node asks one master by the clock',
    unit: 'ms a second',
    from: { value: 0.02, because: 'two scripts and two small commands a second, at 5 µs each' },
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
    means: 'network: a message to one device, the text of its frame',
    unit: 'bytes',
    from: { file: 'stored', what: 'stored: a message to a device, the text of its frame', who: '1,000 users' },
  },
  tickBytes: {
    means: 'network: a tick to one device, the text of its frame',
    unit: 'bytes',
    from: { file: 'stored', what: 'stored: a tick to a device, the text of its frame', who: '1,000 users' },
  },
  frameBytes: {
    means: 'network: the headers of a frame, of TLS, TCP and IP',
    unit: 'bytes',
    from: {
      value: 97,
      because: '4 of the frame, 29 of TLS, 64 of TCP with its options and of IP; frames that go together share them',
    },
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
    const figureOf = ({ what, who }: Figure): number => {
      const found = measured.find((each) => each.what === what && each.who === who)
      if (!found) throw new Error(`bench/results/${from.file}.json has no "${what}" of "${who}".`)
      return found.median
    }
    const value = Math.max(0, figureOf(from) - (from.less ? figureOf(from.less) : 0)) / (from.per ?? 1)
    const source = `${from.file}.json of ${takenAt.slice(0, 10)}, load ${machine.loadBefore[0]?.toFixed(0)}`
    return { name, means, unit, value, isMeasured: true, source }
  })
}

export const valuesOf = (sourced: readonly Sourced[]): Constants =>
  Object.fromEntries(sourced.map(({ name, value }) => [name, value])) as Constants
