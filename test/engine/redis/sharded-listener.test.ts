import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createRedisLink, type RedisLink } from '../../../src/engine/redis/client.ts'
import { slotOf } from '../../../src/engine/redis/slot-table.ts'
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../../kit/services/redis-cluster.ts'

const eventually = (reached: () => void | Promise<void>) => vi.waitFor(reached, { timeout: 60_000, interval: 10 })

let cluster: RedisCluster
let link: RedisLink
beforeAll(async () => {
  cluster = await startRedisCluster({ cuttable: true })
  link = createRedisLink({ url: cluster.url, commandTimeoutMs: 2500 })
  await eventually(() => expect(link.hears()).toBe(true))
})
afterAll(async () => {
  await link?.close()
  await cluster?.stop()
})

async function listen(channel: string) {
  const heard: string[] = []
  const leave = await link.sharded?.subscribe(channel, {
    message: (text) => heard.push(text),
    lost: () => heard.push('lost'),
    restored: () => heard.push('restored'),
  })
  return { heard, leave: () => leave?.() }
}
const subscribersOf = async (channel: string, { raw }: ClusterNode) =>
  ((await raw.call('PUBSUB', 'SHARDNUMSUB', channel)) as [string, number])[1]

test('a master that has not been told that a slot has moved is heard until it knows', async () => {
  const [from, to] = await cluster.masters()
  if (!from || !to) expect.fail('There are too few masters.')
  const owned = new Set(await cluster.slotsOf(from))
  const channels = Array.from({ length: 100 }, (_none, index) => `channel-${index}`)
  const [channel, another] = channels.filter((name) => owned.has(slotOf(name)))
  if (!channel || !another) expect.fail('None of the channels has a slot there.')
  const { heard } = await listen(channel)
  const left = await listen(another)

  const heal = cluster.cutOff(from)
  onTestFinished(heal)
  const moved = [channel, another].map((each) => cluster.moveSlot(slotOf(each), from, to))
  await eventually(() => expect([heard, left.heard]).toEqual(Array(2).fill(['lost', 'restored'])))
  await to.raw.call('SPUBLISH', channel, 'at the new one')
  await from.raw.call('SPUBLISH', channel, 'at the old one')
  await eventually(() => expect(heard.slice(2).sort()).toEqual(['at the new one', 'at the old one']))
  left.leave()
  await eventually(async () => expect(await subscribersOf(another, from)).toBe(0))

  heal()
  await Promise.all(moved)
  expect(await subscribersOf(channel, from)).toBe(0)
  await to.raw.call('SPUBLISH', channel, 'the end')
  await eventually(() => expect(heard.slice(4)).toEqual(['the end']))
})
