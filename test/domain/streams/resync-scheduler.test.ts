import { expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import type { Domain } from '../../../src/domain/domain.ts'
import { createInbox } from '../../../src/domain/streams/inbox.ts'
import { createResyncScheduler } from '../../../src/domain/streams/resync-scheduler.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { instantClock, memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// An attached user who does nothing costs what their streams ask for at every periodic resync; docs/operations.md says how much that is.

/** Notes all calls of a port. */
function noting<Port extends object>(name: string, port: Port, asked: string[]): Port {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        asked.push(`${name}.${String(key)}`)
        return Reflect.apply(value, target, args)
      }
    },
  })
}

type Open = (domain: Domain, userId: UserId) => Promise<AsyncIterator<unknown>>

/** Bob is in a chat and in a group. */
async function aWorld() {
  const asked: string[] = []
  const { domain } = memoryDomain(({ clock, ...stores }) =>
    Object.fromEntries(Object.entries(stores).map(([name, port]) => [name, noting(name, port, asked)])),
  )
  const [alice, bob] = [aUser(), aUser()]
  await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  await domain.groups.create(alice, { clientGroupId: aClientMessageId(), title: 'Us', memberIds: [bob] })
  return {
    domain,
    bob,
    /** Returns what one periodic resync asks of the stores. */
    async periodicResync(): Promise<string[]> {
      asked.length = 0
      domain.resyncScheduler.resyncAll()
      await nextTurn()
      return asked.sort()
    },
  }
}

async function groupOf(domain: Domain, userId: UserId): Promise<Member> {
  const all = await domain.access.all(userId)
  return all.find(({ conversation }) => conversation.kind === 'GROUP') ?? expect.fail()
}

/** Reads everything that comes. Returns a function that stops it. */
async function watched(stream: AsyncIterator<unknown>): Promise<() => Promise<void>> {
  const waiting = (async () => {
    while (!(await stream.next()).done);
  })()
  await nextTurn()
  return async () => {
    await stream.return?.()
    await waiting
  }
}

it.each<[string, Open, string[]]>([
  [
    'messages',
    (domain, userId) => domain.follow({ userId, after: [] }),
    ['memberships.ofUser', 'sequencer.counters', 'versions.look'],
  ],
  [
    'changes',
    (domain, userId) => domain.followChanges({ userId, after: [] }),
    ['memberships.ofUser', 'sequencer.counters', 'versions.look'],
  ],
  ['ticks', (domain, userId) => domain.followTicks(userId), ['memberships.ofUser', 'versions.look']],
  [
    'the ticks of one group where somebody has not read all',
    async (domain, userId) => domain.followTicks(userId, await groupOf(domain, userId)),
    ['boundaries.getMany', 'sequencer.counters', 'versions.look'],
  ],
  [
    'typing in one group',
    async (domain, userId) => domain.followTyping(await groupOf(domain, userId)),
    ['versions.look'],
  ],
  [
    'conversations',
    (domain, userId) => domain.followConversations(userId),
    ['boundaries.ofUser', 'memberships.ofUser', 'sequencer.counters', 'versions.look'],
  ],
])(
  'a periodic resync of a stream of %s in which nothing was missed asks for this and no more',
  async (_what, open, expected) => {
    const { domain, bob, periodicResync } = await aWorld()
    const stop = await watched(await open(domain, bob))
    // The first one looks into conversations that the catch-up had no reason to read.
    await periodicResync()
    expect(await periodicResync()).toEqual(expected)
    await stop()
  },
)

it('a counter that Redis has forgotten costs one periodic resync a look into the log, and is there again at the next', async () => {
  const { domain, bob, periodicResync } = await aWorld()
  const stop = await watched(await domain.follow({ userId: bob, after: [] }))
  // No message was sent to the group since it was created.
  expect(await periodicResync()).toContain('sequencer.seed')
  const next = await periodicResync()
  expect(next).toEqual(['memberships.ofUser', 'sequencer.counters', 'versions.look'])
  await stop()
})

it('all streams of a user have their turn in the same second, once in thirty, and users have theirs in many', async () => {
  const periodicResync = createResyncScheduler({ ...memoryDomain().ports, randomId: () => 'lease' })
  const [users, clock] = [Array.from({ length: 60 }, aUser), instantClock()]
  const resyncs = new Map(users.map((userId) => [userId, [] as number[]]))
  let second = 0
  for (const userId of [...users, ...users, ...users]) {
    const inbox = createInbox(clock, { limit: 1, accepts: () => false })
    periodicResync.add(inbox, userId)
    void (async () => {
      while ((await inbox.take()).type === 'periodicResync') resyncs.get(userId)?.push(second)
    })()
  }
  for (; second < 60; second += 1) {
    await periodicResync.tick()
    await nextTurn()
  }
  for (const [first = 0, ...rest] of resyncs.values())
    expect(rest).toEqual([first, first, ...Array(3).fill(first + 30)])
  expect(new Set([...resyncs.values()].map(([first]) => first)).size).toBeGreaterThan(15)
})
