import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../bench/sheet.ts'
import { buildServer } from '../kit/nodes/build-server.ts'
import { type NodeProcess, startNodeProcess } from '../kit/nodes/node-process.ts'
import { testSecret } from '../kit/person.ts'
import { startDynalite } from '../kit/services/dynamodb.ts'
import { startRedis } from '../kit/services/redis.ts'
import { createCrowd } from './crowd.ts'
import { type Drift, driftsOf, type Sample } from './verdict.ts'

type SoakOptions = {
  minutes: number
  /** Deeds a second, of all people together. */
  rate: number
  nodes: number
  people: number
  random: () => number
  signal: AbortSignal
  onProgress: (line: string) => void
  /** Where heap snapshots go: one after the warm-up, one at the end. */
  snapshots?: string
}

type SoakResult = {
  lengthMs: number
  deeds: number
  /** Deeds that were left out since too many were under way. */
  leftOut: number
  outcomes: Record<string, number>
  unexpected: Record<string, number>
  complaints: string[]
  exitCodes: (number | null)[]
  sendMs: { p50: number; p99: number }
  cpuShare: number[]
  redisBytes: { first: number; last: number }
  drifts: Drift[]
  samples: Sample[]
  flat: boolean
  ok: boolean
}

const sampleEveryMs = 10_000
const underWayMax = 300
/** So long the crowd takes to come to its rate: all at once is another test. */
const rampMaxMs = 60_000
/** Of all deeds: UNAVAILABLE is the right answer when the DynamoDB server of a busy machine is late. */
const unavailableMax = 0.05

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { minutes, rate, signal, onProgress } = options
  const lengthMs = minutes * 60_000
  const [redis, dynamodb, built] = await Promise.all([startRedis(), startDynalite(), buildServer()])
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-soak-'))
  const nodes: NodeProcess[] = []
  try {
    for (let i = 0; i < options.nodes; i += 1) {
      nodes.push(
        await startNodeProcess(built.script, {
          REDIS_URL: redis.url,
          DYNAMODB_ENDPOINT: dynamodb.endpoint,
          CREATE_TABLES: 'true',
          AUTH_JWT_SECRET: testSecret,
          DATA_DIR: dataDir,
        }),
      )
    }
    const crowd = await createCrowd({ ...options, urls: nodes.map(({ url }) => url), groups: 4 })
    const startedAtMs = Date.now()
    const samples: Sample[] = []
    const latencies: number[] = []
    let deeds = 0
    let leftOut = 0
    let underWay = 0
    let snapshotTaken = options.snapshots === undefined

    async function sample(): Promise<void> {
      const redisBytes = Number(/used_memory:(\d+)/.exec(await redis.raw.info('memory'))?.[1])
      for (const [node, each] of nodes.entries()) {
        const { resources, arrayBuffers: _, ...memory } = await each.memory()
        const handles = Object.values(resources).reduce((sum, count) => sum + count, 0)
        samples.push({ atMs: Date.now() - startedAtMs, node, handles, redisBytes, ...memory })
      }
      latencies.push(...crowd.takeLatencies())
      onProgress(progressOf(samples.slice(-nodes.length), deeds, [...crowd.unexpected]))
      if (!snapshotTaken && Date.now() - startedAtMs > lengthMs / 6) {
        snapshotTaken = true
        await nodes[0]?.heapSnapshot(join(options.snapshots ?? '', 'early.heapsnapshot'))
      }
    }

    const sampling = new AbortController()
    const sampled = (async () => {
      while (!sampling.signal.aborted) {
        await sample()
        await sleep(sampleEveryMs, undefined, { signal: sampling.signal }).catch(() => undefined)
      }
    })()
    const acting = new Set<Promise<void>>()
    const rampMs = Math.min(rampMaxMs, lengthMs / 6)
    const dueAfter = (ms: number) => (rate / 1000) * (ms < rampMs ? ms ** 2 / (2 * rampMs) : ms - rampMs / 2)
    const isOver = () => signal.aborted || Date.now() - startedAtMs >= lengthMs || nodes.some((one) => !one.isRunning())
    while (!isOver()) {
      const due = dueAfter(Date.now() - startedAtMs) - deeds - leftOut
      for (let i = 0; i < due; i += 1) {
        if (underWay >= underWayMax) {
          leftOut += 1
          continue
        }
        deeds += 1
        underWay += 1
        const act = crowd.act().finally(() => {
          underWay -= 1
          acting.delete(act)
        })
        acting.add(act)
      }
      await sleep(20)
    }
    sampling.abort()
    await sampled
    if (options.snapshots) await nodes[0]?.heapSnapshot(join(options.snapshots, 'late.heapsnapshot'))
    await Promise.allSettled(acting)
    await crowd.leave()
    const exitCodes = await Promise.all(nodes.map(async (node) => (await node.stop())[0]))

    const lastedMs = Math.min(lengthMs, Date.now() - startedAtMs)
    const drifts = driftsOf(samples, lastedMs)
    const complaints = nodes.flatMap((node) => node.complaints)
    const flat = drifts.every((drift) => drift.flat)
    const late = [...crowd.unexpected].filter(([what]) => what.endsWith(': UNAVAILABLE'))
    const others = [...crowd.unexpected].filter(([what]) => !what.endsWith(': UNAVAILABLE'))
    const isRare = late.reduce((sum, [, count]) => sum + count, 0) <= deeds * unavailableMax
    return {
      lengthMs: lastedMs,
      deeds,
      leftOut,
      outcomes: Object.fromEntries([...crowd.outcomes].sort()),
      unexpected: Object.fromEntries(crowd.unexpected),
      complaints: complaints.slice(0, 20),
      exitCodes,
      sendMs: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
      cpuShare: nodes.map((_, node) => cpuShareOf(samples.filter((each) => each.node === node))),
      redisBytes: { first: samples[0]?.redisBytes ?? 0, last: samples.at(-1)?.redisBytes ?? 0 },
      drifts,
      samples,
      flat,
      ok:
        flat &&
        others.length === 0 &&
        isRare &&
        complaints.length === 0 &&
        exitCodes.every((code) => code === 0) &&
        !signal.aborted,
    }
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
    await Promise.all([redis.stop(), dynamodb.stop(), built.remove(), rm(dataDir, { recursive: true, force: true })])
  }
}

function cpuShareOf(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  return first && last ? (last.cpuMs - first.cpuMs) / (last.atMs - first.atMs) : Number.NaN
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`

function progressOf(samples: readonly Sample[], deeds: number, unexpected: readonly [string, number][]): string {
  const minute = ((samples[0]?.atMs ?? 0) / 60_000).toFixed(1)
  const memory = samples.map(
    ({ node, rss, heapUsed, handles }) =>
      `node ${node}: ${megabytes(rss)}, heap ${megabytes(heapUsed)}, ${handles} handles`,
  )
  const trouble = unexpected.map(([what, count]) => `${count} × ${what}`).join(', ')
  return `minute ${minute}: ${deeds} deeds; ${memory.join('; ')}${trouble && `; unexpected: ${trouble}`}`
}
