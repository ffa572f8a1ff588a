import type { Socket } from 'node:net'
import { Redis } from 'ioredis'
import { createRedisServer } from 'js-redis-server'
import type { RedisLink, RedisLinkOptions } from '../../src/engine/redis/client.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { SoftState } from '../../src/ports/ports.ts'
import type { Session } from '../../src/ports/soft-state.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { createRedisKeys, defaultKeyPrefix } from '../../src/store/redis/keys.ts'
import { createRedisStoreLink } from '../../src/store/redis/link.ts'
import { leaseTtlMs } from '../../src/store/redis/session-leases.ts'
import { createSoftStateRedis } from '../../src/store/redis/soft-state.ts'
import { killSubscribers, startRedis } from './services/redis.ts'
import { startRedisCluster } from './services/redis-cluster.ts'
import { waitUntil } from './wait-until.ts'

/** A backing of the soft ports, with faults on demand. */
export type SoftWorld = {
  isCluster?: boolean
  /** Two nodes share it. */
  here: SoftState
  there: SoftState
  forget(): Promise<void>
  /** Ends the TTL of this session. */
  expire(userId: UserId, connectionId: string): Promise<void>
  /** Returns how long this session lives, unless its lease ends or it is renewed. */
  livesMs(session: Session): Promise<number>
  /** Makes it long ago that this lease was held. */
  endLease(leaseId: string): Promise<void>
  /** Makes Redis forget when this user was last seen. */
  forgetSeen(userId: UserId): Promise<void>
  /** Breaks every subscribing connection; both nodes reconnect by themselves. */
  cutSubscribers(): Promise<void>
  /** Answers nothing until the returned function is called. */
  goDown(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

type SoftBackend = { name: string; start(): Promise<SoftWorld> }

export const keys = createRedisKeys(defaultKeyPrefix)

export const softBackends: SoftBackend[] = [
  { name: 'redis-server', start: () => startOnRedisServer() },
  { name: "redis-server, by ioredis's own commands", start: () => startOnRedisServer({ commandStyle: 'plain' }) },
  { name: 'js-redis-server', start: startOnJsRedis },
  { name: 'a cluster of three', start: startOnCluster },
  { name: 'memory', start: startInMemory },
]

async function startOnRedisServer(options: Partial<RedisLinkOptions> = {}): Promise<SoftWorld> {
  const redis = await startRedis()
  const { close, ...nodes } = connectNodes(redis.url, options)
  return {
    ...nodes,
    forget: redis.flush,
    expire: (userId, connectionId) => expireIn(redis.raw, userId, connectionId),
    livesMs: (session) => livesMsIn(redis.raw, session),
    endLease: (leaseId) => endLeaseIn(redis.raw, leaseId),
    forgetSeen: async (userId) => void (await redis.raw.del(keys.seen(userId))),
    cutSubscribers: redis.killSubscribers,
    async goDown() {
      redis.pause()
      return async () => void redis.resume()
    },
    async stop() {
      await close()
      await redis.stop()
    },
  }
}

async function startOnCluster(): Promise<SoftWorld> {
  const cluster = await startRedisCluster()
  const { close, ...nodes } = connectNodes(cluster.url)
  return {
    ...nodes,
    isCluster: true,
    forget: cluster.flush,
    expire: (userId, connectionId) => expireIn(cluster.raw, userId, connectionId),
    livesMs: (session) => livesMsIn(cluster.raw, session),
    endLease: (leaseId) => endLeaseIn(cluster.raw, leaseId),
    forgetSeen: async (userId) => void (await cluster.raw.del(keys.seen(userId))),
    cutSubscribers: cluster.killSubscribers,
    async goDown() {
      cluster.pause()
      return async () => void cluster.resume()
    },
    async stop() {
      await close()
      await cluster.stop()
    },
  }
}

/** Starts the Redis that is embedded where redis-server is not installed. */
async function startOnJsRedis(): Promise<SoftWorld> {
  let server = await startJsRedis(0)
  const { port } = server
  const raw = new Redis(port, { maxRetriesPerRequest: null, retryStrategy: () => 10 })
  raw.on('error', () => undefined)
  const { close, ...nodes } = connectNodes(`redis://127.0.0.1:${port}`)
  return {
    ...nodes,
    async forget() {
      await raw.flushall()
      // Its TIME has whole milliseconds, and two versions of one millisecond would be the same.
      const flushedAt = String(await raw.time())
      await waitUntil(async () => String(await raw.time()) !== flushedAt, { interval: 1 })
    },
    expire: (userId, connectionId) => expireIn(raw, userId, connectionId),
    livesMs: (session) => livesMsIn(raw, session),
    endLease: (leaseId) => endLeaseIn(raw, leaseId),
    forgetSeen: async (userId) => void (await raw.del(keys.seen(userId))),
    cutSubscribers: () => killSubscribers(raw),
    async goDown() {
      await server.stop()
      return async () => {
        server = await startJsRedis(port)
      }
    },
    async stop() {
      await close()
      raw.disconnect()
      await server.stop()
    },
  }
}

async function startJsRedis(wantedPort: number) {
  const { port, server, close } = await createRedisServer({ port: wantedPort })
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket) => sockets.add(socket))
  return {
    port,
    async stop(): Promise<void> {
      const closed = close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function startInMemory(): Promise<SoftWorld> {
  const redis = createMemoryRedis(frozenClock)
  return {
    here: createSoftStateMemory(redis),
    there: createSoftStateMemory(redis),
    forget: async () => redis.flush(),
    async expire(userId, connectionId) {
      const session = redis.sessions.get(userId)?.byConnection.get(connectionId)
      if (session) session.expiresAtMs = frozenClock.now()
    },
    async livesMs(session) {
      const { byConnection } = redis.sessions.get(session.userId) ?? {}
      return (byConnection?.get(fieldOf(session))?.expiresAtMs ?? 0) - frozenClock.now()
    },
    async endLease(leaseId) {
      const held = redis.leases.get(leaseId)
      if (held) held.heldAtMs -= leaseTtlMs
    },
    forgetSeen: async (userId) => redis.seen.delete(userId),
    cutSubscribers: async () => redis.cutSubscribers(),
    async goDown() {
      redis.setDown(true)
      return async () => redis.setDown(false)
    },
    stop: async () => undefined,
  }
}

/** Timeouts are long: the machine may be busy, and these tests are not about that. */
export function connectNode(
  url: string,
  options: Partial<RedisLinkOptions> = {},
): { link: RedisLink; soft: SoftState } {
  const link = createRedisStoreLink({ url, commandTimeoutMs: 2500, ...options })
  return { link, soft: createSoftStateRedis(link) }
}

function connectNodes(url: string, options: Partial<RedisLinkOptions> = {}) {
  const nodes = [connectNode(url, options), connectNode(url, options)] as const
  return {
    here: nodes[0].soft,
    there: nodes[1].soft,
    close: async () => void (await Promise.all(nodes.map(({ link }) => link.close()))),
  }
}

type HashCommands = { hget(key: string, field: string): Promise<string | null>; hset: Redis['hset'] }

async function expireIn(raw: HashCommands, userId: UserId, connectionId: string): Promise<void> {
  const session = await raw.hget(keys.sessions(userId), connectionId)
  if (session) await raw.hset(keys.sessions(userId), connectionId, session.replace(/\d+$/, '1'))
}

const fieldOf = ({ leaseId, connectionId }: Session): string =>
  leaseId === undefined ? connectionId : `${leaseId}.${connectionId}`

/** The tests and Redis are on one machine, so they have one time. */
async function livesMsIn(raw: HashCommands, session: Session): Promise<number> {
  const stored = await raw.hget(keys.sessions(session.userId), fieldOf(session))
  return Number(stored?.split('|').at(-1)) - Date.now()
}

async function endLeaseIn(raw: HashCommands, leaseId: string): Promise<void> {
  const [heldAtMs, runId] = ((await raw.hget(keys.sessionLeases, leaseId)) ?? '0 -').split(' ')
  await raw.hset(keys.sessionLeases, leaseId, `${Number(heldAtMs) - leaseTtlMs} ${runId}`)
}

const frozenClock: Clock = {
  now: () => 1_800_000_000_000,
  monotonic: () => 1_800_000_000_000,
  sleep: async () => undefined,
}
