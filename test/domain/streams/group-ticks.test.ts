import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import { createDomain } from '../../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { GroupTicks } from '../../../src/protocol/group-ticks.ts'
import type { MessageId, Seq, UserId } from '../../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../../src/protocol/ticks.ts'
import { createMemoryRedis } from '../../../src/store/embedded/soft-state/memory-redis.ts'
import { createSoftStateMemory } from '../../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { aClientMessageId, aUser, upTo } from '../../kit/ids.ts'
import { nextTurn } from '../../kit/memory-domain.ts'
import { steppedClock } from '../../kit/stepped-clock.ts'

// Ticks of a large group: a crowd acknowledges one message, on two nodes, and all of it watches. What is published, what is offered to streams
// and what they show is counted.

const largeGroupAbove = 3
/** As long as the longest window of so small a group, and longer. */
const windowMs = 1000

async function aLargeGroup(size: number) {
  const { clock, pass: step } = steppedClock()
  const pass = async (ms: number): Promise<void> => {
    step(ms)
    await nextTurn()
  }
  const redis = createMemoryRedis(clock)
  const stores = createStoresEmbedded(createKeyValueMemory())
  const published: GroupTicks[] = []
  const reads = { boundaries: 0, authors: 0 }
  let offered = 0
  let ids = 0
  const node = () => {
    const soft = createSoftStateMemory(redis)
    const ports: Ports = {
      ...stores,
      ...soft,
      clock,
      events: {
        ...soft.events,
        async publishGroupTicks(group) {
          published.push(group)
          await soft.events.publishGroupTicks(group)
        },
        subscribeGroup: (id, listener) =>
          soft.events.subscribeGroup(id, {
            gap: () => listener.gap(),
            event(event) {
              if (event.type === 'ticks' || event.type === 'groupTicks') offered += 1
              listener.event(event)
            },
          }),
      },
      boundaries: {
        ...stores.boundaries,
        async getMany(asked) {
          reads.boundaries += asked.length
          return stores.boundaries.getMany(asked)
        },
      },
      messages: {
        ...stores.messages,
        async above(...asked) {
          reads.authors += 1
          return stores.messages.above(...asked)
        },
      },
    }
    return createDomain(ports, {
      nextMessageId: () => String(++ids) as MessageId,
      randomId: () => String(++ids),
      onDetachError: () => undefined,
      largeGroupAbove,
    })
  }
  const nodes = [node(), node()]
  const nodeOf = (index: number) => nodes[index % nodes.length] ?? expect.fail()
  const [alice, ...crowd] = upTo(size).map(aUser) as [UserId, ...UserId[]]
  const { conversation } = await nodeOf(0).groups.create(alice, {
    clientGroupId: aClientMessageId(),
    title: 'A crowd',
    memberIds: crowd,
  })
  const { id } = conversation
  const memberOf = (userId: UserId, index = 0): Promise<Member> => nodeOf(index).access.member(userId, id)
  return {
    alice,
    crowd,
    id,
    nodes,
    redis,
    stores,
    reads,
    published,
    pass,
    memberOf,
    offered: () => offered,
    async say(userId: UserId): Promise<Seq> {
      const draft = { clientMessageId: aClientMessageId(), body: 'hi' }
      return (await nodeOf(0).send(await memberOf(userId), draft)).message.seq
    },
    /** All of them acknowledge at once, each at their node. Resolves when all are answered. */
    async acks(users: readonly UserId[], seq: Seq): Promise<void> {
      const answered = Promise.all(users.map(async (userId, i) => nodeOf(i).ack(await memberOf(userId, i), seq)))
      await nextTurn()
      await pass(windowMs)
      await answered
      await nextTurn()
    },
    /** With `one`, of this conversation alone. */
    async watch(userId: UserId, index: number, one = false) {
      const stream = await nodeOf(index).followTicks(userId, one ? await memberOf(userId, index) : undefined)
      const shown: MemberBoundaries[] = []
      const reading = (async () => {
        for await (const each of stream) shown.push(each)
      })()
      await nextTurn()
      return {
        shown,
        lines: () => shown.map((each) => `${each.userId} ${each.lastDeliveredSeq}/${each.lastReadSeq}`).sort(),
        async stop() {
          await stream.return?.()
          await reading
        },
      }
    },
  }
}

type Watcher = { stop(): Promise<void> }
const stopAll = (all: readonly Watcher[]) => Promise.all(all.map((each) => each.stop()))

describe('the ticks of a large group', () => {
  it.each([10, 40])('cost a few events and no more than one per member to the author, of %i members', async (size) => {
    const group = await aLargeGroup(size)
    const { alice, crowd } = group
    const streams = await Promise.all([alice, ...crowd].map((userId, i) => group.watch(userId, i)))
    const seq = await group.say(alice)
    const before = group.offered()
    await group.acks(crowd, seq)
    // Each node tells what it heard in its first turn, and what came in the window after it.
    expect(group.published.length).toBeLessThanOrEqual(4)
    expect(group.offered() - before).toBe(group.published.length * size)
    expect(streams[0]?.lines()).toEqual(crowd.map((userId) => `${userId} ${seq}/0`).sort())
    expect(streams.slice(1).flatMap(({ shown }) => shown)).toEqual([])
    await stopAll(streams)
  })

  it('reach everybody who asks for the conversation, as one object for all of a node', async () => {
    const group = await aLargeGroup(12)
    const { alice, crowd } = group
    const seq = await group.say(alice)
    const streams = await Promise.all(crowd.map((userId, i) => group.watch(userId, i, true)))
    for (const each of streams) each.shown.length = 0
    await group.acks(crowd, seq)
    for (const [i, { lines }] of streams.entries()) {
      const others = crowd.filter((userId) => userId !== crowd[i])
      expect(lines()).toEqual(others.map((userId) => `${userId} ${seq}/0`).sort())
    }
    expect(new Set(streams.flatMap(({ shown }) => shown)).size).toBe(crowd.length)
    await stopAll(streams)
  })

  it('concern every author of a message that a boundary passes, and nobody else', async () => {
    const group = await aLargeGroup(6)
    const [bob, carol, dave, erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const streams = await Promise.all([bob, carol, dave].map((userId, i) => group.watch(userId, i)))
    const first = await group.say(bob)
    const second = await group.say(carol)
    await group.acks([erin], first)
    await group.acks([erin], second)
    expect(streams.map(({ lines }) => lines())).toEqual([[`${erin} ${first}/0`], [`${erin} ${second}/0`], []])
    await stopAll(streams)
  })

  it('concern authors whom the node has to read, once for all streams', async () => {
    const group = await aLargeGroup(6)
    const [bob, , , erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const seq = await group.say(bob)
    // These begin after the message was published, so no event has told them whose it is.
    const streams = await Promise.all([...group.crowd, group.alice].map((userId) => group.watch(userId, 0)))
    group.reads.authors = 0
    await group.acks([erin], seq)
    expect(streams.map(({ lines }) => lines())).toEqual([[`${erin} ${seq}/0`], [], [], [], [], []])
    expect(group.reads.authors).toBe(1)
    await stopAll(streams)
  })

  it('told again after a lost answer, concern the author all the same', async () => {
    const group = await aLargeGroup(6)
    const [bob, , , erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const atBob = await group.watch(bob, 0)
    const seq = await group.say(bob)
    const { boundaries } = await rowOf(group, erin, seq)
    expect(boundaries.lastDeliveredSeq).toBe(seq)
    expect(atBob.lines()).toEqual([])
    await group.acks([erin], seq)
    expect(atBob.lines()).toEqual([`${erin} ${seq}/0`])
    await atBob.stop()
  })

  it('which were lost with the link are read once, of members who were not shown as well', async () => {
    const group = await aLargeGroup(6)
    const [bob, carol, , erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const atBob = await group.watch(bob, 0)
    const seq = await group.say(bob)
    await group.acks([carol], seq)
    const { boundaries } = await rowOf(group, erin, seq)
    expect(boundaries.lastDeliveredSeq).toBe(seq)
    group.redis.cutSubscribers()
    await nextTurn()
    expect(atBob.lines()).toEqual(
      [carol, erin]
        .map((userId) => `${userId} ${seq}/0`)
        .concat(otherZeros(group, [bob, carol, erin]))
        .sort(),
    )
    await atBob.stop()
  })

  it('of one member in one window are told as one rise, from where the first began', async () => {
    const group = await aLargeGroup(6)
    const [bob, , , erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const seqs = [await group.say(bob), await group.say(bob), await group.say(bob)] as const
    const erinAt0 = await group.memberOf(erin, 0)
    const node = group.nodes[0] ?? expect.fail()
    const answered = [node.ack(erinAt0, seqs[0])]
    await nextTurn()
    group.published.length = 0
    answered.push(node.ack(erinAt0, seqs[1]))
    await nextTurn()
    answered.push(node.markRead(erinAt0, seqs[2]))
    await nextTurn()
    expect(group.published).toEqual([])
    await group.pass(windowMs)
    await Promise.all(answered)
    expect(group.published.map(({ rises }) => rises)).toEqual([
      [
        {
          ticks: { conversationId: group.id, userId: erin, lastDeliveredSeq: seqs[2], lastReadSeq: seqs[2] },
          before: { lastDeliveredSeq: seqs[0], lastReadSeq: 1 },
        },
      ],
    ])
  })

  it('never fall, whatever order the events come in', async () => {
    const group = await aLargeGroup(6)
    const [bob, , , erin] = group.crowd as [UserId, UserId, UserId, UserId]
    const atBob = await group.watch(bob, 0, true)
    atBob.shown.length = 0
    const seq = await group.say(bob)
    const told = (delivered: Seq, read: Seq) =>
      new GroupTicks(group.id, [
        { ticks: { conversationId: group.id, userId: erin, lastDeliveredSeq: delivered, lastReadSeq: read } },
      ])
    const { events } = createSoft(group)
    await events.publishGroupTicks(told(seq, 0))
    await events.publishGroupTicks(told(1, 1))
    await events.publishGroupTicks(told(1, 0))
    await nextTurn()
    expect(atBob.lines()).toEqual([`${erin} ${seq}/0`, `${erin} ${seq}/1`])
    await atBob.stop()
  })

  it('a reply does not wait for the window', async () => {
    const group = await aLargeGroup(6)
    const [bob, carol] = group.crowd as [UserId, UserId]
    const first = await group.say(bob)
    await group.acks([carol], first)
    // The group is not quiet now, and no time passes.
    const other = group.crowd[4] ?? expect.fail()
    const node = group.nodes[0] ?? expect.fail()
    const atOnce = node.ack(await group.memberOf(other), first)
    await nextTurn()
    expect(await group.say(carol)).toBe(first + 1)
    await group.pass(windowMs)
    await atOnce
  })
})

type Group = Awaited<ReturnType<typeof aLargeGroup>>

const createSoft = ({ redis }: Group) => createSoftStateMemory(redis)

/** Writes the row as an ack does whose node dies before it publishes. */
const rowOf = ({ stores, id }: Group, userId: UserId, seq: Seq) =>
  stores.boundaries.deliver({ userId, conversationId: id }, seq)

/** A read of members who have got nowhere shows them as they are. */
const otherZeros = ({ alice, crowd }: Group, but: readonly UserId[]): string[] =>
  [alice, ...crowd].filter((userId) => !but.includes(userId)).map((userId) => `${userId} 0/0`)
