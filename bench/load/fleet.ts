import { type RedisServer, startRedis } from '../../test/kit/services/redis.ts'
import type { Bench, Subject } from '../bench.ts'
import type { Calls } from '../machine/count-calls.ts'
import type { Sheet } from '../sheet.ts'

// Several nodes of ours on a Redis of their own, with tables of their own in the DynamoDB server that is never in the way.

export type Fleet = {
  name: string
  nodes: readonly Subject[]
  portOf(index: number): number
  redis: RedisServer['raw']
  spent(): Promise<Spent>
  stop(): Promise<void>
}

/** What all nodes in sum have spent since the fleet began. `commands` counts those that scripts run as well. */
export type Spent = {
  nodeMs: number
  redisMs: number
  commands: number
  redisBytes: number
  writeUnits: number
  readUnits: number
  atMs: number
}

const total = new Map<Bench, Calls>()
let fleets = 0

export async function startFleet(bench: Bench, size: number, settings: Record<string, string> = {}): Promise<Fleet> {
  fleets += 1
  const prefix = `fleet${process.pid}_${fleets}_`
  const redis = await startRedis()
  const on = { url: redis.url, pids: () => [redis.pid()] }
  const nodes: Subject[] = []
  // One after the other: the first makes the tables.
  for (let i = 0; i < size; i += 1)
    nodes.push(await bench.on(on, { ...settings, TABLE_PREFIX: prefix, RATE_LIMIT_PER_SECOND: '0' }))
  return {
    name: size === 1 ? '1 node' : `${size} nodes`,
    nodes,
    portOf: (index) => nodes[index % size]?.port ?? 0,
    redis: redis.raw,
    async spent() {
      const [used, stores, commandstats, stats, calls] = await Promise.all([
        Promise.all(nodes.map((node) => node.usage())),
        nodes[0]?.stores.cpuMs(),
        redis.raw.info('commandstats'),
        redis.raw.info('stats'),
        callsOf(bench, prefix),
      ])
      const counted = (pattern: RegExp) =>
        [...stats.matchAll(pattern)].reduce((sum, [, bytes]) => sum + Number(bytes), 0)
      return {
        nodeMs: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
        redisMs: stores?.redis ?? 0,
        commands: [...commandstats.matchAll(/cmdstat_\S+?:calls=(\d+)/g)].reduce(
          (sum, [, count]) => sum + Number(count),
          0,
        ),
        redisBytes: counted(/total_net_(?:in|out)put_bytes:(\d+)/g),
        ...calls,
        atMs: performance.now(),
      }
    },
    async stop() {
      for (const node of nodes) await node.stop()
      await redis.stop()
    },
  }
}

let asking: Promise<unknown> = Promise.resolve()

/** The server forgets what it has told, so it is kept here, for several fleets at a time. They ask one after the other. */
function callsOf(bench: Bench, prefix: string): Promise<Pick<Spent, 'readUnits' | 'writeUnits'>> {
  const asked = asking.then(() => callsAfter(bench, prefix))
  asking = asked
  return asked
}

async function callsAfter(bench: Bench, prefix: string): Promise<Pick<Spent, 'readUnits' | 'writeUnits'>> {
  const known = total.get(bench) ?? {}
  total.set(bench, known)
  for (const [name, { calls, units }] of Object.entries(await bench.quickStores.calls())) {
    const before = known[name] ?? { calls: 0, units: 0 }
    known[name] = { calls: before.calls + calls, units: before.units + units }
  }
  const [reads, writes] = [/^(GetItem|BatchGetItem|Query) /, /^(PutItem|UpdateItem|DeleteItem|BatchWriteItem) /].map(
    (kind) =>
      Object.entries(known)
        .filter(([name]) => kind.test(name) && name.includes(` ${prefix}`))
        .reduce((sum, [, { units }]) => sum + units, 0),
  )
  return { readUnits: reads ?? 0, writeUnits: writes ?? 0 }
}

/** Returns what is spent in a millisecond while nothing is done. */
export async function idleRate(fleet: Fleet, wait: () => Promise<unknown>): Promise<Spent> {
  const before = await fleet.spent()
  await wait()
  const after = await fleet.spent()
  return mapped((name) => (after[name] - before[name]) / (after.atMs - before.atMs))
}

/** Returns what the work has spent, without what goes by the clock. */
export async function spentOn(fleet: Fleet, idle: Spent | undefined, work: () => Promise<unknown>): Promise<Spent> {
  const before = await fleet.spent()
  await work()
  const after = await fleet.spent()
  return mapped((name) =>
    Math.max(0, after[name] - before[name] - (name === 'atMs' ? 0 : (idle?.[name] ?? 0) * (after.atMs - before.atMs))),
  )
}

/** Adds a line to the sheet for each kind of spending, as the mean for one of what was done. */
export function addSpent(sheet: Sheet, what: string, who: string, spent: Spent, count: number): void {
  const lines: [string, string, number][] = [
    ['CPU of the nodes', 'ms', spent.nodeMs],
    ['CPU of Redis', 'ms', spent.redisMs],
    ['commands of Redis, those of scripts too', '', spent.commands],
    ['bytes to and from Redis', 'bytes', spent.redisBytes],
    ['DynamoDB write units', 'units', spent.writeUnits],
    ['DynamoDB read units', 'units', spent.readUnits],
  ]
  for (const [name, unit, value] of lines) sheet.add(`${what}: ${name}`, who, unit, value / count)
}

const mapped = (value: (name: keyof Spent) => number): Spent => ({
  nodeMs: value('nodeMs'),
  redisMs: value('redisMs'),
  commands: value('commands'),
  redisBytes: value('redisBytes'),
  writeUnits: value('writeUnits'),
  readUnits: value('readUnits'),
  atMs: value('atMs'),
})
