import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/kit/free-port.ts'
import { type RedisServer, startRedis } from '../../test/kit/services/redis.ts'
import { startRedisCluster } from '../../test/kit/services/redis-cluster.ts'
import { type Bench, interleave, type Scenario, type Subject } from '../bench.ts'
import { type Crew, openCrew } from '../load/crew.ts'
import { createSheet } from '../sheet.ts'

// Measures what a direct message costs Redis in sum, by how many masters share the work: from the send on one node to the tick of the receiver, who is
// on another. What the servers of a cluster take for each other goes by the clock and not with the messages; it is measured as well, and taken off.

type Layout = { name: string; url: string; servers: readonly RedisServer[]; stop(): Promise<void> }
type Measure = Layout & { crew: Crew; nodes: readonly [Subject, Subject]; idleMsPerSecond: number }

export const oneRedis = 'one Redis'
export const oneMaster = 'a cluster of 1 master'
export const sixMasters = 'a cluster of 6 masters'
export const redisCpuPerMessage = 'masters: CPU of Redis per direct message, in sum'
const perSecond = 100
const asFastAsPossible = '32 pairs as fast as they can'
export const atRate = `${perSecond} a second`
/** This is what one of six masters gets of the other rate. */
const atSixth = 'a sixth of that'

export const redisMasters: Scenario = async (bench) => {
  const sheet = createSheet()
  const layouts = [await single(), await clusterOf(1), await clusterOf(6)]
  const measures: Measure[] = []
  for (const layout of layouts) {
    const on = { url: layout.url, pids: () => layout.servers.map((server) => server.pid()) }
    const nodes = [await bench.on(on), await bench.on(on)] as const
    const crew = await openCrew(nodes[0], `masters ${layout.name}`, nodes[1].port)
    await crew.asFastAsPossible(bench.choose({ quick: 300, default: 3000, full: 6000 }), 1000)
    measures.push({ ...layout, crew, nodes, idleMsPerSecond: 0 })
  }
  for (const each of measures) each.idleMsPerSecond = await idle(bench, each)
  for (const each of measures)
    sheet.add('masters: CPU of Redis while nothing happens, in sum', each.name, 'ms/s', each.idleMsPerSecond)
  const add = (
    { name, idleMsPerSecond }: Measure,
    how: string,
    { count, redisMs, wallMs }: Awaited<ReturnType<Bench['meter']>>,
  ) => {
    const ofMessages = redisMs - (idleMsPerSecond * wallMs) / 1000
    sheet.add(`${redisCpuPerMessage}, ${how}`, name, 'ms', ofMessages / count, oneMaster)
    sheet.add(`masters: with what goes by the clock, ${how}`, name, 'ms', redisMs / count, oneMaster)
  }
  await interleave(bench.choose({ quick: 1, default: 7, full: 15 }), measures, async (each) => {
    const metered = await bench.meter(each.nodes[0], () =>
      each.crew.asFastAsPossible(bench.choose({ quick: 300, default: 1000, full: 5000 }), 500),
    )
    add(each, asFastAsPossible, metered)
    sheet.add('masters: double ticks per second, 32 pairs', each.name, '/s', (1000 * metered.count) / metered.wallMs)
  })
  const round = (perSecond: number, ms: number, how: string) => async (each: Measure) => {
    const before = await inScriptsMs(each)
    const metered = await bench.meter(each.nodes[0], () => each.crew.atRate(perSecond, ms, [], []))
    add(each, how, metered)
    const spentMs = (await inScriptsMs(each)) - before
    sheet.add(
      `masters: time in scripts per direct message, in sum, ${how}`,
      each.name,
      'ms',
      spentMs / metered.count,
      oneMaster,
    )
  }
  const rounds = bench.choose({ quick: 1, default: 5, full: 15 })
  await interleave(
    rounds,
    measures,
    round(perSecond, bench.choose({ quick: 500, default: 3000, full: 10_000 }), atRate),
  )
  const alone = measures.filter(({ name }) => name === oneMaster)
  const longMs = bench.choose({ quick: 1000, default: 9000, full: 30_000 })
  await interleave(bench.choose({ quick: 1, default: 3, full: 5 }), alone, round(perSecond / 6, longMs, atSixth))
  for (const { crew, nodes, stop } of measures) {
    crew.close()
    for (const node of nodes) await node.stop()
    await stop()
  }
  return sheet.measured()
}

async function idle(bench: Bench, { nodes }: Measure): Promise<number> {
  const { redisMs, wallMs } = await bench.meter(nodes[0], async () => {
    await sleep(bench.choose({ quick: 200, default: 5000, full: 20_000 }))
    return 1
  })
  return (1000 * redisMs) / wallMs
}

/** Returns the time in scripts as Redis counts it, which is without reading, writing, and being woken. */
async function inScriptsMs({ servers }: Layout): Promise<number> {
  const stats = await Promise.all(servers.map(({ raw }) => raw.info('commandstats')))
  const spent = stats.flatMap((text) => [...text.matchAll(/cmdstat_evalsha:calls=\d+,usec=(\d+)/g)])
  return spent.reduce((sum, [, usec]) => sum + Number(usec) / 1000, 0)
}

async function single(): Promise<Layout> {
  const port = await freePort()
  const redis = await startRedis(['--bind', '127.0.0.1', '--port', String(port)])
  return { name: oneRedis, url: `redis://127.0.0.1:${port}`, servers: [redis], stop: redis.stop }
}

async function clusterOf(masters: number): Promise<Layout> {
  const { url, nodes, stop } = await startRedisCluster({ masters })
  // A single address is taken for a Redis that is no cluster.
  return { name: masters === 1 ? oneMaster : sixMasters, url: `${url},${url}`, servers: nodes, stop }
}
