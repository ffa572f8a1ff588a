import { afterEach, expect, test } from 'vitest'
import type { SoftState } from '../../src/ports/ports.ts'
import { freePort } from '../kit/free-port.ts'
import { aConversation, aMessage, aUser } from '../kit/ids.ts'
import { seedCounter } from '../kit/seed-counter.ts'
import { type RedisServer, startRedis } from '../kit/services/redis.ts'
import { connectNode } from '../kit/soft-worlds.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

async function startServer() {
  const port = await freePort()
  const redis = await startRedis(['--bind', '127.0.0.1', '--port', `${port}`, '--repl-diskless-sync-delay', '0'])
  undo.push(redis.stop)
  const { link, soft } = connectNode(redis.url)
  undo.push(link.close)
  return { ...redis, soft, port }
}

/** Resolves when `to` has everything of `from`. */
async function replicate(from: RedisServer & { port: number }, to: RedisServer): Promise<void> {
  await to.raw.replicaof('127.0.0.1', from.port)
  await expect
    .poll(async () => `${await to.raw.info('replication')}`, { timeout: 20_000 })
    .toContain('master_link_status:up')
  await from.raw.set('last', 'one')
  await expect.poll(() => to.raw.get('last'), { timeout: 20_000 }).toBe('one')
}

const promote = ({ raw }: RedisServer) => raw.replicaof('NO', 'ONE')

test('a Redis that is made master again believes nothing of what it knew before, for the other may have learned more', async () => {
  const [first, second] = [await startServer(), await startServer()]
  const [group, chat, phone] = [aConversation(), aConversation(), { userId: aUser(), connectionId: 'phone' }]
  const member = { userId: phone.userId, conversationId: chat }
  let stamps: readonly string[] = []
  let ofTicks: readonly string[] = []
  const know = async ({
    sequencer,
    versions,
    blockCache,
    sessions,
    boundaryCache,
    indexStamps,
    tickStamps,
  }: SoftState) => {
    stamps = await indexStamps.look([phone.userId])
    ofTicks = await tickStamps.look([phone.userId])
    await seedCounter(sequencer, chat, 5)
    await versions.look([group], 'reading')
    await versions.seed(group, 'reading', 5)
    await blockCache.look([chat], 'lease')
    await blockCache.seed(chat, 'lease', [])
    await sessions.attach(phone)
    await sessions.leave(phone)
    await sessions.setPendingIndexComplete(phone.userId)
    const { pendingVersion } = await boundaryCache.open(member)
    await boundaryCache.lift(member, { lastDeliveredSeq: 5, lastReadSeq: 5 }, pendingVersion)
    expect(await boundaryCache.open(member)).toMatchObject({ pendingVersion: 0 })
  }
  const known = async ({
    sequencer,
    versions,
    blockCache,
    sessions,
    boundaryCache,
    indexStamps,
    tickStamps,
  }: SoftState) => ({
    hasSameStamp: (await indexStamps.look([phone.userId]))[0] === stamps[0],
    hasSameTickStamp: (await tickStamps.look([phone.userId]))[0] === ofTicks[0],
    counter: (await sequencer.counters([chat]))[0],
    version: (await versions.look([group], 'a'))[0],
    blockers: (await blockCache.look([chat], 'a'))[0],
    ...(await sessions.attach(phone)),
    hasNoPendingRow: (await boundaryCache.open(member)).pendingVersion === 0,
  })
  await know(first.soft)
  await replicate(first, second)

  // It fails over from the first to the second, which then gets changes that the first never hears of.
  await promote(second)
  await replicate(second, first)
  await first.raw.replicaof('127.0.0.1', await freePort())
  await seedCounter(second.soft.sequencer, chat, 6)
  await second.soft.versions.raise(group, 6)
  await second.soft.blockCache.begin(chat, 'change')
  await second.soft.blockCache.end(chat, 'change')
  await second.soft.sessions.attach(phone)
  await second.soft.boundaryCache.notePending(member)
  await promote(first)

  expect(await known(first.soft)).toEqual({
    hasSameStamp: false,
    hasSameTickStamp: false,
    counter: undefined,
    version: undefined,
    blockers: undefined,
    pendingIndexComplete: false,
    hasNoPendingRow: false,
  })
})

test('a Redis that restarts from an old dump believes nothing of it', async () => {
  const redis = await startServer()
  const group = aConversation()
  await redis.soft.versions.look([group], 'reading')
  await redis.soft.versions.seed(group, 'reading', 5)
  expect(await redis.soft.versions.look([group], 'a')).toEqual([5])
  await redis.failover()
  await expect.poll(() => redis.soft.versions.look([group], 'a').catch(() => 'away')).toEqual([undefined])
})

test('a counter of another Redis does not count, and is not below what was published when its slot comes back', async () => {
  const redis = await startServer()
  const chat = aConversation()
  await seedCounter(redis.soft.sequencer, chat, 5)
  const [key] = await redis.raw.keys('*seq:*')
  const own = `${await redis.raw.get(`${key}`)}`.split(' ')[1]
  await redis.raw.set(`${key}`, '5/5 another')
  await redis.soft.events.publishGroupEntry(aMessage(chat, 6))
  expect(await redis.soft.sequencer.counters([chat])).toEqual([undefined])
  expect(await redis.soft.activity.of([chat])).toEqual([undefined])
  const kept = `${await redis.raw.get(`${key}`)}`
  await redis.raw.set(`${key}`, kept.replace('another', `${own}`))
  expect(await redis.soft.sequencer.counters([chat])).toEqual([6])
})
