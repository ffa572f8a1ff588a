import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../kit/free-port.ts'
import { transpileServer } from '../kit/nodes/transpile-server.ts'
import { signToken, testSecret } from '../kit/person.ts'
import { waitUntil } from '../kit/wait-until.ts'
import { createRandom } from '../simulation/random.ts'
import { startClusterAndDynamoDb } from './backings/cluster-and-dynamodb.ts'
import { makeEmbedded } from './backings/embedded.ts'
import { startRedisAndDynamoDb } from './backings/redis-and-dynamodb.ts'
import { check } from './checks/checker.ts'
import { emptyHistory, type FeedSeen } from './checks/history.ts'
import { drain } from './drain.ts'
import { unleash } from './faults/nemesis.ts'
import { type PlannedFault, planFaults } from './faults/plan.ts'
import { createNodeProcess } from './faults/processes.ts'
import { missingIn, wantedOf } from './feed/check-feed.ts'
import { followFeed, readFeed } from './feed/feed-consumer.ts'
import { shortcomings } from './people/activity.ts'
import { createCrowd } from './people/crowd.ts'
import { openRecord } from './record.ts'
import { type Result, report } from './report.ts'

type ChaosOptions = {
  seconds: number
  seed: number
  nodes?: number
  /** One node that keeps everything in a directory, without Redis and DynamoDB. */
  embedded?: boolean
  /** Redis is a cluster. */
  cluster?: boolean
  /** Nodes keep a feed, which a backend reads. Unless it is said, it is so with odd seeds. */
  events?: boolean
  /** The record is kept here in any case. Without it, only the record of a run that was not good is kept, in a place of its own. */
  logDirectory?: string
  /** Is called with the folder of the compiled server before it is started: a test can plant a bug there and see it caught. */
  prepare?: (directory: string) => Promise<void>
  /** Is called with what is going on. */
  onProgress?: (line: string) => void
  /** Ends the run early, and everything it started. */
  signal?: AbortSignal
}

/**
 * Makes one run: starts everything, lets the crowd and the nemesis loose, drains, and judges. Only the record of a run that was not good is
 * left behind.
 */
export async function runChaos(options: ChaosOptions): Promise<Result> {
  const {
    seconds,
    seed,
    embedded = false,
    cluster = false,
    events = seed % 2 === 1,
    logDirectory,
    prepare,
    onProgress = () => undefined,
  } = options
  const count = embedded ? 1 : (options.nodes ?? 3)
  const command = repeatCommand(options)
  const record = openRecord({ seed, directory: logDirectory })
  const history = emptyHistory()
  let planned: readonly PlannedFault[] = []
  const ending = new AbortController()
  const { signal } = ending
  options.signal?.addEventListener('abort', () => ending.abort(), { once: true })
  const undo: (() => unknown)[] = []
  // This is the last resort, if this process ends before the end of this function.
  const desperate: (() => unknown)[] = []
  const onExit = () => {
    record.keep(history, planned, 'The process ended in the middle of the run.')
    desperate.forEach((each) => void each())
  }
  process.on('exit', onExit)
  try {
    const running = attempt()
    const ended = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('Ended early.')), { once: true }),
    )
    return await Promise.race([running, ended]).catch(async (error) => {
      ending.abort()
      // By then everything that it was about to start is known, and can be ended.
      await Promise.race([running.catch(() => undefined), sleep(settleMs)])
      const kept = record.keep(history, planned, String(error instanceof Error ? error.stack : error))
      throw new Error(`There is no verdict: ${reasonOf(error)} The record is kept in ${kept}`, { cause: error })
    })
  } finally {
    for (const each of undo.reverse()) await each()
    process.off('exit', onExit)
  }

  async function attempt(): Promise<Result> {
    onProgress('compiling the server')
    const server = await transpileServer()
    undo.push(server.remove)
    desperate.push(() => rmSync(dirname(server.script), { recursive: true, force: true }))
    await prepare?.(dirname(server.script))
    signal.throwIfAborted()
    const start = cluster ? startClusterAndDynamoDb : startRedisAndDynamoDb
    const backing = embedded ? await makeEmbedded() : await start(seed)
    undo.push(backing.stop)
    desperate.push(backing.destroy)
    signal.throwIfAborted()

    const startedAtMs = Date.now()
    history.startedAtMs = startedAtMs
    const nowMs = () => Date.now() - startedAtMs
    const ports = await freePorts(count)
    const nodes = ports.map((port, i) =>
      createNodeProcess({
        name: `node ${i + 1}`,
        port,
        script: server.script,
        preloads: backing.preloads,
        logPath: record.logPath(`node-${i + 1}`),
        environment: {
          PATH: process.env.PATH ?? '',
          PORT: String(port),
          ...backing.environment,
          AUTH_JWT_SECRET: testSecret,
          CURSOR_SECRET: 'cursors of the chaos',
          EVENTS: events ? 'on' : 'off',
        },
        onCrash: (text) => history.incidents.push({ atMs: nowMs(), text }),
      }),
    )
    desperate.push(...nodes.map((node) => node.destroy))
    undo.push(() => Promise.all(nodes.map((node) => node.retire())))
    onProgress(count === 1 ? 'starting a node' : `starting ${count} nodes`)
    // One node starts first: it makes the tables.
    for (const node of nodes) await node.start()
    signal.throwIfAborted()

    const crowd = await createCrowd({ seed, nodes: nodes.map(({ url }) => url), history, nowMs })
    undo.push(crowd.end)
    await crowd.open()
    const openedAtMs = nowMs()
    planned = planFaults(createRandom(seed), seconds * 1000, backing.faults).map((fault) => ({
      ...fault,
      atMs: fault.atMs + openedAtMs,
    }))
    onProgress(`${planned.length} faults in ${seconds} s`)
    crowd.start()
    const urls = nodes.map(({ url }) => url)
    const backend = await signToken('backend', { scope: 'parley:admin' })
    const quitting = new AbortController()
    undo.push(() => quitting.abort())
    const meanwhile: FeedSeen[] = []
    const follows = {
      nodes: urls,
      token: backend,
      seen: meanwhile,
      random: createRandom(seed + 1),
      signal: quitting.signal,
    }
    const following = events ? followFeed(follows) : undefined
    const [{ leftOut }] = await Promise.all([
      unleash({
        plan: planned,
        nodes,
        services: backing.services,
        nowMs,
        signal,
        onClock: (step) => {
          history.clocks.push(step)
          onProgress(`${step.fromMs} ms: the clock of ${step.node} is off by ${step.offsetMs} ms from now on`)
        },
        onFault: (fault) => {
          history.faults.push(fault)
          onProgress(`${fault.fromMs} to ${fault.toMs} ms: ${fault.kind} ${fault.target ?? ''}`)
        },
      }),
      sleep(seconds * 1000, undefined, { signal }),
    ])
    // A call that a node has given up may still be carried out. The crowd is judged by what is stored when all of them have been.
    onProgress('draining')
    await backing.settled()
    const figures = await drain({
      crowd,
      nodes,
      history,
      nowMs,
      readTables: backing.readTables,
      readPending: backing.readPending,
    })
    await crowd.end()
    history.tables = await backing.readTables()
    if (events) {
      const wanted = wantedOf(history.tables)
      const hasAll = (seen: readonly FeedSeen[]) => missingIn(wanted, seen).length === 0
      const atEnd = await readFeed(urls[0] ?? '', backend, hasAll, feedWithinMs)
      await within(feedWithinMs, async () => hasAll(meanwhile))
      quitting.abort()
      await following
      history.feed = { meanwhile, atEnd }
    }
    for (const { name, logPath } of nodes) {
      for (const text of await errorsIn(logPath))
        history.incidents.push({ atMs: nowMs(), text: `${name} logged ${text}` })
    }
    onProgress('judging')
    const anomalies = check(history)
    const lacking = shortcomings(history)
    const verdict = anomalies.length > 0 ? 'invalid' : lacking.length > 0 ? 'unknown' : 'valid'
    const failedStarts = nodes.reduce((sum, node) => sum + node.failedStarts(), 0)
    const result: Result = {
      verdict,
      history,
      anomalies,
      shortcomings: lacking,
      figures: { ...figures, leftOut, failedStarts },
    }
    if (verdict !== 'invalid' && logDirectory === undefined) {
      record.discard()
      return result
    }
    const kept = record.keep(history, planned, report(result, command).join('\n'))
    return { ...result, record: kept }
  }
}

/** Returns the command that makes the same plan again. */
export const repeatCommand = ({ seconds, seed, nodes = 3, embedded, cluster }: Omit<ChaosOptions, 'signal'>): string =>
  `npm run chaos -- --seconds ${seconds} --seed ${seed}${embedded ? ' --embedded' : nodes === 3 ? '' : ` --nodes ${nodes}`}${cluster ? ' --cluster' : ''}`

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, () => freePort()))

const errorLevel = 50
const settleMs = 5000
/** A page does not go past an announcement without its entry for half a minute. */
const feedWithinMs = 45_000

async function within(ms: number, reached: () => Promise<boolean>): Promise<void> {
  await waitUntil(reached, { timeout: ms, interval: 200 }).catch(() => undefined)
}

/** Returns what a node has logged as bugs of its own, even if no client was there any more to be told. */
async function errorsIn(logPath: string): Promise<string[]> {
  const lines = (await readFile(logPath, 'utf8')).split('\n')
  return lines
    .filter((line) => Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 0) >= errorLevel)
    .map((line) => line.slice(0, 1000))
}
