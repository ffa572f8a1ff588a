import { Cluster } from 'ioredis'
import { vi } from 'vitest'
import { freePort } from '../free-port.ts'
import { type RedisServer, startRedis } from './redis.ts'

const slots = 16_384

/** Starts three masters that share the slots. Two go on serving theirs when the third is gone. */
export async function startRedisCluster() {
  const ports = await Promise.all(Array.from({ length: 6 }, () => freePort()))
  const addresses = [0, 1, 2].map((index) => ({ port: ports[index] ?? 0, busPort: ports[index + 3] ?? 0 }))
  const nodes = await Promise.all(
    addresses.map(({ port, busPort }) =>
      startRedis([
        '--bind',
        '127.0.0.1',
        '--port',
        `${port}`,
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        `${busPort}`,
        '--cluster-require-full-coverage',
        'no',
      ]),
    ),
  )
  const [seed] = addresses
  for (const [index, { raw }] of nodes.entries()) {
    const from = Math.ceil((index * slots) / nodes.length)
    const to = Math.ceil(((index + 1) * slots) / nodes.length) - 1
    await raw.cluster('ADDSLOTSRANGE', from, to)
    if (index > 0) await raw.call('CLUSTER', 'MEET', '127.0.0.1', seed?.port ?? 0, seed?.busPort ?? 0)
  }
  const knowsAll = (info: unknown) => /cluster_state:ok/.test(`${info}`) && /cluster_slots_ok:16384/.test(`${info}`)
  // A node may know all slots before it has a link to each of the others. What is published there does not reach their subscribers then.
  const hasLinks = (list: unknown) => {
    const lines = `${list}`.trim().split('\n')
    return lines.length === nodes.length && lines.every((line) => / connected /.test(line) && !/handshake/.test(line))
  }
  const isReady = async ({ raw }: RedisServer) =>
    knowsAll(await raw.cluster('INFO')) && hasLinks(await raw.cluster('NODES'))
  await vi.waitUntil(async () => (await Promise.all(nodes.map(isReady))).every(Boolean), {
    timeout: 20_000,
    interval: 50,
  })
  const raw = new Cluster(addresses.map(({ port }) => ({ host: '127.0.0.1', port })))

  return {
    url: addresses.map(({ port }) => `redis://127.0.0.1:${port}`).join(','),
    raw,
    nodes,
    ports: addresses.map(({ port }) => port),
    flush: async () => void (await Promise.all(nodes.map((node) => node.flush()))),
    killSubscribers: async () => void (await Promise.all(nodes.map((node) => node.killSubscribers()))),
    pause: () => nodes.map((node) => node.pause()),
    resume: () => nodes.map((node) => node.resume()),
    async stop(): Promise<void> {
      raw.disconnect()
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
