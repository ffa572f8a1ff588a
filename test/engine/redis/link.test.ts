import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RedisLink, RedisLinkOptions } from '../../../src/engine/redis/client.ts'
import { parseRedisUrl } from '../../../src/engine/redis/url.ts'
import type { EventListener } from '../../../src/ports/events.ts'
import type { SoftState } from '../../../src/ports/ports.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aConversation, aMessage, aUser, upTo } from '../../kit/ids.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import { type RedisServer, startRedis } from '../../kit/services/redis.ts'
import { connectNode, keys } from '../../kit/soft-worlds.ts'
import { listen } from '../../store/contract/soft-state/events.ts'

const deaf: EventListener = { event: () => undefined, gap: () => undefined }
const ticks = { conversationId: aConversation(), userId: aUser(), lastDeliveredSeq: 1, lastReadSeq: 0 }
const eventually = (reached: () => void | Promise<void>) => vi.waitFor(reached, { timeout: 60_000, interval: 10 })

describe('the link to a redis-server', () => {
  let redis: RedisServer
  const undo: (() => Promise<void>)[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    redis.resume()
    for (const each of undo.splice(0)) await each()
  })
  afterAll(() => redis?.stop())

  const connect = (options: Partial<RedisLinkOptions> = {}) => {
    const node = connectNode(redis.url, options)
    undo.push(node.link.close)
    return node
  }
  const closing = ({ plain }: RedisLink) => new Promise((resolve) => plain?.subscriber.once('close', resolve))
  const subscribersOf = async (userId: UserId) => (await redis.raw.pubsub('NUMSUB', keys.channel(userId)))[1]
  const setMark = async ({ sessions }: SoftState, userId: UserId) => {
    const session = { userId, connectionId: 'phone' }
    await sessions.attach(session)
    await sessions.leave(session)
    await sessions.setPendingIndexComplete(userId)
  }
  const takeMark = async ({ sessions }: SoftState, userId: UserId) =>
    (await sessions.attach({ userId, connectionId: 'laptop' })).pendingIndexComplete

  test('a mark that a restart or a failover brings back is not believed', async () => {
    const { soft } = connect()
    const bob = aUser()
    await setMark(soft, bob)
    await redis.failover()
    expect(await redis.raw.exists(keys.pendingIndexComplete(bob))).toBe(1)
    await eventually(async () => expect(await takeMark(soft, bob)).toBe(false))
    expect(await redis.raw.exists(keys.pendingIndexComplete(bob))).toBe(0)
  })

  test('a session that has outlived its Redis process sets no mark', async () => {
    const { soft } = connect()
    const session = { userId: aUser(), connectionId: 'phone' }
    await soft.sessions.attach(session)
    await soft.sessions.leave(session)
    await redis.failover()
    await eventually(() => soft.sessions.setPendingIndexComplete(session.userId))
    expect(await takeMark(soft, session.userId)).toBe(false)
  })

  test('a Redis that does not tell which process it is gets no marks, and serves otherwise', async () => {
    const { soft } = connect()
    const bob = aUser()
    await setMark(soft, bob)
    await redis.raw.acl('SETUSER', 'default', '-info')
    expect(await takeMark(soft, bob)).toBe(false)
    await setMark(soft, aUser())
    await redis.raw.acl('SETUSER', 'default', '+info')
    expect(await redis.raw.exists(keys.pendingIndexComplete(bob))).toBe(0)
  })

  test('publishing an entry is one round trip, however many members it has', async () => {
    const { soft } = connect()
    const publish = () =>
      soft.events.publishEntry({ entry: aMessage(aConversation(), 1), members: upTo(10).map(aUser) })
    const readsOfServer = async () => Number(/total_reads_processed:(\d+)/.exec(await redis.raw.info('stats'))?.[1])
    await publish()
    const before = await readsOfServer()
    await publish()
    expect((await readsOfServer()) - before).toBe(2)
  })

  test('every call is told as one round trip', async () => {
    const told: string[] = []
    const { soft } = connect({ onRoundTrip: (name) => told.push(name) })
    const conversation = aConversation()
    await soft.sequencer.counters([conversation, aConversation()])
    await soft.events.publishEntry({ entry: aMessage(conversation, 1), members: [aUser(), aUser()] })
    await soft.events.publishBoundaries([aUser(), aUser()], ticks)
    expect(told).toEqual(['sequencer.heads', 'events.ring', 'events.tell'])
  })

  test('everything that is kept expires', async () => {
    const { soft } = connect()
    const [userId, conversationId] = [aUser(), aConversation()]
    await seedCounter(soft.sequencer, conversationId, 1)
    await soft.sequencer.reserve(conversationId, { senderId: userId, clientMessageId: aClientMessageId() })
    await soft.boundaryCache.lift({ userId, conversationId }, ticks, 0)
    await soft.activity.seed([{ conversationId, seq: 1, atMs: 1 }])
    await setMark(soft, userId)
    const session = { userId: ticks.userId, connectionId: 'phone' }
    await soft.sessions.renew([{ session, state: 'online', lasting: true }])
    const dayMs = 86_400_000
    const ttls: [string, number][] = [
      [keys.counter(conversationId), 30 * dayMs],
      [keys.activity(conversationId), 90 * dayMs],
      [keys.cachedBoundaries({ userId, conversationId }), 7 * dayMs],
      [keys.pendingIndexComplete(userId), 30 * dayMs],
      [keys.sessions(ticks.userId), 5_400_000],
      [keys.lastingSession(ticks.userId), 1_800_000],
    ]
    for (const [key, ttlMs] of ttls) {
      const left = await redis.raw.pttl(key)
      expect(left, key).toBeGreaterThan(ttlMs - 60_000)
      expect(left, key).toBeLessThanOrEqual(ttlMs)
    }
    expect((await redis.raw.keys('*')).filter((key) => !key.startsWith('parley_'))).toEqual([])
  })

  test('what is malformed, or of another version, is ignored and reported', async () => {
    const errors: string[] = []
    const { soft } = connect({ onError: ({ message }) => errors.push(message) })
    const bob = aUser()
    const listener = await listen(soft.events, bob)
    const strange = [
      'not json',
      '7',
      'null',
      '{"v":2,"type":"ticks"}',
      '{"v":1,"type":"message","message":{}}',
      '{"v":1}',
    ]
    for (const payload of strange) await redis.raw.publish(keys.channel(bob), payload)
    await soft.events.publishBoundaries([bob], ticks)
    await listener.subscription.flush()
    expect(listener.events).toEqual([{ type: 'ticks', ticks }])
    expect(errors).toEqual(strange.map(() => `Ignored a malformed event on ${keys.channel(bob)}`))
  })

  test('many listeners of one user are one subscription, which the last one ends', async () => {
    const { soft } = connect()
    const bob = aUser()
    const listeners = await Promise.all(upTo(3).map(() => listen(soft.events, bob)))
    expect(await subscribersOf(bob)).toBe(1)
    const [last, ...others] = listeners
    for (const listener of others) await listener.subscription.close()
    await last?.subscription.flush()
    expect(await subscribersOf(bob)).toBe(1)
    await last?.subscription.close()
    await eventually(async () => expect(await subscribersOf(bob)).toBe(0))
  })

  test('a subscription that is answered too late fails, and nothing of it stays', async () => {
    const { soft } = connect()
    const [bob, carol] = [aUser(), aUser()]
    await listen(soft.events, carol)
    redis.pause()
    const late = soft.events.subscribe(bob, deaf)
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    redis.resume()
    await eventually(async () => expect(await subscribersOf(carol)).toBe(1))
    await eventually(async () => expect(await subscribersOf(bob)).toBe(0))
    const listener = await listen(soft.events, bob)
    await soft.events.publishBoundaries([bob], ticks)
    await listener.subscription.flush()
    expect(listener.events).toHaveLength(1)
  })

  test('a subscription that Redis refuses fails; once it is allowed it succeeds', async () => {
    const { soft } = connect()
    const bob = aUser()
    await redis.raw.acl('SETUSER', 'default', 'resetchannels')
    await expect(soft.events.subscribe(bob, deaf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await redis.raw.acl('SETUSER', 'default', 'allchannels')
    await eventually(async () => void (await listen(soft.events, bob)))
    expect(await subscribersOf(bob)).toBe(1)
  })

  test('a subscription made while the link is broken waits until it hears', async () => {
    const { link, soft } = connect()
    const bob = aUser()
    await listen(soft.events, bob)
    const lost = closing(link)
    await redis.killSubscribers()
    await lost
    const listener = await listen(soft.events, bob)
    await soft.events.publishBoundaries([bob], ticks)
    await listener.subscription.flush()
    expect(listener).toMatchObject({ events: [{ type: 'ticks' }], gaps: 0 })
  })

  test('a Redis that falls silent is noticed by those who only listen', async () => {
    const { link, soft } = connect()
    const bob = aUser()
    const listener = await listen(soft.events, bob)
    const lost = closing(link)
    redis.pause()
    await lost
    redis.resume()
    await eventually(() => expect(listener.gaps).toBe(1))
    await soft.events.publishBoundaries([bob], ticks)
    await listener.subscription.flush()
    expect(listener.events).toHaveLength(1)
  })

  test('a flush under way when the link breaks fails at once: its mark may be lost', async () => {
    const { link, soft } = connect()
    const listener = await listen(soft.events, aUser())
    redis.pause()
    const flushed = listener.subscription.flush()
    const socket: Socket = Reflect.get(link.plain?.subscriber ?? {}, 'stream')
    socket.destroy()
    await expect(flushed).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: 'The link to Redis was lost' },
    })
    redis.resume()
    await eventually(() => expect(listener.gaps).toBe(1))
    await listener.subscription.flush()
  })

  test('closing the link is a gap for whoever still listens', async () => {
    const { link, soft } = connectNode(redis.url)
    const [open, closed] = [await listen(soft.events, aUser()), await listen(soft.events, aUser())]
    await closed.subscription.close()
    await link.close()
    expect([open.gaps, closed.gaps]).toEqual([1, 0])
    await open.subscription.close()
    await expect(soft.sequencer.counters([aConversation()])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(soft.events.subscribe(aUser(), deaf)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a Redis that died is UNAVAILABLE until it is back, and a link can be closed meanwhile', async () => {
    const { link, soft } = connect()
    const doomed = connectNode(redis.url)
    const listeners = [await listen(soft.events, aUser()), await listen(doomed.soft.events, aUser())]
    await redis.kill()
    await expect(link.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await listeners[1]?.subscription.close()
    await doomed.link.close()
    await redis.launch()
    await eventually(async () => await link.ping())
    await eventually(() => expect(listeners.map((listener) => listener.gaps)).toEqual([1, 0]))
  })
})

describe('a Redis URL', () => {
  test.each([
    ['redis://localhost', { host: 'localhost', port: 6379 }],
    ['redis://a.example:7000/2', { host: 'a.example', port: 7000, db: 2 }],
    ['redis://:s%40cret@a.example', { host: 'a.example', port: 6379, password: 's@cret' }],
    ['rediss://me:pw@[::1]:6380', { host: '::1', port: 6380, username: 'me', password: 'pw', tls: {} }],
    ['unix:///run/redis/redis.sock', { path: '/run/redis/redis.sock' }],
  ])('%s is a single server', (url, options) => {
    expect(parseRedisUrl(url)).toEqual({ cluster: false, nodes: [options] })
  })

  test('with commas is a cluster', () => {
    expect(parseRedisUrl('redis://a:1, redis://b:2,')).toEqual({
      cluster: true,
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
    })
  })

  test.each([
    ['', 'The Redis URL is empty.'],
    ['http://a', 'A Redis URL begins with redis://, rediss:// or unix://, not http://'],
    ['nonsense me:secret@', 'Not a Redis URL: nonsense me:***@'],
  ])('%o is refused, without its password', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message)
  })
})
