import type { Domain } from '../../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { BoundaryStore } from '../../../src/ports/delivery.ts'
import type { LiveStream } from '../../../src/ports/live-stream.ts'
import type { Claim, Change as LoggedChange, LogRow, Message, MessageLog, Reaction } from '../../../src/ports/log.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { type MemberBoundaries, noBoundaries } from '../../../src/protocol/ticks.ts'
import { createMessagesEmbedded } from '../../../src/store/embedded/messages.ts'
import type { MemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import type { Network } from '../network.ts'
import type { Random } from '../random.ts'
import { deviceBugs } from './device-bugs.ts'
import { feedBugs } from './feed-bugs.ts'
import { groupBugs } from './group-bugs.ts'
import { holeBugs } from './hole-bugs.ts'
import { idleBugs } from './idle-bugs.ts'

/** For `isBrisk` see world.ts: then a bug may not delay what is otherwise quick. */
export type BugContext = {
  random: Random
  redis: MemoryRedis
  network: Network
  failOver: () => void
  isBrisk: boolean
}

/**
 * Changes the ports, never the code itself. With `alone`, the periodic resync is switched off, as it would repair the damage, and events are
 * not lost at random, as only the periodic resync repairs that.
 */
export type Change = {
  name: string
  alone?: true
  /** Everything is announced in the feed, and the feed is read. */
  feed?: true
  plant(ports: Ports, around: BugContext): Ports
  /** Does the same on the nodes' side of the network. */
  plantAbove?(ports: Ports, around: BugContext): Ports
  /** Changes what a node does for its clients. */
  plantOnto?(domain: Domain): Domain
}

/** Each is a plausible mistake, and a seed that shows it. */
export type Bug = Change & { seed: number }

/** This is no bug. It tests the index and the events by themselves, without the periodic resync as a safety net. */
export const withoutPeriodicResync: Change = { name: 'no beat', alone: true, plant: (ports) => ports }

const messageBugs: Bug[] = [
  {
    name: 'no write condition',
    seed: 1,
    plant: (ports) => ({ ...ports, messages: overwriting(ports.messages, () => true) }),
  },
  {
    name: 'a void is written without a condition',
    seed: 11,
    plant: (ports, { random }) => {
      const messages = overwriting(ports.messages, ({ kind }) => kind === 'void')
      return {
        ...ports,
        messages: {
          ...messages,
          async put(row) {
            // This gives a slow writer time, and does no harm by itself.
            if (row.kind === 'void') await ports.clock.sleep(random.below(1000))
            return messages.put(row)
          },
        },
      }
    },
  },
  {
    name: 'readers pass a hole without voiding it',
    seed: 2,
    plant: (ports) => ({
      ...ports,
      messages: {
        ...ports.messages,
        put: async (row) => (row.kind === 'void' ? 'written' : ports.messages.put(row)),
      },
    }),
  },
  {
    name: 'acknowledged before the put',
    seed: 1,
    plant(ports, { random }) {
      const unwritten: LogRow[] = []
      return {
        ...ports,
        messages: {
          ...ports.messages,
          async put(row) {
            for (const each of unwritten.splice(0)) if (random.chance(0.9)) await ports.messages.put(each)
            if (row.kind === 'void' || (await ports.messages.get(row))) return ports.messages.put(row)
            unwritten.push(row)
            return 'written'
          },
        },
      }
    },
  },
  {
    name: 'no dedupe',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      claims: { ...ports.claims, claim: async (claim) => claim, get: async () => undefined },
    }),
  },
  {
    name: 'claims expire',
    seed: 1,
    plant(ports) {
      const madeAtMs = new Map<string, number>()
      const keyOf = ({ senderId, clientMessageId }: Pick<Claim, 'senderId' | 'clientMessageId'>) =>
        `${senderId} ${clientMessageId}`
      const expired = (key: string) => ports.clock.now() - (madeAtMs.get(key) ?? Number.POSITIVE_INFINITY) > 2000
      const renewed = new Map<string, Claim>()
      return {
        ...ports,
        claims: {
          ...ports.claims,
          async claim(claim) {
            const key = keyOf(claim)
            const standing = renewed.get(key) ?? (await ports.claims.claim(claim))
            if (!expired(key)) {
              madeAtMs.set(key, madeAtMs.get(key) ?? ports.clock.now())
              return standing
            }
            madeAtMs.set(key, ports.clock.now())
            renewed.set(key, { ...claim })
            return claim
          },
          async get(senderId, clientMessageId) {
            const key = keyOf({ senderId, clientMessageId })
            return expired(key) ? undefined : (renewed.get(key) ?? ports.claims.get(senderId, clientMessageId))
          },
          async move(claim, toSeq) {
            const own = renewed.get(keyOf(claim))
            if (!own) return ports.claims.move(claim, toSeq)
            if (own.seq !== claim.seq) return false
            own.seq = toSeq
            return true
          },
        },
      }
    },
  },
  {
    name: 'a claim is moved without a condition',
    seed: 23,
    plant: (ports, { random }) => ({
      ...ports,
      claims: {
        ...ports.claims,
        async move(claim, toSeq) {
          // This gives another attempt time, and does no harm by itself.
          await ports.clock.sleep(random.below(2000))
          const standing = await ports.claims.get(claim.senderId, claim.clientMessageId)
          return ports.claims.move(standing ?? claim, toSeq)
        },
      },
    }),
  },
  {
    name: 'published before the put',
    seed: 16,
    plant: (ports) => ({
      ...ports,
      messages: {
        ...ports.messages,
        async put(row) {
          const [conversation] = await ports.conversations.getMany([row.conversationId])
          if (row.kind === 'message' && conversation) {
            await ports.events.publishEntry({ entry: row, members: conversation.members }).catch(() => undefined)
          }
          return ports.messages.put(row)
        },
      },
    }),
  },
  {
    name: 'ticks are set without a condition',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      boundaries: changedBoundaries(ports.boundaries, (seq, before) => ({ ...before, lastDeliveredSeq: seq })),
    }),
  },
  {
    name: 'a read does not lift delivered',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      boundaries: changedBoundaries(
        ports.boundaries,
        (seq, before) => ({ ...before, lastDeliveredSeq: Math.max(seq, before.lastDeliveredSeq) }),
        (seq, before) => ({ ...before, lastReadSeq: Math.max(seq, before.lastReadSeq) }),
      ),
    }),
  },
  {
    name: 'a reply reads what is still on its way',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      boundaryCache: {
        ...ports.boundaryCache,
        async get(member) {
          const cached = await ports.boundaryCache.get(member)
          const [last] = await ports.messages.below(member.conversationId, Number.MAX_SAFE_INTEGER, 1)
          return cached && { ...cached, lastDeliveredSeq: last?.seq ?? 0 }
        },
      },
    }),
  },
  {
    name: 'a buffer is shared between subscribers',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        async subscribe(userId, listener) {
          const other = (userId === 'bob' ? 'carol' : 'bob') as UserId
          const leak = await ports.events.subscribe(other, listener)
          const own = await ports.events.subscribe(userId, listener)
          return {
            flush: own.flush,
            close: async () => {
              await leak.close()
              await own.close()
            },
          }
        },
      },
    }),
  },
  {
    name: 'a straggler is lost: no second ring',
    seed: 85,
    alone: true,
    plant: (ports, { random }) => ({
      ...ports,
      pending: {
        ...ports.pending,
        async lower(...args) {
          // This gives a user time to attach in between, which happens too seldom otherwise. It does no harm by itself.
          await ports.clock.sleep(random.below(4000))
          await ports.pending.lower(...args)
        },
      },
      events: {
        ...ports.events,
        publishEntry: (entry) => ports.events.publishEntry(entry.pendingWritten ? { ...entry, members: [] } : entry),
        async subscribe(...args) {
          await ports.clock.sleep(random.below(2000))
          return ports.events.subscribe(...args)
        },
      },
    }),
  },
  {
    name: 'everybody counts as attached',
    seed: 1,
    alone: true,
    plant: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        async publishEntry(entry) {
          await ports.events.publishEntry(entry)
          return nobodyAbsent
        },
      },
    }),
  },
  {
    name: 'the mark is never taken',
    seed: 60,
    alone: true,
    plant(ports, { random }) {
      const flagged = new Set<UserId>()
      return {
        ...ports,
        sessions: {
          ...ports.sessions,
          async attach(session) {
            const { pendingIndexComplete } = await ports.sessions.attach(session)
            return { pendingIndexComplete: pendingIndexComplete || flagged.has(session.userId) }
          },
          async leave(session) {
            // A detach may fail; that does no harm by itself.
            if (random.chance(0.3)) throw unavailable()
            await ports.sessions.leave(session)
          },
          async setPendingIndexComplete(userId) {
            flagged.add(userId)
            await ports.sessions.setPendingIndexComplete(userId)
          },
        },
      }
    },
  },
  {
    name: 'a broken link goes unnoticed',
    seed: 41,
    alone: true,
    plant: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        subscribe: (userId, listener) => ports.events.subscribe(userId, { ...listener, gap: () => undefined }),
        subscribeGroup: (id, listener) => ports.events.subscribeGroup(id, { ...listener, gap: () => undefined }),
      },
    }),
  },
  {
    name: 'a flush does not wait',
    seed: 1056,
    alone: true,
    plant: (ports) => ports,
    plantAbove: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        subscribe: async (userId, listener) => ({
          ...(await ports.events.subscribe(userId, listener)),
          flush: async () => undefined,
        }),
      },
    }),
  },
  {
    name: 'the pending row is not a minimum',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      pending: {
        ...ports.pending,
        async lower(receiverId, conversationId, seq) {
          await ports.pending.remove(receiverId, conversationId, Number.MAX_SAFE_INTEGER)
          await ports.pending.lower(receiverId, conversationId, seq)
        },
      },
    }),
  },
  {
    name: 'a pending row is deleted without looking again',
    seed: 287,
    plant(ports) {
      const justRemoved = new Set<string>()
      return {
        ...ports,
        pending: {
          ...ports.pending,
          async remove(receiverId, conversationId, upTo) {
            justRemoved.add(conversationId)
            await ports.pending.remove(receiverId, conversationId, upTo)
          },
        },
        messages: {
          ...ports.messages,
          above: async (id, after, limit) =>
            limit === 1 && justRemoved.delete(id) ? [] : ports.messages.above(id, after, limit),
        },
      }
    },
  },
  {
    name: 'a session vouches under another Redis process',
    seed: 1100,
    plant: (ports, { random, redis, network, failOver }) => ({
      ...ports,
      events: {
        ...ports.events,
        subscribe: (userId, { event, gap }) =>
          ports.events.subscribe(userId, { gap, event: (each) => network.losesEvents() || event(each) }),
      },
      sessions: {
        ...ports.sessions,
        // A user who is about to leave gets a message, the event is lost, and Redis fails over. That is too rare otherwise, and does no harm by itself.
        async leave(session) {
          await ports.clock.sleep(random.below(3000))
          await ports.sessions.leave(session)
        },
        async setPendingIndexComplete(userId) {
          if (network.losesEvents() && userId === 'carol') for (let times = 0; times < 3; times += 1) failOver()
          const sessions = redis.sessions.get(userId)
          if (sessions) sessions.runId = redis.runId()
          await ports.sessions.setPendingIndexComplete(userId)
        },
      },
    }),
  },
  {
    name: 'two first attempts take each other for a conflict',
    seed: 7,
    plant: (ports) => ports,
    plantAbove(ports) {
      const known = new Set<ConversationId>()
      return {
        ...ports,
        conversations: {
          ...ports.conversations,
          async getMany(ids) {
            const found = await ports.conversations.getMany(ids)
            for (const { id } of found) known.add(id)
            return found
          },
          async create(conversation) {
            known.add(conversation.id)
            await ports.conversations.create(conversation)
          },
        },
        claims: {
          ...ports.claims,
          async get(senderId, clientMessageId) {
            const claim = await ports.claims.get(senderId, clientMessageId)
            if (!claim || known.has(claim.conversationId)) return claim
            return { ...claim, conversationId: 'another' as ConversationId }
          },
        },
      }
    },
  },
  {
    name: 'a late edit wins',
    seed: 54,
    plant: (ports) => ({
      ...ports,
      messages: showing(ports.messages, (message, { seq, sentAtMs, alteration }) =>
        alteration.type === 'edit' && message.deletedAtMs === undefined
          ? { ...message, body: alteration.body, edited: { seq, atMs: sentAtMs } }
          : undefined,
      ),
    }),
  },
  {
    name: 'an edit brings a deleted message back',
    seed: 18,
    plant: (ports) => ({
      ...ports,
      messages: showing(ports.messages, ({ deletedAtMs, ...message }, { seq, sentAtMs, alteration }) =>
        alteration.type === 'edit' && deletedAtMs !== undefined && (message.edited?.seq ?? 0) <= seq
          ? { ...message, body: alteration.body, edited: { seq, atMs: sentAtMs } }
          : undefined,
      ),
    }),
  },
  {
    name: 'a reaction that was taken back is forgotten',
    seed: 2,
    plant: (ports) => ({
      ...ports,
      messages: showing(ports.messages, (message, { seq, senderId, alteration }) => {
        if (alteration.type !== 'reaction' || message.deletedAtMs !== undefined) return undefined
        const { emoji, on } = alteration
        const isSame = (each: Reaction) => each.emoji === emoji && each.userId === senderId
        const reactions = message.reactions ?? []
        if (reactions.some((each) => isSame(each) && each.seq > seq)) return undefined
        const others = reactions.filter((each) => !isSame(each))
        return { ...message, reactions: on ? [...others, { emoji, userId: senderId, seq, on }] : others }
      }),
    }),
  },
  {
    name: 'a change is applied before it is in the log',
    seed: 31,
    plant: (ports) => ports,
    plantAbove: (ports) => ({
      ...ports,
      messages: {
        ...ports.messages,
        async put(row) {
          if (row.kind === 'change') await ports.messages.alter(row)
          return ports.messages.put(row)
        },
      },
    }),
  },
  {
    name: 'a retry does not apply the change it finds',
    seed: 20,
    plant: (ports) => ports,
    plantAbove(ports) {
      const found = new Set<string>()
      return {
        ...ports,
        messages: {
          ...ports.messages,
          async put(row) {
            const outcome = await ports.messages.put(row)
            if (row.kind === 'change' && outcome === 'taken') found.add(row.clientMessageId)
            return outcome
          },
          async alter(change) {
            if (!found.delete(change.clientMessageId)) return ports.messages.alter(change)
            const row = await ports.messages.get({ ...change, seq: change.targetSeq })
            return row?.kind === 'message' ? row : undefined
          },
        },
      }
    },
  },
  {
    name: 'an event brings the message as it was before',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      messages: {
        ...ports.messages,
        async alter(change) {
          const before = await ports.messages.get({ ...change, seq: change.targetSeq })
          const now = await ports.messages.alter(change)
          return before?.kind === 'message' ? before : now
        },
      },
    }),
  },
  {
    name: 'a retry is judged anew',
    seed: 1,
    plant: (ports) => ({ ...ports, claims: { ...ports.claims, get: async () => undefined } }),
  },
  {
    name: 'a change is not rung for',
    seed: 3,
    alone: true,
    plant: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        publishEntry: async (published) =>
          published.entry.kind === 'change' ? nobodyAbsent : ports.events.publishEntry(published),
      },
    }),
  },
]

const streamBugs: Bug[] = [
  {
    name: 'a stream is not past what it handed over',
    seed: 1,
    plant: (ports) => ports,
    plantOnto: (domain) =>
      withStreams(domain, (stream) => ({
        ...iterating(stream),
        setSink: (sink) =>
          stream.setSink({
            tryPush(item) {
              sink.tryPush(item)
              return false
            },
          }),
      })),
  },
  {
    name: 'what is declined counts as handed over',
    seed: 1,
    plant: (ports) => ports,
    plantOnto: (domain) =>
      withStreams(domain, (stream) => ({
        ...iterating(stream),
        setSink: (sink) =>
          stream.setSink({
            tryPush(item) {
              sink.tryPush(item)
              return true
            },
          }),
      })),
  },
  {
    name: 'something is handed over past what waits',
    seed: 5,
    plant: (ports) => ports,
    plantOnto: (domain) =>
      withStreams(domain, (stream) => {
        let ahead: ReturnType<typeof stream.next> | undefined
        return {
          ...iterating(stream),
          next() {
            const next = ahead ?? stream.next()
            ahead = next.then((result) => (result.done ? result : stream.next()))
            ahead.catch(() => undefined)
            return next
          },
        }
      }),
  },
]

const nobodyAbsent = { absent: [], overtaken: [] }

/**
 * No seed is known that shows these bugs, so each has the test that shows it: they need faults in an order that hardly ever comes by chance.
 * The first hundreds of seeds do not show them; `npm run simulate -- --find-bugs` looks further.
 */
export const shownElsewhere: ReadonlyMap<string, string> = new Map([
  ['a flush does not wait', 'test/store/contract/soft-state/events.ts'],
  ['a session vouches under another Redis process', 'test/store/redis-failback.test.ts'],
  ['a version that comes late is believed', 'test/store/contract/soft-state/versions.ts'],
  ['a change of the group goes below its version', 'test/domain/conversations/group-changes.test.ts'],
  ['a counter is seeded by one who read the log before', 'test/store/contract/soft-state/sequencer.ts'],
  ['an ack that failed is not told later', 'test/domain/streams/idle-lists-and-ticks.test.ts'],
  ['a stamp survives a failover', 'test/store/redis-failback.test.ts'],
  ['the position of a device is what it has acked last, not most', 'test/store/contract/device-positions.ts'],
])

export const bugs: Bug[] = [
  ...messageBugs,
  ...groupBugs,
  ...streamBugs,
  ...holeBugs,
  ...deviceBugs,
  ...idleBugs,
  ...feedBugs,
]

function withStreams(domain: Domain, change: <T>(stream: LiveStream<T>) => LiveStream<T>): Domain {
  return {
    ...domain,
    follow: async (request) => change(await domain.follow(request)),
    followChanges: async (request) => change(await domain.followChanges(request)),
  }
}

const iterating = <T>(stream: LiveStream<T>): LiveStream<T> => ({
  next: () => stream.next(),
  return: async () => (await stream.return?.()) ?? { done: true, value: undefined },
  setSink: (sink) => stream.setSink(sink),
  [Symbol.asyncIterator]() {
    return this
  },
})

function overwriting(log: MessageLog, without: (row: LogRow) => boolean): MessageLog {
  const written = new Map<string, LogRow>()
  const keyOf = ({ conversationId, seq }: Pick<LogRow, 'conversationId' | 'seq'>) => `${conversationId} ${seq}`
  const now = (row: LogRow): LogRow => written.get(keyOf(row)) ?? row
  return {
    ...log,
    async put(row) {
      const outcome = await log.put(row)
      if (outcome === 'written' || !without(row)) return outcome
      written.set(keyOf(row), row)
      return 'written'
    },
    get: async (address) => {
      const row = await log.get(address)
      return row && now(row)
    },
    getMany: async (addresses) => (await log.getMany(addresses)).map(now),
    above: async (...args) => (await log.above(...args)).map(now),
    below: async (...args) => (await log.below(...args)).map(now),
  }
}

/** `show` returns the message in a wrong state, or undefined to leave it right. */
function showing(log: MessageLog, show: (message: Message, change: LoggedChange) => Message | undefined): MessageLog {
  const altered = new Map<string, Message>()
  const keyOf = ({ conversationId, seq }: Pick<LogRow, 'conversationId' | 'seq'>) => `${conversationId} ${seq}`
  const now = (row: LogRow): LogRow => altered.get(keyOf(row)) ?? row
  return {
    ...log,
    async alter(change) {
      const row = await log.get({ ...change, seq: change.targetSeq })
      const message = row && now(row)
      if (message?.kind !== 'message') return undefined
      const next = show(message, change) ?? (await rightly(message, change))
      altered.set(keyOf(message), next)
      return { ...next }
    },
    get: async (address) => {
      const row = await log.get(address)
      return row && now(row)
    },
    getMany: async (addresses) => (await log.getMany(addresses)).map(now),
    above: async (...args) => (await log.above(...args)).map(now),
    below: async (...args) => (await log.below(...args)).map(now),
  }
}

async function rightly(message: Message, change: LoggedChange): Promise<Message> {
  const log = createMessagesEmbedded(createKeyValueMemory())
  await log.put(message)
  return (await log.alter(change)) ?? message
}

type Move = (seq: number, before: MemberBoundaries) => MemberBoundaries

function changedBoundaries(store: BoundaryStore, deliver: Move, read: Move = deliver): BoundaryStore {
  const rows = new Map<string, MemberBoundaries>()
  const keyOf = ({ userId, conversationId }: Pick<MemberBoundaries, 'userId' | 'conversationId'>) =>
    `${userId} ${conversationId}`
  const rowOf = (member: Pick<MemberBoundaries, 'userId' | 'conversationId'>): MemberBoundaries =>
    rows.get(keyOf(member)) ?? { ...noBoundaries, ...member }
  const change = async (member: Pick<MemberBoundaries, 'userId' | 'conversationId'>, seq: number, how: Move) => {
    const boundaries = how(seq, rowOf(member))
    rows.set(keyOf(member), boundaries)
    return { boundaries, changed: true }
  }
  return {
    ...store,
    deliver: (member, seq) => change(member, seq, deliver),
    read: (member, seq) => change(member, seq, read),
    getMany: async (members) => members.map(rowOf),
    ofUser: async (userId) => [...rows.values()].filter((row) => row.userId === userId),
  }
}
