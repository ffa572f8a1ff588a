import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import type { Domain } from '../../../src/domain/domain.ts'
import type { ConversationUpdate } from '../../../src/domain/streams/follow-conversations.ts'
import type { BoundaryStore } from '../../../src/ports/delivery.ts'
import type { EventListener, Events } from '../../../src/ports/events.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../../src/protocol/ticks.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// A stream of conversations or of ticks is left alone, too, while a node knows that it would find nothing. Here every event is lost, and only the
// periodic resync can find what has happened.

/** `textOf` says what is noted of what the stream shows. */
type Followed = { stream: AsyncIterableIterator<unknown>; textOf: (item: never) => string }
type Follow = (domain: Domain, bob: UserId, group: Member) => Promise<Followed>

const textOf = ({ conversationId, lastReadSeq }: MemberBoundaries) => `${conversationId} ${lastReadSeq}`
const theList: Follow = async (domain, bob) => ({
  stream: await domain.followConversationUpdates(bob),
  textOf: ({ id, member }: ConversationUpdate) => (member ? id : `not ${id}`),
})
const allTicks: Follow = async (domain, bob) => ({ stream: await domain.followTicks(bob), textOf })
const ticksOfTheGroup: Follow = async (domain, bob, group) => ({ stream: await domain.followTicks(bob, group), textOf })

/** Alice and Bob have a chat and a group with two messages in each. Alice has got all of it, and Bob's streams were told. */
async function anIdleWorld(follow: Follow) {
  const asked: string[] = []
  const faults: { [Port in keyof Ports]?: Partial<Ports[Port]> } = {}
  let deaf = false
  const hearing = (listener: EventListener): EventListener => ({
    event: (event) => deaf || listener.event(event),
    gap: () => listener.gap(),
  })
  const { domain, ports } = memoryDomain(({ clock: _clock, ...stores }) => {
    const events: Events = {
      ...stores.events,
      subscribe: (userId, listener) => stores.events.subscribe(userId, hearing(listener)),
      subscribeGroup: (id, listener) => stores.events.subscribeGroup(id, hearing(listener)),
    }
    return Object.fromEntries(
      Object.entries({ ...stores, events }).map(([name, port]) => [
        name,
        new Proxy(port, {
          get(target, key) {
            return (...args: unknown[]) => {
              asked.push(`${name}.${String(key)}`)
              const fault: unknown = Reflect.get(faults[name as keyof Ports] ?? {}, key)
              return Reflect.apply((fault ?? Reflect.get(target, key)) as () => unknown, target, args)
            }
          },
        }),
      ]),
    )
  })
  const [alice, bob] = [aUser(), aUser()]
  const memberOf = (userId: UserId, id: ConversationId) => domain.access.member(userId, id)
  const say = async (userId: UserId, id: ConversationId) =>
    domain.send(await memberOf(userId, id), { clientMessageId: aClientMessageId(), body: 'hi' })
  const group = await domain.groups.create(alice, {
    clientGroupId: aClientMessageId(),
    title: 'Us',
    memberIds: [bob],
  })
  const groupId = group.conversation.id
  const { message } = await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  const chatId = message.conversationId
  await say(bob, chatId)
  await say(alice, groupId)
  await say(bob, groupId)
  const { stream, textOf } = await follow(domain, bob, await memberOf(bob, groupId))
  const shown: string[] = []
  let isOver = false
  const reading = (async () => {
    for await (const item of stream) shown.push(textOf(item as never))
  })()
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const settle = async () => {
    for (let i = 0; i < 5; i += 1) await nextTurn()
  }
  await settle()
  for (const [id, seq] of [
    [chatId, 1],
    [groupId, 2],
  ] as const) {
    await domain.ack(await memberOf(alice, id), seq)
  }

  /** Lets each stream have so many periodic resyncs. Returns what the last of them asked for. */
  async function resyncs(count: number): Promise<string[]> {
    for (let i = 0; i < 30 * count; i += 1) {
      if (i % 30 === 0) asked.length = 0
      await domain.resyncScheduler.tick()
      await nextTurn()
    }
    await settle()
    return [...new Set(asked.filter((call) => !call.startsWith('session')))].sort()
  }

  const stamps = ['indexStamps.look', 'sequencer.counters', 'tickStamps.look']
  /** From here on, a periodic resync asks for stamps and counters alone, and no event is heard. */
  await resyncs(4)
  expect(stamps).toEqual(expect.arrayContaining(await resyncs(1)))
  shown.length = 0
  deaf = true
  return {
    domain,
    ports,
    faults,
    alice,
    bob,
    chatId,
    groupId,
    memberOf,
    say,
    resyncs,
    shown,
    isOver: () => isOver,
    /**
     * Returns what the stream shows after one more periodic resync, and expects that it becomes idle again. The end of a lease may be noticed just
     * after that.
     */
    async found({ periodicResyncs = 1 } = {}): Promise<string[]> {
      await settle()
      expect(shown).toEqual([])
      await resyncs(periodicResyncs)
      const found = [...shown]
      await resyncs(3)
      expect(stamps).toEqual(expect.arrayContaining(await resyncs(1)))
      await stream.return?.()
      await reading
      expect(shown).toEqual(found)
      return found
    },
  }
}

type World = Awaited<ReturnType<typeof anIdleWorld>>

const dies = async (): Promise<never> => {
  throw unavailable(new Error('Nobody answers.'))
}

const answerLost =
  ({ faults, ports }: World): BoundaryStore['read'] =>
  async (address, seq) => {
    delete faults.boundaries
    await ports.boundaries.read(address, seq)
    return dies()
  }

/** Other nodes learn so that a node has died. */
const nodeDies = ({ ports }: World) => ports.sessionLeases.begin('a lease that follows', 'the lease of the dead')

const readBy = async ({ domain, memberOf }: World, userId: UserId, id: ConversationId, seq: number) =>
  domain.markRead(await memberOf(userId, id), seq)

describe('an idle list shows a chat', () => {
  it.each<[string, (world: World) => Promise<unknown>]>([
    ['that the user has read on another device', (world) => readBy(world, world.bob, world.chatId, 1)],
    [
      'in which a message came',
      async ({ say, alice, chatId }) => {
        await say(alice, chatId)
      },
    ],
    [
      'whose settings the user has changed on another device',
      async ({ domain, memberOf, bob, chatId }) => {
        await domain.settings.configure(await memberOf(bob, chatId), { pinned: true })
      },
    ],
    [
      'whose settings a node has changed that died before it said so',
      async ({ domain, faults, memberOf, bob, chatId }) => {
        const { configure } = domain.settings
        faults.events = { publishConversation: dies }
        await expect(configure(await memberOf(bob, chatId), { archived: true })).rejects.toThrow()
      },
    ],
    [
      'whose settings a node has changed that died right after that',
      async ({ domain, faults, memberOf, bob, chatId, ports }) => {
        const { configure } = ports.memberships
        const member = await memberOf(bob, chatId)
        faults.memberships = {
          configure: (address, change) => {
            faults.indexStamps = { replace: dies }
            faults.events = { publishConversation: dies }
            delete faults.memberships
            return configure(address, change)
          },
        }
        await expect(domain.settings.configure(member, { archived: true })).rejects.toThrow()
        delete faults.indexStamps
      },
    ],
    [
      'whose settings were changed by a node that was stopped for long before that',
      async ({ domain, faults, memberOf, bob, chatId, ports, resyncs }) => {
        const { configure } = ports.memberships
        const member = await memberOf(bob, chatId)
        faults.memberships = {
          configure: async (address, change) => {
            await resyncs(4)
            delete faults.memberships
            return configure(address, change)
          },
        }
        await domain.settings.configure(member, { archived: true })
      },
    ],
    [
      'that the user has read through a node that died before it said so',
      async (world) => {
        await world.ports.boundaries.read({ userId: world.bob, conversationId: world.chatId }, 1)
        await nodeDies(world)
      },
    ],
    [
      'that the user has read although nobody could be told',
      async (world) => {
        world.faults.events = { publishBoundaries: dies }
        await expect(readBy(world, world.bob, world.chatId, 1)).rejects.toThrow()
      },
    ],
    [
      'that the user has read although DynamoDB did not say so',
      async (world) => {
        world.faults.boundaries = { read: answerLost(world) }
        await expect(readBy(world, world.bob, world.chatId, 1)).rejects.toThrow()
      },
    ],
  ])('%s', async (_what, act) => {
    const world = await anIdleWorld(theList)
    await act(world)
    expect(await world.found({ periodicResyncs: 2 })).toEqual([world.chatId])
  })

  it('that is a group, which the user has read on another device', async () => {
    const world = await anIdleWorld(theList)
    await readBy(world, world.bob, world.groupId, 2)
    expect(await world.found()).toEqual([world.groupId])
  })

  it('that is gone', async () => {
    const world = await anIdleWorld(theList)
    const { domain, memberOf, alice, bob, groupId } = world
    await domain.groups.updateMembers(await memberOf(alice, groupId), { add: [], remove: [bob], roles: [] })
    expect(await world.found()).toEqual([`not ${groupId}`])
  })
})

/** Another node removes Bob, and fails when the group's row is written: Redis does not know that there is a new version. */
async function removedInSilence({ ports, alice, bob, groupId, resyncs }: World): Promise<void> {
  const other = memoryDomain(() => ({ ...ports, boundaries: { ...ports.boundaries, note: dies } }), {
    nextMessageId: () => '9001' as never,
    randomId: () => 'another',
  }).domain
  const member = await other.access.member(alice, groupId)
  await expect(other.groups.updateMembers(member, { add: [], remove: [bob], roles: [] })).rejects.toThrow()
  // By now the streams have looked with the old copy of the group.
  await resyncs(5)
}

describe('a removal that was stored before it was said that the group has a new version', () => {
  const ways: [string, (world: World) => Promise<unknown>][] = [
    ['it is known that the node has died', nodeDies],
    [
      'somebody has read the group',
      async ({ ports, alice, groupId }) => {
        const third = memoryDomain(() => ports, { randomId: () => 'a third' }).domain
        await third.access.member(alice, groupId)
      },
    ],
  ]

  it.each(ways)('is found by a list as soon as %s', async (_what, act) => {
    const world = await anIdleWorld(theList)
    await removedInSilence(world)
    // The list was told of the entry by its counter.
    expect(world.shown).toEqual([world.groupId])
    world.shown.length = 0
    await act(world)
    expect(await world.found({ periodicResyncs: 2 })).toEqual([`not ${world.groupId}`])
  })

  it.each(ways)('ends a stream of its ticks as soon as %s', async (_what, act) => {
    const world = await anIdleWorld(ticksOfTheGroup)
    await removedInSilence(world)
    expect(world.isOver()).toBe(false)
    await act(world)
    await world.resyncs(2)
    expect(world.isOver()).toBe(true)
  })
})

describe('an idle stream of ticks shows', () => {
  it.each<[string, Follow, (world: World) => ConversationId]>([
    ['what was read in a chat', allTicks, ({ chatId }) => chatId],
    ['what was read in a group', allTicks, ({ groupId }) => groupId],
    ['what was read in its group', ticksOfTheGroup, ({ groupId }) => groupId],
  ])('%s', async (_what, follow, idOf) => {
    const world = await anIdleWorld(follow)
    const id = idOf(world)
    await readBy(world, world.alice, id, 2)
    expect(await world.found()).toEqual([`${id} 2`])
  })

  it('nothing more once its user was removed from the group, slowly, by a node that died before it said so', async () => {
    const world = await anIdleWorld(ticksOfTheGroup)
    const { domain, faults, memberOf, alice, bob, groupId, isOver, ports, resyncs } = world
    const { replace } = ports.conversations
    faults.events = { publishGroupEntry: dies, publishMembership: dies }
    faults.conversations = {
      replace: async (group, version) => {
        // The stream sees that something is about to happen, looks, and finds nothing yet.
        await resyncs(1)
        delete faults.conversations
        return replace(group, version)
      },
    }
    const removal = domain.groups.updateMembers(await memberOf(alice, groupId), { add: [], remove: [bob], roles: [] })
    await expect(removal).rejects.toThrow()
    expect(isOver()).toBe(false)
    await world.resyncs(2)
    expect(isOver()).toBe(true)
  })

  it.each<[string, (world: World) => Promise<unknown>]>([
    [
      'through a node that died before it said so',
      async (world) => {
        await world.ports.boundaries.read({ userId: world.alice, conversationId: world.chatId }, 2)
        await nodeDies(world)
      },
    ],
    [
      'although nobody could be told',
      async (world) => {
        world.faults.events = { publishBoundaries: dies }
        await expect(readBy(world, world.alice, world.chatId, 2)).rejects.toThrow()
      },
    ],
    [
      'although DynamoDB did not say so',
      async (world) => {
        world.faults.boundaries = { read: answerLost(world) }
        await expect(readBy(world, world.alice, world.chatId, 2)).rejects.toThrow()
      },
    ],
  ])('what was read %s', async (_what, act) => {
    const world = await anIdleWorld(allTicks)
    await act(world)
    expect(await world.found({ periodicResyncs: 2 })).toEqual([`${world.chatId} 2`])
  })

  it('what was read through a node that died, as this node learned just when it could not renew a session', async () => {
    const world = await anIdleWorld(allTicks)
    const { domain, faults, ports, alice, chatId, shown } = world
    await domain.follow({ userId: alice, after: [] })
    faults.sessions = { renew: dies }
    await ports.boundaries.read({ userId: alice, conversationId: chatId }, 2)
    await nodeDies(world)
    for (let i = 0; i < 10; i += 1) await domain.resyncScheduler.tick().catch(() => undefined)
    delete faults.sessions
    await world.resyncs(2)
    expect(shown).toEqual([`${chatId} 2`])
  })
})
