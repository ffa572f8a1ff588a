import type { Bug } from './bugs.ts'

export const feedBugs: Bug[] = [
  {
    name: 'an entry is announced where another one is',
    seed: 32,
    feed: true,
    plant: (ports, { random }) => ({
      ...ports,
      feed: {
        ...ports.feed,
        // Somebody else is seldom faster, so some are slow.
        async put(row) {
          if (row.kind !== 'void' && random.chance(0.05)) await ports.clock.sleep(3000)
          await ports.feed.put(row)
          return 'written'
        },
      },
    }),
  },
  {
    name: 'a reader of the feed skips an announcement without voiding its cell',
    seed: 4,
    feed: true,
    plant: (ports) => ({
      ...ports,
      messages: {
        ...ports.messages,
        put: async (row) => (row.kind === 'void' ? 'written' : ports.messages.put(row)),
      },
    }),
  },
  {
    name: 'a reader of the feed skips a position without voiding it',
    seed: 34,
    feed: true,
    plant: (ports, { random }) => ({
      ...ports,
      feed: {
        ...ports.feed,
        // A writer that comes after the reader has gone past is rare, so some of them are slow.
        async put(row) {
          if (row.kind === 'void') return 'written'
          if (random.chance(0.05)) await ports.clock.sleep(3000)
          return ports.feed.put(row)
        },
      },
    }),
  },
  {
    name: 'an entry does not say where it was announced',
    seed: 1,
    feed: true,
    plant: (ports, { random }) => ({
      ...ports,
      messages: {
        ...ports.messages,
        put: (row) =>
          ports.messages.put(
            row.kind === 'message' && row.feedPosition !== undefined && random.chance(0.1)
              ? { ...row, feedPosition: row.feedPosition + 1 }
              : row,
          ),
      },
    }),
  },
]
