import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import { createDomain, type Domain } from '../../src/domain/domain.ts'
import { nullObserver } from '../../src/domain/observer.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { EventSubscription } from '../../src/ports/events.ts'
import type { LogRow, Message } from '../../src/ports/log.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { ConversationId, MessageAddress, UserId } from '../../src/protocol/ids.ts'
import { createSnowflake } from '../../src/protocol/snowflake.ts'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'
import type { Change } from './bugs/bugs.ts'
import { createHistory } from './history.ts'
import { brisk, createNetwork, unsteady } from './network.ts'
import { createRandom } from './random.ts'
import { createScheduler, type Owner } from './scheduler.ts'

/** The first is so small that a run exceeds it; the second is not always exceeded. */
const inboxLimits = [3, 12]
const requestTimeoutMs = 5000
/** For some seeds every group with somebody else in it is a large one. The seed decides without a draw, see `keepsPositions`. */
const largeGroupAboveOf = (seed: number): number => (seed % 3 === 2 ? 1 : 100)
/** Leases are held this often where the periodic resync is switched off. */
const holdEveryMs = 5000
/** This is longer than any device has to become current. */
const clockOffMsMax = 600_000

const users = ['alice', 'bob', 'carol'] as [UserId, UserId, UserId]

export type SimulatedNode = { owner: Owner; domain: Domain; deaths: Set<() => void> }

export type World = ReturnType<typeof createWorld>

/** Runs the real domain on several simulated nodes over one simulated Redis and one simulated DynamoDB. */
export function createWorld(seed: number, change?: Change) {
  const random = createRandom(seed)
  const isBrisk = random.chance(0.2)
  const scheduler = createScheduler(random, { starves: !isBrisk })
  const history = createHistory(scheduler.now)
  const network = createNetwork(scheduler, random, isBrisk ? brisk : unsteady)
  const sky: Owner = { name: 'sky', alive: true }
  const redis = createMemoryRedis(scheduler.clockOf(sky))
  const stores = createStoresEmbedded(createKeyValueMemory())
  const written = new Map<string, number>()
  let onWritten: (row: LogRow) => void = () => undefined
  let onRead: () => void = () => undefined
  const messages: Ports['messages'] = {
    ...stores.messages,
    async put(row) {
      const outcome = await stores.messages.put(row)
      if (outcome === 'written') {
        written.set(`${row.conversationId} ${row.seq}`, scheduler.now())
        onWritten(row)
      }
      return outcome
    },
  }
  const conversations: Ports['conversations'] = {
    ...stores.conversations,
    async create(conversation) {
      const { id, kind } = conversation
      const rows = kind === 'DIRECT' ? await stores.messages.above(id, 0, 1000) : []
      const isEmpty = kind === 'DIRECT' && !rows.some((row) => row.kind === 'message')
      if (isEmpty) history.note('DynamoDB', { kind: 'empty', conversationId: id })
      await stores.conversations.create(conversation)
    },
  }
  const clock = scheduler.clockOf(sky)
  const boundaries: Ports['boundaries'] = {
    ...stores.boundaries,
    async read(...args) {
      const change = await stores.boundaries.read(...args)
      onRead()
      return change
    },
  }
  const truth: Ports = { ...stores, messages, conversations, boundaries, ...createSoftStateMemory(redis), clock }
  const around = { random, redis, network, failOver, isBrisk }
  const shared = change ? change.plant(truth, around) : truth
  const withPeriodicResync = !change?.alone
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
  /** The devices of each user have seen these messages. */
  const known = new Map<UserId, Map<string, Message>>()
  let ids = 0
  let voidedByReaders = 0
  let streams = 0
  let attempts = 0

  function startNode(index: number): SimulatedNode {
    const owner: Owner = { name: `node ${index + 1}`, alive: true }
    const deaths = new Set<() => void>()
    const listen = (subscription: EventSubscription) => deaths.add(() => void subscription.close())
    const reached = network.reach(owner, shared, listen)
    const ports = change?.plantAbove?.(reached, around) ?? reached
    const plain = createDomain(ports, {
      nextMessageId: createSnowflake(scheduler.now, () => index),
      randomId: () => `connection ${++ids}`,
      onDetachError: () => undefined,
      inboxLimit,
      cacheSize: 100,
      largeGroupAbove: largeGroupAboveOf(seed),
      observer: { ...nullObserver, voided },
      feed: change?.feed === true,
    })
    const domain = change?.plantOnto?.(plain) ?? plain
    const node = { owner, domain, deaths }
    nodes[index] = node
    everySecond(node).catch(() => undefined)
    return node
  }

  function voided(by: 'reader' | 'sender'): void {
    if (by === 'reader') voidedByReaders += 1
  }

  async function everySecond({ owner, domain }: SimulatedNode): Promise<void> {
    for (;;) {
      await scheduler.sleep(owner, withPeriodicResync ? 1000 : holdEveryMs)
      await (withPeriodicResync ? domain.resyncScheduler.tick() : domain.resyncScheduler.holdLease()).catch(
        () => undefined,
      )
    }
  }

  /** Fails over to another process, which trusts no counter, version or flag of the first. */
  function failOver(): void {
    redis.failover()
    redis.cutSubscribers()
  }

  /** Steps the wall clock of a node, as when an administrator sets it. */
  function stepClock(index: number): void {
    const node = nodes[index]
    if (node) node.owner.clockOffMs = random.between(-clockOffMsMax, clockOffMsMax)
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

  /** Makes a request over a connection that may break: the node may carry it out without the client ever knowing. */
  function ask<T>(client: Owner, node: SimulatedNode, work: (domain: Domain) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void) => {
        node.deaths.delete(lost)
        cancel()
        finish()
      }
      const lost = () => settle(() => reject(new Error('connection lost')))
      if (!node.owner.alive) return reject(new Error('connection refused'))
      node.deaths.add(lost)
      const cancel = scheduler.after(client, requestTimeoutMs, lost)
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
    withPeriodicResync,
    /**
     * Whether devices let the server keep their positions. The seed decides without a draw, so that all other seeds give the runs they gave before
     * there was such a choice.
     */
    keepsPositions: [3, 11].includes(seed % 12),
    /** Whether everybody does nothing for a while, after which every event is lost. The seed decides without a draw, too. */
    growsIdle: seed % 3 === 1,
    /** Calls the function with the next row that is written, before anybody learns that it was. */
    whenWritten(call: (row: LogRow) => void): void {
      onWritten = (row) => {
        onWritten = () => undefined
        call(row)
      }
    },
    /** Calls the function when the next read boundary is written, before anybody learns that it was. */
    whenRead(call: () => void): void {
      onRead = () => {
        onRead = () => undefined
        call()
      }
    },
    /** Returns how many holes readers have voided because they took the writers for dead. */
    voidedByReaders: () => voidedByReaders,
    /** Whether calls are quick and fail only with their node. Then no reader may void the cell of a healthy write. */
    isBrisk,
    nodes,
    living,
    startNode,
    killNode,
    ask,
    failOver,
    stepClock,
    /** Returns when the row was written, in the time of the simulation; infinity if it was not. */
    writtenAtMs: ({ conversationId, seq }: MessageAddress): number =>
      written.get(`${conversationId} ${seq}`) ?? Number.POSITIVE_INFINITY,
    nextStream: () => ++streams,
    nextAttempt: () => ++attempts,
    learn,
    knownTo: (userId: UserId): Message[] => [...(known.get(userId)?.values() ?? [])],
    users,
    /** The direct chats, of two users or of one. */
    chats,
    /** The groups that a user was told of. */
    groups,
    /** Returns the conversations that the user may try: their direct chats, and every group, whether they are in it or not. */
    idsFor: (userId: UserId): ConversationId[] => [
      ...chats.filter(({ members }) => members.includes(userId)).map(({ id }) => id),
      ...groups,
    ],
  }
}
