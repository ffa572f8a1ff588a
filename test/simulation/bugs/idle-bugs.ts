import { type ConversationId, isGroupId } from '../../../src/protocol/ids.ts'
import type { Bug } from './bugs.ts'

/** These are mistakes with what is compared in the place of idle streams, and with what keeps their sessions alive. */
export const idleBugs: Bug[] = [
  {
    name: 'a stamp stays although somebody was added',
    seed: 1,
    plant: (ports) => ({
      ...ports,
      indexStamps: { ...ports.indexStamps, look: async (userIds) => userIds.map(() => 'always the same') },
    }),
  },
  {
    name: 'a stamp survives a failover',
    seed: 349,
    plant: (ports, { redis }) => ({
      ...ports,
      indexStamps: {
        ...ports.indexStamps,
        look: async (userIds) => {
          const kept = userIds.map((userId) => redis.indexStamps.get(userId)?.stamp)
          const current = await ports.indexStamps.look(userIds)
          return current.map((stamp, i) => kept[i] ?? stamp)
        },
      },
    }),
  },
  {
    name: 'idle streams are compared with what was published, not with what was given out',
    seed: 28,
    plant: (ports, { redis }) => ({
      ...ports,
      sequencer: {
        ...ports.sequencer,
        counters: async (ids) => {
          const counters = await ports.sequencer.counters(ids)
          return counters.map((seq, i) => {
            const kept = redis.counters.get(ids[i] ?? '')
            return seq !== undefined && kept && 'published' in kept ? kept.published : seq
          })
        },
      },
    }),
  },
  {
    name: 'a tick stamp stays although somebody has read',
    seed: 112,
    plant: (ports) => ({
      ...ports,
      tickStamps: { ...ports.tickStamps, look: async (ids) => ids.map(() => 'always the same') },
    }),
  },
  {
    name: 'the tick stamp of a group stays although somebody has read',
    seed: 1327,
    plant: (ports) => ({
      ...ports,
      tickStamps: {
        ...ports.tickStamps,
        look: async (ids) =>
          (await ports.tickStamps.look(ids)).map((stamp, i) => (isGroupId(ids[i] as ConversationId) ? 'same' : stamp)),
      },
    }),
  },
  {
    name: 'an ack that failed is not told later',
    seed: 1,
    plant: (ports) => ({ ...ports, tickStamps: { ...ports.tickStamps, replace: async () => undefined } }),
  },
  {
    name: 'what a user reads leaves their own tick stamp as it was',
    seed: 106,
    plant: (ports) => ({
      ...ports,
      events: {
        ...ports.events,
        publishBoundaries: (audience, boundaries) => ports.events.publishBoundaries(audience, boundaries),
      },
    }),
  },
  {
    name: 'nobody learns that a node has died which may have published nothing',
    seed: 4,
    plant: (ports) => ({
      ...ports,
      sessionLeases: {
        ...ports.sessionLeases,
        hold: async (leaseId) => ({ ...(await ports.sessionLeases.hold(leaseId)), died: [] }),
      },
    }),
  },
]
