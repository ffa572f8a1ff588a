import type { Clock } from '../../../src/ports/clock.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import type { MemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { counterOf, setCounter } from '../../../src/store/embedded/soft-state/sequencer.ts'
import type { Bug, BugContext } from './bugs.ts'

// These mistakes were in the code once, and neither this simulation nor any other test had shown them.

/** Uses the wall clock as the monotonic one. It steps more often than the nemesis lets it, which does no harm by itself. */
function byWallClock(clock: Clock, { random }: BugContext): Clock {
  let offMs = 0
  const now = () => {
    if (random.chance(0.02)) offMs = random.between(-600_000, 600_000)
    return clock.now() + offMs
  }
  return { ...clock, now, monotonic: now }
}

/** Every wait takes a twentieth of its time. */
function hurried(clock: Clock): Clock {
  const faster = (now: () => number) => {
    const startedAtMs = now()
    return () => startedAtMs + 20 * (now() - startedAtMs)
  }
  return {
    now: faster(clock.now),
    monotonic: faster(clock.monotonic),
    sleep: (ms, signal) => clock.sleep(ms / 20, signal),
  }
}

/** Loses more events while events are lost. The periodic resync repairs that. */
const losing = ({ events }: Ports, { random, network }: BugContext): Ports['events'] => ({
  ...events,
  subscribe: (userId, { event, gap }) =>
    events.subscribe(userId, {
      gap,
      event: (each) => (network.losesEvents() && random.chance(0.7)) || event(each),
    }),
})

/** Makes all counters look as if the current process had kept them. */
function believeCounters(redis: MemoryRedis): void {
  const { get } = redis.counters
  redis.counters.get = (id) => {
    const kept = get(id)
    return kept && { ...kept, runId: redis.runId() }
  }
}

export const holeBugs: Bug[] = [
  {
    name: 'a counter survives a failover',
    seed: 43,
    plant(ports, { redis }) {
      believeCounters(redis)
      return ports
    },
  },
  {
    name: 'a counter is seeded by one who read the log before',
    seed: 49,
    plant: (ports, around) => ({
      ...ports,
      events: losing(ports, around),
      sequencer: {
        ...ports.sequencer,
        async reserve(id, key) {
          // Redis may forget a counter at any moment, but seldom does so at the right one.
          if (around.random.chance(0.3)) around.redis.counters.delete(id)
          return ports.sequencer.reserve(id, key)
        },
        async seed(id: ConversationId, lastSeq) {
          await ports.clock.sleep(around.random.below(2000))
          const { seq, published, sends } = counterOf(around.redis, id) ?? { seq: 0, published: 0, sends: [] }
          setCounter(around.redis, id, { seq: Math.max(lastSeq, seq), published: Math.max(lastSeq, published), sends })
        },
      },
    }),
  },
  {
    name: 'a Redis process that comes back is taken for the one it was',
    seed: 37,
    plant(ports, { redis }) {
      redis.runId = () => 1
      return ports
    },
  },
  {
    name: 'a pending row is written without a word',
    seed: 7,
    plant: (ports) => ({
      ...ports,
      boundaryCache: { ...ports.boundaryCache, notePending: async () => 0 },
      events: { ...ports.events, publishEntry: ({ entry, members }) => ports.events.publishEntry({ entry, members }) },
    }),
  },
  {
    name: 'waiting by the wall clock',
    seed: 25,
    plant: (ports) => ports,
    plantAbove: (ports, around) => ({ ...ports, clock: byWallClock(ports.clock, around) }),
  },
  {
    name: 'readers have no patience with a healthy write',
    seed: 5,
    plant: (ports) => ports,
    plantAbove: (ports) => ({ ...ports, clock: hurried(ports.clock) }),
  },
  {
    name: 'a chat is made before its first message',
    seed: 1,
    plant: (ports) => ports,
    plantOnto: (domain) => ({
      ...domain,
      async sendTo(userId, otherId, ...args) {
        await domain.access.begin(await domain.access.direct(userId, otherId))
        return domain.sendTo(userId, otherId, ...args)
      },
    }),
  },
  {
    name: 'ticks of all chats are not only those of the viewer',
    seed: 4,
    plant: (ports) => ports,
    plantOnto: (domain) => ({
      ...domain,
      followTicks: (userId, only) => domain.followTicks(only ? userId : ('bob' as UserId), only),
    }),
  },
  {
    name: 'whoever was removed goes on hearing who is typing',
    seed: 38,
    plant: (ports) => ports,
    plantOnto: (domain) => ({
      ...domain,
      // The stream is opened as that of another user, who may stay.
      followTyping(member) {
        const other = member.conversation.members.find((each) => each !== member.userId)
        return domain.followTyping({ ...member, userId: other ?? member.userId })
      },
    }),
  },
]
