import { directConversationId } from '../../src/domain/conversation-id.ts'
import { createDomain, type Domain } from '../../src/domain/domain.ts'
import type { EventSubscription } from '../../src/ports/events.ts'
import type { Message } from '../../src/ports/log.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { createSnowflake } from '../../src/protocol/snowflake.ts'
import { createMemoryRedis } from '../../src/store/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/soft-state.memory.ts'
import { createStoresMemory } from '../../src/store/stores.memory.ts'
import type { Change } from './bugs.ts'
import { createHistory } from './history.ts'
import { createNetwork } from './network.ts'
import { createRandom } from './random.ts'
import { createScheduler, type Owner } from './scheduler.ts'

/** Small, so that a simulated run meets it; or not quite so small, so that it does not always. */
const inboxLimits = [3, 12]
const requestTimeoutMs = 5000
/** Of the sessions, where the rest of the beat is switched off. */
const renewEveryMs = 10_000

const users = ['alice', 'bob', 'carol'] as [UserId, UserId, UserId]

export type SimulatedNode = { owner: Owner; domain: Domain; deaths: Set<() => void> }

export type World = ReturnType<typeof createWorld>

/** The real domain on several simulated nodes over one simulated Redis and one simulated DynamoDB. */
export function createWorld(seed: number, change?: Change) {
  const random = createRandom(seed)
  const scheduler = createScheduler(random)
  const history = createHistory(scheduler.now)
  const network = createNetwork(scheduler, random)
  const sky: Owner = { name: 'sky', alive: true }
  const redis = createMemoryRedis(scheduler.clockOf(sky))
  const truth: Ports = { ...createStoresMemory(), ...createSoftStateMemory(redis), clock: scheduler.clockOf(sky) }
  const shared = change ? change.plant(truth, { random, redis, network, failOver }) : truth
  const withBeat = !change?.alone
  const nodes: SimulatedNode[] = []
  const inboxLimit = random.pick(inboxLimits)
  const [alice, bob, carol] = users
  const chats = (
    [
      [alice, bob],
      [alice, carol],
      [bob, bob],
    ] as [UserId, UserId][]
  ).map((members) => ({
    id: directConversationId(...members),
    members,
  }))
  const groups = new Set<ConversationId>()
  /** By user, the messages their devices have seen. */
  const known = new Map<UserId, Map<string, Message>>()
  let ids = 0
  let streams = 0
  let attempts = 0

  function startNode(index: number): SimulatedNode {
    const owner: Owner = { name: `node ${index + 1}`, alive: true }
    const deaths = new Set<() => void>()
    const listen = (subscription: EventSubscription) => deaths.add(() => void subscription.close())
    const reached = network.reach(owner, shared, listen)
    const ports = change?.plantAbove?.(reached) ?? reached
    const plain = createDomain(ports, {
      nextMessageId: createSnowflake(scheduler.now, () => index),
      randomId: () => `connection ${++ids}`,
      onDetachError: () => undefined,
      inboxLimit,
      cacheSize: 100,
    })
    const domain = change?.plantOnto?.(plain) ?? plain
    const node = { owner, domain, deaths }
    nodes[index] = node
    beat(node).catch(() => undefined)
    return node
  }

  async function beat({ owner, domain }: SimulatedNode): Promise<void> {
    for (;;) {
      await scheduler.sleep(owner, withBeat ? 1000 : renewEveryMs)
      await (withBeat ? domain.beat.tick() : domain.beat.renew()).catch(() => undefined)
    }
  }

  /** To a replica that lags behind. */
  function failOver(): void {
    redis.failover()
    for (const id of [...chats.map((chat) => chat.id), ...groups]) {
      const counter = redis.counters.get(id)
      if (counter !== undefined && random.chance(0.7))
        redis.counters.set(id, Math.max(1, counter - random.between(1, 3)), 1e9)
    }
    redis.cutSubscribers()
  }

  function learn(userId: UserId, message: Message): void {
    known.set(userId, (known.get(userId) ?? new Map()).set(`${message.conversationId} ${message.seq}`, message))
  }

  function killNode(index: number): void {
    const node = nodes[index]
    if (!node?.owner.alive) return
    node.owner.alive = false
    for (const die of node.deaths) die()
  }

  const living = (): SimulatedNode[] => nodes.filter(({ owner }) => owner.alive)

  /** A request over a connection that may break: what the node does may be done without the client ever knowing. */
  function ask<T>(client: Owner, node: SimulatedNode, work: (domain: Domain) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const answered = new AbortController()
      const settle = (finish: () => void) => {
        node.deaths.delete(lost)
        answered.abort('answered')
        finish()
      }
      const lost = () => settle(() => reject(new Error('connection lost')))
      if (!node.owner.alive) return reject(new Error('connection refused'))
      node.deaths.add(lost)
      void scheduler.sleep(client, requestTimeoutMs, answered.signal).then(lost)
      work(node.domain).then(
        (value) => scheduler.turn(client).then(() => settle(() => resolve(value))),
        (error: unknown) => scheduler.turn(client).then(() => settle(() => reject(error))),
      )
    })
  }

  for (let index = 0; index < 3; index += 1) startNode(index)

  return {
    random,
    scheduler,
    history,
    network,
    redis,
    truth: shared,
    withBeat,
    nodes,
    living,
    startNode,
    killNode,
    ask,
    failOver,
    nextStream: () => ++streams,
    nextAttempt: () => ++attempts,
    learn,
    knownTo: (userId: UserId): Message[] => [...(known.get(userId)?.values() ?? [])],
    users,
    /** Of two, or of one. */
    chats,
    /** Those that somebody was told exist. */
    groups,
    /** What the user may try: their direct chats, and every group, whether they are in it or not. */
    idsFor: (userId: UserId): ConversationId[] => [
      ...chats.filter(({ members }) => members.includes(userId)).map(({ id }) => id),
      ...groups,
    ],
  }
}
