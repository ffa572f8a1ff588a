import { afterAll, beforeAll, expect, test } from 'vitest'
import { slotOf } from '../../src/engine/redis/slot-table.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { aConversation, aUser, upTo } from '../kit/ids.ts'
import { seedCounter } from '../kit/seed-counter.ts'
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../kit/services/redis-cluster.ts'
import { connectNode, keys } from '../kit/soft-worlds.ts'

// What a node compares for many idle streams it asks each master of a cluster for at once, in whatever slots it is, and nothing that moves
// between masters meanwhile is mistaken.

const many = 300

let cluster: RedisCluster
let node: ReturnType<typeof connectNode>
beforeAll(async () => {
  cluster = await startRedisCluster()
  node = connectNode(cluster.url)
})
afterAll(async () => {
  await node?.link.close()
  await cluster?.stop()
})

/** Returns how often each command was called since the last time, on all masters; those that scripts call are counted too. */
async function called(): Promise<Map<string, number>> {
  const calls = new Map<string, number>()
  for (const { raw } of cluster.nodes) {
    for (const [, name = '', count] of (await raw.info('commandstats')).matchAll(/cmdstat_(\S+?):calls=(\d+)/g))
      calls.set(name, (calls.get(name) ?? 0) + Number(count))
    await raw.config('RESETSTAT')
  }
  return calls
}

test('the stamps of many users and the counters of many conversations cost a script for each master', async () => {
  const { indexStamps, tickStamps, sequencer } = node.soft
  const [users, conversations] = [upTo(many).map(aUser), upTo(many).map(aConversation)]
  for (const [i, id] of conversations.entries()) await seedCounter(sequencer, id, i + 1)
  await indexStamps.look(users)
  await Promise.all(users.map((userId) => indexStamps.replace([userId])))
  const stamps = await indexStamps.look(users)
  expect(new Set(stamps).size).toBe(many)
  const ofTicks = await tickStamps.look(users)
  await sequencer.counters(conversations)
  await called()

  expect(await indexStamps.look(users)).toEqual(stamps)
  expect(await tickStamps.look(users)).toEqual(ofTicks)
  expect(await sequencer.counters(conversations)).toEqual(conversations.map((_id, i) => i + 1))
  const calls = await called()
  const scripts = (calls.get('evalsha') ?? 0) + (calls.get('eval') ?? 0)
  expect(scripts).toBe(9)
  expect(calls.get('get')).toBe(3 * many)
})

test('while a slot moves, what is in others is found, and what has moved is absent, as another Redis process has kept it', async () => {
  const { sequencer } = node.soft
  const [id, beside] = await twoOfOneMaster()
  await seedCounter(sequencer, id, 7)
  await seedCounter(sequencer, beside, 8)
  const key = keys.counter(id)
  const { from, to } = await mastersFor(key)
  await cluster.moveSlot(slotOf(key), from, to, async () => {
    await from.raw.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5000)
    expect(await sequencer.counters([beside, id])).toEqual([8, undefined])
    expect(await sequencer.counters([id, beside])).toEqual([undefined, 8])
  })
})

test('while a slot moves, boundaries are published to those in it, and to groups, with their stamps here or there', async () => {
  const { events, tickStamps } = node.soft
  for (const id of [aUser(), aConversation()]) {
    const key = keys.tickStamp(id)
    const { from, to } = await mastersFor(key)
    const publish = async () => {
      const [before] = await tickStamps.look([id])
      const ticks = { userId: aUser(), conversationId: aConversation(), lastDeliveredSeq: 1, lastReadSeq: 1 }
      await events.publishBoundaries(id.startsWith('grp_') ? (id as ConversationId) : [id as UserId], ticks)
      expect(await tickStamps.look([id])).not.toEqual([before])
    }
    await publish()
    await cluster.moveSlot(slotOf(key), from, to, async () => {
      await publish()
      await from.raw.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5000)
      await publish()
    })
    await publish()
  }
})

test('while a slot moves, what its users have read is published, and what groups they are in', async () => {
  const { events, indexStamps } = node.soft
  const userId = aUser()
  const key = keys.tickStamp(userId)
  const { from, to } = await mastersFor(key)
  const ticks = { userId, conversationId: aConversation(), lastDeliveredSeq: 1, lastReadSeq: 1 }
  const membership = { conversationId: ticks.conversationId, seq: 1, joined: true }
  await indexStamps.look([userId])
  await events.publishBoundaries([userId], ticks, true)
  await cluster.moveSlot(slotOf(key), from, to, async () => {
    await from.raw.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5000)
    await events.publishBoundaries([userId], ticks, true)
    await events.publishMembership([userId], membership)
    await from.raw.call('MIGRATE', '127.0.0.1', to.port, keys.indexStamp(userId), 0, 5000)
    await events.publishMembership([userId], membership)
  })
})

test('a slot that has moved is asked for where it is now, by a node that was not told', async () => {
  const { sequencer } = node.soft
  const [id, beside] = await twoOfOneMaster()
  await seedCounter(sequencer, beside, 8)
  const key = keys.counter(id)
  const { from, to } = await mastersFor(key)
  await cluster.moveSlot(slotOf(key), from, to)
  const other = connectNode(cluster.url)
  try {
    await seedCounter(other.soft.sequencer, id, 9)
  } finally {
    await other.link.close()
  }
  expect(await sequencer.counters([beside, id])).toEqual([8, 9])
})

async function twoOfOneMaster() {
  const [id, ...others] = upTo(many).map(aConversation)
  const master = node.link.masterOf(keys.counter(id as ConversationId))
  const beside = others.find((each) => node.link.masterOf(keys.counter(each)) === master)
  return [id as ConversationId, beside as ConversationId] as const
}

async function mastersFor(key: string): Promise<{ from: ClusterNode; to: ClusterNode }> {
  const owned = await Promise.all(cluster.nodes.map((each) => cluster.slotsOf(each)))
  const at = owned.findIndex((slots) => slots.includes(slotOf(key)))
  return { from: cluster.nodes[at] as ClusterNode, to: cluster.nodes[(at + 1) % cluster.nodes.length] as ClusterNode }
}
