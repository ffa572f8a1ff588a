import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secret } from './load/tokens.ts'
import { type Built, buildAll, type PeerScript } from './machine/build.ts'
import { type Child, startChild } from './machine/child.ts'
import { loadCore, pin, serverCore, storesCore } from './machine/pinning.ts'
import { type Plain, startPlain } from './machine/plain.ts'
import { nothingBeside, type Stores, startStores } from './machine/stores.ts'
import { mainThreadMs, ownCpuMs } from './machine/usage.ts'
import type { Measured } from './sheet.ts'

export type Who = 'parley' | 'stock' | 'mercurius' | 'socket.io' | 'raw ws'
/** `stores`: what is beside it and counted with it. */
export type Subject = Child & { who: Who; stores: Pick<Stores, 'cpuMs' | 'calls' | 'unmeasured'> }
export type Scenario = (bench: Bench) => Promise<Measured[]>

/** How long to look. `quick` shows that everything runs, and nothing else. */
export type Depth = 'quick' | 'default' | 'full'

export type Bench = {
  stores: Stores
  /** The stores with the DynamoDB server that is never in the way. */
  quickStores: Stores
  /** Returns the value for the depth of this run. */
  choose<Value>(values: Record<Depth, Value>): Value
  /** Where profiles are written, if they are wanted. */
  profiles?: string | undefined
  /** Starts it once: all scenarios that ask get the same process. */
  subject(who: Who): Promise<Subject>
  /** Starts a process of its own, which the caller stops. `settings` are for a server of ours. */
  fresh(who: Who, settings?: Settings): Promise<Subject>
  /** Starts ours with stores of its own, whose DynamoDB server can do more than ours can ask for. */
  unhindered(settings?: Settings): Promise<Subject>
  /** Starts ours on these Redis servers, and on a DynamoDB server that is not the limit. */
  on(redis: RedisServers, settings?: Settings): Promise<Subject>
  /** Starts ours as one process with nothing beside it, after `prepare` has filled its data directory. */
  embedded(prepare: (dataDir: string) => Promise<void>): Promise<Subject>
  /** Starts ours as `npm start` runs it once it is built: without what measures the others from inside, and on any core. */
  plain(environment: Readonly<Record<string, string>>): Promise<Plain>
  meter(subject: Subject, work: () => Promise<number>): Promise<Metered>
  /** What is to be said about the figures since the last time. */
  takeNotes(): string[]
  stop(): Promise<void>
}

type Settings = Readonly<Record<string, string>>
type RedisServers = { url: string; pids: () => readonly number[] }

/** What some work took. `count` is how often it was done. */
type Metered = { count: number; wallMs: number; serverMs: number; redisMs: number; dynamodbMs: number }

const scripts: Record<Exclude<Who, 'parley'>, PeerScript> = {
  stock: 'stock-yoga',
  mercurius: 'mercurius',
  'socket.io': 'socket-io',
  'raw ws': 'raw-ws',
}
const busy = 0.95

export async function startBench(depth: Depth, profiles?: string): Promise<Bench> {
  await pin(process.pid, loadCore)
  const built = await buildAll()
  const stores = await startStores(built, 'dynamodb')
  const quickStores = await startStores(built, 'quick-dynamodb')
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-data-'))
  const kept = new Map<Who, Promise<Subject>>()
  const started = new Set<{ stop(): Promise<void> }>()
  const notes = new Set<string>()
  let directories = 0
  let stopping: Promise<void> | undefined

  const common = { NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }
  // One load makes more crowds in an hour than a person may.
  const noQuotas = { GROUPS_PER_HOUR: '0', GROUP_ADDITIONS_PER_HOUR: '0', CHATS_PER_HOUR: '0' }

  async function begin(
    who: Who,
    on: Subject['stores'],
    environment: Readonly<Record<string, string>>,
  ): Promise<Subject> {
    const child = await startChild({
      script: scriptOf(built, who),
      probe: built.probe,
      core: serverCore,
      environment: { ...common, ...environment },
    })
    const subject = { ...child, who, stores: on }
    started.add(subject)
    return subject
  }

  function start(who: Who, on: Stores, settings: Settings = {}): Promise<Subject> {
    const environment = { REDIS_URL: on.redisUrl, DYNAMODB_ENDPOINT: on.endpoint }
    const own = { CREATE_TABLES: 'true', AUTH_JWT_SECRET: secret, DATA_DIR: dataDir, ...noQuotas, ...settings }
    return begin(who, on, who === 'parley' ? { ...environment, ...own } : environment)
  }

  async function emptyDirectory(): Promise<string> {
    directories += 1
    const directory = join(dataDir, `embedded-${directories}`)
    await mkdir(directory)
    return directory
  }

  const fresh = (who: Who, settings?: Settings): Promise<Subject> => start(who, stores, settings)

  async function meter(subject: Subject, work: () => Promise<number>): Promise<Metered> {
    const before = {
      stores: await subject.stores.cpuMs(),
      server: await subject.usage(),
      load: ownCpuMs(),
      at: performance.now(),
    }
    const count = await work()
    const wallMs = performance.now() - before.at
    const loadMs = ownCpuMs() - before.load
    const server = await subject.usage()
    const after = await subject.stores.cpuMs()
    const metered = {
      count,
      wallMs,
      serverMs: server.cpuMs - before.server.cpuMs,
      redisMs: after.redis - before.stores.redis,
      dynamodbMs: after.dynamodb - before.stores.dynamodb,
    }
    const sharing = storesCore === loadCore ? metered.redisMs + metered.dynamodbMs : 0
    if (loadMs + sharing > busy * wallMs && metered.serverMs < busy * wallMs) {
      const shares = [loadMs, sharing, metered.serverMs].map((ms) => Math.round((100 * ms) / wallMs))
      notes.add(
        `${subject.who}: the load's core was full before the server's (load ${shares[0]}%, stores ${shares[1]}%, server ${shares[2]}%)`,
      )
    }
    return metered
  }

  return {
    stores,
    choose: (values) => values[depth],
    profiles,
    subject(who) {
      const known = kept.get(who) ?? fresh(who)
      kept.set(who, known)
      return known
    },
    fresh,
    unhindered: (settings) => start('parley', quickStores, settings),
    quickStores,
    on(redis, settings) {
      const cpuMs = async () => {
        const used = await Promise.all(redis.pids().map(mainThreadMs))
        const { dynamodb } = await quickStores.cpuMs()
        return { redis: used.reduce((sum, ms) => sum + ms, 0), dynamodb }
      }
      return start('parley', { ...quickStores, redisUrl: redis.url, cpuMs }, settings)
    },
    async embedded(prepare) {
      const directory = await emptyDirectory()
      await prepare(directory)
      const own = { STORE: 'embedded', AUTH_JWT_SECRET: secret, DATA_DIR: directory, ...noQuotas }
      return begin('parley', nothingBeside, own)
    },
    async plain(environment) {
      const own = { ...environment, DATA_DIR: await emptyDirectory() }
      const plain = await startPlain([await built.whole()], own)
      started.add(plain)
      return plain
    },
    meter,
    takeNotes() {
      const taken = [...notes]
      notes.clear()
      return taken
    },
    stop() {
      stopping ??= stopAll()
      return stopping
    },
  }

  async function stopAll(): Promise<void> {
    await Promise.all([...started].map((subject) => subject.stop()))
    await Promise.all([stores.stop(), quickStores.stop()])
    await Promise.all([built.remove(), rm(dataDir, { recursive: true, force: true })])
  }
}

const scriptOf = (built: Built, who: Who): string => (who === 'parley' ? built.server : built.script(scripts[who]))

/** A B C, C B A, …: what the machine does meanwhile happens to all of them, and no server always comes after the same one. */
export async function interleave<Item>(
  rounds: number,
  items: readonly Item[],
  round: (item: Item) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < rounds; i += 1) {
    for (const item of i % 2 === 0 ? items : [...items].reverse()) await round(item)
  }
}
