import type { Member } from '../../../src/domain/conversations/access.ts'
import type { EventListener, Events } from '../../../src/ports/events.ts'
import type { LogRow } from '../../../src/ports/log.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { GroupTicks } from '../../../src/protocol/group-ticks.ts'
import { type ConversationId, isGroupId, type Seq } from '../../../src/protocol/ids.ts'
import type { Bug } from './bugs.ts'

/** These are mistakes with the membership of groups, and with what is told to a group as a whole. */
export const groupBugs: Bug[] = [
  {
    name: 'rises that are told together are all those of the fastest member',
    seed: 35,
    plant: (ports) => ports,
    plantAbove: (ports) => ({ ...ports, events: tellsTheFastest(ports.events) }),
  },
  {
    name: 'a group is founded anew by every attempt',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      claims: {
        ...ports.claims,
        claim: async (claim) => (claim.clientMessageId.startsWith('#') ? claim : ports.claims.claim(claim)),
      },
    }),
  },
  {
    name: 'readers do not look at changes of the group',
    seed: 1,
    plant(ports) {
      const passOver = (row: LogRow): LogRow =>
        row.kind === 'group' ? { kind: 'void', conversationId: row.conversationId, seq: row.seq } : row
      return {
        ...ports,
        messages: { ...ports.messages, above: async (...args) => (await ports.messages.above(...args)).map(passOver) },
        events: {
          ...ports.events,
          publishGroupEntry: async (entry) =>
            entry.kind === 'group' ? undefined : ports.events.publishGroupEntry(entry),
        },
      }
    },
  },
  {
    name: 'a change of the group counts as decided once it is in the log',
    seed: 37,
    plant(ports, { random }) {
      const decided = (row: LogRow): LogRow => (row.kind === 'group' ? { ...row, applied: true } : row)
      return {
        ...ports,
        messages: { ...ports.messages, above: async (...args) => (await ports.messages.above(...args)).map(decided) },
        conversations: {
          ...ports.conversations,
          async replace(...args) {
            // This gives readers time to meet the change before it is decided, and does no harm by itself.
            await ports.clock.sleep(random.below(3000))
            return ports.conversations.replace(...args)
          },
        },
      }
    },
  },
  {
    name: 'a group is replaced without a condition',
    seed: 10,
    plant: (ports) => ({
      ...ports,
      conversations: {
        ...ports.conversations,
        async replace(group, version) {
          const [standing] = await ports.conversations.getMany([group.id])
          return ports.conversations.replace(group, standing?.kind === 'GROUP' ? standing.version : version)
        },
      },
    }),
  },
  {
    name: 'a copy of a group is trusted',
    seed: 1,
    plant: (ports) => ports,
    plantAbove(ports) {
      const seen = new Map<ConversationId, Seq>()
      return {
        ...ports,
        versions: {
          ...ports.versions,
          async look(ids, token) {
            const versions = await ports.versions.look(ids, token)
            return ids.map((id, i) => {
              const version = seen.get(id) ?? versions[i]
              if (version !== undefined) seen.set(id, version)
              return version
            })
          },
        },
      }
    },
  },
  {
    name: 'the version is not raised',
    seed: 1,
    plant: (ports) => ({ ...ports, versions: { ...ports.versions, raise: async () => undefined } }),
  },
  {
    name: 'a version that comes late is believed',
    seed: 1315,
    plant: (ports, { random, redis }) => ({
      ...ports,
      versions: {
        ...ports.versions,
        async raise(id, version) {
          // Neither of the two does harm by itself, and both at once are too rare otherwise.
          if (random.chance(0.4)) await ports.clock.sleep(random.below(10_000))
          if (random.chance(0.5)) redis.versions.clear()
          if (redis.versions.get(id)) return ports.versions.raise(id, version)
          redis.versions.set(id, { version, runId: redis.runId() }, 300_000)
        },
      },
    }),
  },
  {
    name: 'a change of the group goes below its version',
    seed: 586,
    plant(ports, { random, failOver, isBrisk }) {
      const reserved = new Map<ConversationId, Seq>()
      const isRare = (id: ConversationId) => !isBrisk && isGroupId(id) && random.chance(0.3)
      return {
        ...ports,
        messages: {
          ...ports.messages,
          async put(row) {
            // This makes holes and failovers, which are too rare otherwise and do no harm by themselves.
            if (row.kind !== 'void' && isRare(row.conversationId)) await ports.clock.sleep(random.below(1500))
            return ports.messages.put(row)
          },
        },
        sequencer: {
          ...ports.sequencer,
          async reserve(id, key) {
            if (isRare(id)) failOver()
            const given = await ports.sequencer.reserve(id, key)
            if (given) reserved.set(id, given.seq)
            return given
          },
          async reserveAbove(id, taken) {
            const seq = reserved.get(id)
            const isFree = seq && !(await ports.messages.get({ conversationId: id, seq }))
            return isFree && isGroupId(id) ? seq : ports.sequencer.reserveAbove(id, taken)
          },
        },
      }
    },
  },
  {
    name: 'the index row of a member comes after the group',
    seed: 416,
    plant: (ports) => ports,
    plantAbove(ports, { random }) {
      const owed: (() => Promise<void>)[] = []
      const pay = async () => {
        // This gives the node time to die in between.
        await ports.clock.sleep(random.below(3000))
        for (const add of owed.splice(0)) await add()
      }
      return {
        ...ports,
        memberships: {
          ...ports.memberships,
          async add(userId, membership) {
            if (!isGroupId(membership.conversationId)) return ports.memberships.add(userId, membership)
            owed.push(() => ports.memberships.add(userId, membership))
          },
        },
        conversations: {
          ...ports.conversations,
          async create(conversation) {
            await ports.conversations.create(conversation)
            await pay()
          },
          async replace(group, version) {
            const replaced = await ports.conversations.replace(group, version)
            await pay()
            return replaced
          },
        },
      }
    },
  },
  {
    name: 'a removal deletes a newer index row',
    seed: 103,
    plant: (ports, { random }) => ({
      ...ports,
      memberships: {
        ...ports.memberships,
        async remove(userId, id) {
          // This gives a member time to add them again in between.
          await ports.clock.sleep(random.below(4000))
          await ports.memberships.remove(userId, id, Number.MAX_SAFE_INTEGER)
        },
      },
    }),
  },
  {
    name: 'a page shows what was said before somebody came',
    seed: 1,
    plant: (ports) => ports,
    plantOnto: (domain) => ({
      ...domain,
      history: {
        ...domain.history,
        page: (member, request) => domain.history.page(fromTheStart(member), request),
      },
    }),
  },
  {
    name: 'news is handed on before the channel stands',
    seed: 196,
    alone: true,
    plant: (ports) => ports,
    plantAbove: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        async subscribeGroup(id, listener) {
          const subscription = ports.events.subscribeGroup(id, listener)
          subscription.catch(() => undefined)
          return {
            flush: async () => (await subscription).flush(),
            close: async () => (await subscription).close(),
          }
        },
      },
    }),
  },
  {
    name: 'whoever comes back to a group does not listen again',
    seed: 8,
    alone: true,
    plant: (ports) => ports,
    plantAbove(ports) {
      const joined = new WeakMap<EventListener, Set<ConversationId>>()
      return {
        ...ports,
        events: {
          ...ports.events,
          async subscribeGroup(id, listener) {
            const before = joined.get(listener) ?? new Set()
            joined.set(listener, before)
            if (before.has(id)) return { flush: async () => undefined, close: async () => undefined }
            before.add(id)
            return ports.events.subscribeGroup(id, listener)
          },
        },
      }
    },
  },
  {
    name: 'nobody is told that they were added',
    seed: 4,
    alone: true,
    plant: (ports) => ({ ...ports, events: { ...ports.events, publishMembership: async () => undefined } }),
  },
  {
    name: 'a group is not rung for',
    seed: 1,
    alone: true,
    plant: (ports) => ({ ...ports, events: { ...ports.events, publishGroupEntry: async () => undefined } }),
  },
  {
    name: 'a catch-up leaves out the groups',
    seed: 3,
    alone: true,
    plant: (ports) => ({
      ...ports,
      sequencer: quietAboutGroups(ports.sequencer),
      messages: { ...ports.messages, getMany: async () => [] },
    }),
  },
]

function fromTheStart(member: Member): Member {
  const { conversation } = member
  if (conversation.kind !== 'GROUP') return member
  const membersById = new Map(
    [...conversation.membersById].map(([userId, member]) => [userId, { ...member, joinedSeq: 0 }]),
  )
  return { ...member, joinedSeq: 0, conversation: { ...conversation, membersById } }
}

const quietAboutGroups = (sequencer: Ports['sequencer']): Ports['sequencer'] => ({
  ...sequencer,
  async counters(ids) {
    const counters = await sequencer.counters(ids)
    return ids.map((id, i) => (isGroupId(id) ? 0 : counters[i]))
  },
})

function tellsTheFastest(events: Events): Events {
  const fastest = new Map<ConversationId, Seq>()
  return {
    ...events,
    publishGroupTicks({ conversationId, rises }) {
      const seqs = rises.map(({ ticks }) => ticks.lastDeliveredSeq)
      const lastDeliveredSeq = Math.max(fastest.get(conversationId) ?? 0, ...seqs)
      fastest.set(conversationId, lastDeliveredSeq)
      const wrong = rises.map(({ ticks }) => ({ ticks: { ...ticks, lastDeliveredSeq } }))
      return events.publishGroupTicks(new GroupTicks(conversationId, wrong))
    },
  }
}
