import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import type { Domain } from '../../../src/domain/domain.ts'
import type { EventListener } from '../../../src/ports/events.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../../src/protocol/ticks.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// What an open stream shows to a user who is removed. The event of a removal can be lost: then the periodic resync, or the signal that events
// were lost, has to find it.

/** Bob is in a group of Alice's, with Carol. */
async function aGroup() {
  const listeners = new Set<EventListener>()
  const boundariesRead: string[] = []
  let lost = false
  const { domain, ports } = memoryDomain(({ events, boundaries }) => ({
    events: {
      ...events,
      publishMembership: async (...told) => (lost ? undefined : events.publishMembership(...told)),
      publishGroupEntry: async (...published) => (lost ? undefined : events.publishGroupEntry(...published)),
      publishBoundaries: async (audience, ticks) =>
        lost ? { pendingVersion: 0 } : events.publishBoundaries(audience, ticks),
      subscribe: async (userId, listener) => {
        listeners.add(listener)
        return events.subscribe(userId, listener)
      },
    },
    boundaries: {
      ...boundaries,
      getMany: async (addresses) => {
        boundariesRead.push(...addresses.map(({ userId, conversationId }) => `${userId} ${conversationId}`))
        return boundaries.getMany(addresses)
      },
    },
  }))
  const [alice, bob, carol] = [aUser(), aUser(), aUser()]
  const found = async (...memberIds: UserId[]) => {
    const request = { clientGroupId: aClientMessageId(), title: 'Us', memberIds }
    return (await domain.groups.create(alice, request)).conversation.id
  }
  const id = await found(bob, carol)
  const nobody = { add: [], remove: [], roles: [] }
  const change = async (wish: object, group = id) =>
    domain.groups.updateMembers(await domain.access.member(alice, group), { ...nobody, ...wish })
  const say = async (body: string, group = id) => {
    const { message } = await domain.send(await domain.access.member(alice, group), {
      clientMessageId: aClientMessageId(),
      body,
    })
    return message.seq
  }
  await say('hi')
  return {
    domain,
    ports,
    alice,
    bob,
    carol,
    id,
    found,
    say,
    change,
    boundariesRead,
    member: () => domain.access.member(bob, id),
    remove: (group = id) => change({ remove: [bob] }, group),
    add: () => change({ add: [bob] }),
    reads: async (userId: UserId, seq: number, group: ConversationId = id) =>
      domain.markRead(await domain.access.member(userId, group), seq),
    types: async (userId: UserId, typing: boolean) => domain.setTyping(await domain.access.member(userId, id), typing),
    /** Loses the events of what happens. */
    async unheard(happens: () => Promise<unknown>): Promise<void> {
      lost = true
      await happens()
      lost = false
    },
    async periodicResync(): Promise<void> {
      domain.resyncScheduler.resyncAll()
      await nextTurn()
    },
    async resync(): Promise<void> {
      for (const listener of listeners) listener.gap()
      await nextTurn()
    },
  }
}

/** Reads everything that comes. */
async function watch<T>(stream: AsyncIterableIterator<T>) {
  const shown: T[] = []
  const ended = (async () => {
    for await (const item of stream) shown.push(item)
  })()
  ended.catch(() => undefined)
  await nextTurn()
  return { shown, ended, stop: () => stream.return?.() }
}

type Open = (domain: Domain, member: Member) => Promise<AsyncIterableIterator<unknown>>
const ofOneGroup: [string, Open][] = [
  ['ticks', (domain, member) => domain.followTicks(member.userId, member)],
  ['typing', (domain, member) => domain.followTyping(member)],
  ['messages', (domain, member) => domain.follow({ userId: member.userId, only: member, after: [] })],
  ['changes', (domain, member) => domain.followChanges({ userId: member.userId, only: member, after: [] })],
]

describe.each(ofOneGroup)('a stream of the %s of one group', (_what, open) => {
  it.each(['periodicResync', 'resync'] as const)(
    'ends with the next %s after its user was removed, if nobody told it',
    async (next) => {
      const { domain, member, remove, unheard, ...group } = await aGroup()
      const { ended } = await watch(await open(domain, await member()))
      await unheard(remove)
      await group[next]()
      await expect(ended).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(domain.resyncScheduler.streams()).toBe(0)
    },
  )

  it('does not begin for somebody who was removed after they were asked for', async () => {
    const { domain, member, remove } = await aGroup()
    const asked = await member()
    await remove()
    const { ended, shown } = await watch(await open(domain, asked))
    await expect(ended).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(shown).toEqual([])
  })
})

const line = ({ lastDeliveredSeq, lastReadSeq }: MemberBoundaries): string => `${lastDeliveredSeq}/${lastReadSeq}`

describe('a user who was removed and is back', () => {
  it('goes on hearing the ticks of the group, though the events of both were lost', async () => {
    const { domain, bob, carol, member, remove, add, reads, unheard, periodicResync } = await aGroup()
    const one = await watch(await domain.followTicks(bob, await member()))
    const all = await watch(await domain.followTicks(bob))
    await reads(carol, 2)
    await unheard(async () => {
      await remove()
      await add()
    })
    await periodicResync()
    await reads(carol, 4)
    await nextTurn()
    for (const { shown } of [one, all])
      expect(shown.filter(({ userId }) => userId === carol).at(-1)).toMatchObject({ lastReadSeq: 4 })
    await Promise.all([one.stop(), all.stop()])
  })

  it('goes on hearing who writes, also if the news of the removal comes late', async () => {
    const { domain, ports, carol, id, bob, member, remove, add, types, unheard } = await aGroup()
    const { shown, stop } = await watch(await domain.followTyping(await member()))
    await unheard(remove)
    await add()
    // This event was on its way since before the user was back.
    await ports.events.publishMembership([bob], { conversationId: id, seq: 3, joined: false })
    await types(carol, true)
    await nextTurn()
    expect(shown.at(0)).toMatchObject({ userId: carol, typing: true })
    await stop()
  })
})

describe('a stream of all ticks', () => {
  it('shows nothing of a group that its user was removed from, at no periodic resync', async () => {
    const { domain, bob, carol, remove, say, reads, periodicResync } = await aGroup()
    const { shown, stop } = await watch(await domain.followTicks(bob))
    await reads(carol, 2)
    await nextTurn()
    expect(shown.map(line)).toEqual(['2/2'])
    await remove()
    await reads(carol, await say('among ourselves'))
    await periodicResync()
    await periodicResync()
    expect(shown.map(line)).toEqual(['2/2'])
    await stop()
  })

  it('learns with the next periodic resync that its user was removed, and shows nothing from then on', async () => {
    const { domain, bob, carol, remove, say, reads, unheard, periodicResync } = await aGroup()
    const { shown, stop } = await watch(await domain.followTicks(bob))
    await reads(carol, 2)
    await unheard(remove)
    await periodicResync()
    await reads(carol, await say('among ourselves'))
    await periodicResync()
    expect(shown.map(line)).toEqual(['2/2'])
    await stop()
  })

  it('shows nothing that still waits when it hears of the removal', async () => {
    const { domain, ports, bob, carol, id, remove } = await aGroup()
    const stream = await domain.followTicks(bob)
    const first = stream.next()
    await nextTurn()
    const told = (lastReadSeq: number): MemberBoundaries => ({
      userId: carol,
      conversationId: id,
      lastDeliveredSeq: 2,
      lastReadSeq,
    })
    await ports.events.publishBoundaries(id, told(1))
    await first
    // The next item is not asked for yet, so all of these wait.
    await remove()
    await ports.events.publishBoundaries(id, told(2))
    await nextTurn()
    const next = stream.next()
    await nextTurn()
    await stream.return?.()
    expect(await next).toMatchObject({ done: true })
  })

  it('reads at a periodic resync what can have risen: nobody who left, no group that was left, nobody who has read all', async () => {
    const { domain, alice, bob, carol, id, found, say, change, reads, remove, boundariesRead, periodicResync } =
      await aGroup()
    const [dave, other] = [aUser(), await found(bob, carol)]
    await change({ add: [dave] })
    const last = await say('for all', other)
    const { stop } = await watch(await domain.followTicks(bob))
    for (const userId of [alice, carol, dave]) await reads(userId, 2)
    await reads(alice, last, other)
    await reads(carol, last - 1, other)
    const readAtAResync = async () => {
      boundariesRead.length = 0
      await periodicResync()
      return [...boundariesRead].sort()
    }
    expect(await readAtAResync()).toEqual(
      [alice, carol, dave]
        .map((each) => `${each} ${id}`)
        .concat(`${carol} ${other}`)
        .sort(),
    )
    await change({ remove: [dave] })
    expect(await readAtAResync()).toEqual(
      [alice, carol]
        .map((each) => `${each} ${id}`)
        .concat(`${carol} ${other}`)
        .sort(),
    )
    await remove()
    expect(await readAtAResync()).toEqual([`${carol} ${other}`])
    await stop()
  })

  it('makes up at the periodic resync for a rise that was lost, also to the end of the log', async () => {
    const { domain, bob, carol, say, reads, unheard, periodicResync } = await aGroup()
    const { shown, stop } = await watch(await domain.followTicks(bob))
    await reads(carol, 2)
    const seq = await say('more')
    await unheard(() => reads(carol, seq))
    await periodicResync()
    expect(shown.map(line)).toEqual(['2/2', '3/3'])
    await stop()
  })
})

it('an event of somebody who has left, which comes late, shows no less than was shown of them', async () => {
  const { domain, ports, bob, carol, id, say, reads, change, member, periodicResync } = await aGroup()
  const seq = await say('more')
  const watching = await watch(await domain.followTicks(bob, await member()))
  await reads(carol, seq)
  await change({ remove: [carol] })
  await periodicResync()
  const shown = watching.shown.length
  await ports.events.publishBoundaries(id, {
    userId: carol,
    conversationId: id,
    lastDeliveredSeq: seq - 1,
    lastReadSeq: 0,
  })
  await nextTurn()
  expect(watching.shown.slice(shown)).toEqual([])
  await watching.stop()
})
