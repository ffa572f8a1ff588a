import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tick } from '../../../src/protocol/ticks.ts'
import type { Person, TicksEvent, Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Alice has sent bob so many messages. */
async function chatOf(count: number): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  for (let i = 1; i <= count; i += 1) await alice.send(bob, `m${i}`)
  return [alice, bob, world.chatOf(alice, bob)]
}

const ticksQuery = 'query ($chat: ID!) { messages(conversationId: $chat, last: 50) { edges { node { tick } } } }'
type TicksAnswer = { messages: { edges: { node: { tick: Tick } }[] } }

const ticksSeenBy = async (person: Person, chat: string): Promise<Tick[]> =>
  (await person.ask<TicksAnswer>(ticksQuery, { chat })).messages.edges.map(({ node }) => node.tick).reverse()

/** Returns `delivered/read`. */
const boundary = ({ lastDeliveredSeq, lastReadSeq }: Pick<TicksEvent, 'lastDeliveredSeq' | 'lastReadSeq'>): string =>
  `${lastDeliveredSeq}/${lastReadSeq}`

describe.each<Via>(['http', 'ws'])('ack and markRead over %s', (via) => {
  it('turn one tick into two, and two into blue', async () => {
    const [alice, bob, chat] = await chatOf(3)
    expect(await ticksSeenBy(alice, chat)).toEqual(['SENT', 'SENT', 'SENT'])
    expect(boundary(await bob.ack(chat, 2, { via }))).toBe('2/0')
    expect(await ticksSeenBy(alice, chat)).toEqual(['DELIVERED', 'DELIVERED', 'SENT'])
    expect(boundary(await bob.markRead(chat, 1, { via }))).toBe('2/1')
    expect(await ticksSeenBy(alice, chat)).toEqual(['READ', 'DELIVERED', 'SENT'])
  })

  it('a read lifts delivered along, also as the first thing said', async () => {
    const [, bob, chat] = await chatOf(2)
    expect(boundary(await bob.markRead(chat, 2, { via }))).toBe('2/2')
  })

  it('never lower anything', async () => {
    const [, bob, chat] = await chatOf(3)
    await bob.markRead(chat, 3, { via })
    expect(boundary(await bob.ack(chat, 1, { via }))).toBe('3/3')
    expect(boundary(await bob.markRead(chat, 2, { via }))).toBe('3/3')
  })

  it('refuse what does not exist yet, and zero', async () => {
    const [, bob, chat] = await chatOf(2)
    for (const seq of [3, 0, -1, 2 ** 31 - 1]) {
      const refused = { code: 'SEQ_OUT_OF_RANGE', retryable: false }
      await expect(bob.ack(chat, seq, { via })).rejects.toMatchObject(refused)
      await expect(bob.markRead(chat, seq, { via })).rejects.toMatchObject(refused)
    }
    expect((await bob.conversation(chat))?.ticks.map(boundary)).toEqual(['0/0', '0/0'])
  })
})

describe('ticksChanged', () => {
  it('of one conversation begins with the others as they are, and then tells every rise', async () => {
    const [alice, bob, conversationId] = await chatOf(3)
    const atAlice = alice.followTicks({ conversationId })
    expect(await atAlice.receives(1)).toEqual([
      { conversationId, userId: bob.userId, lastDeliveredSeq: 0, lastReadSeq: 0 },
    ])
    await bob.ack(conversationId, 3)
    await bob.markRead(conversationId, 2)
    expect((await atAlice.receives(3)).map(boundary)).toEqual(['0/0', '3/0', '3/2'])
    await atAlice.stop()
  })

  it('never tells the viewer’s own', async () => {
    const [alice, bob, conversationId] = await chatOf(1)
    const atBob = bob.followTicks({ conversationId })
    await atBob.receives(1)
    await bob.ack(conversationId, 1)
    await bob.send(alice, 'reply')
    await alice.ack(conversationId, 2)
    expect((await atBob.receives(2)).map(({ userId }) => userId)).toEqual([alice.userId, alice.userId])
    await atBob.stop()
  })

  it('of all conversations tells of each, also of those made later', async () => {
    const [alice, bob, conversationId] = await chatOf(1)
    const atAlice = alice.followTicks()
    const carol = await world.person('carol')
    // Nothing comes first here, so this asks until the subscription is heard to stand.
    const first = atAlice.receives(1)
    await expect
      .poll(async () => {
        await bob.ack(conversationId, 1)
        return atAlice.events.length
      })
      .toBeGreaterThan(0)
    await first
    await alice.send(carol, 'new')
    await carol.markRead(world.chatOf(alice, carol), 1)
    expect(await atAlice.sees(({ userId }) => userId === carol.userId)).toMatchObject({ lastReadSeq: 1 })
    await atAlice.stop()
  })

  it('makes up for a lost link to Redis', async () => {
    const [alice, bob, conversationId] = await chatOf(2)
    const atAlice = alice.followTicks({ conversationId })
    await atAlice.receives(1)
    await world.redis.killSubscribers()
    await bob.ack(conversationId, 1)
    await bob.markRead(conversationId, 2)
    expect(boundary(await atAlice.sees((ticks) => ticks.lastReadSeq === 2))).toBe('2/2')
    await atAlice.stop()
  })
})

describe('a reply', () => {
  const replyReads = async (delivered: number): Promise<string | undefined> => {
    const [, bob, chat] = await chatOf(4)
    if (delivered > 0) await bob.ack(chat, delivered)
    await bob.send({ conversationId: chat }, 'reply')
    const ticks = (await bob.conversation(chat))?.ticks.find(({ userId }) => userId === bob.userId)
    return ticks && boundary(ticks)
  }

  it('with nothing delivered reads nothing', async () => expect(await replyReads(0)).toBe('0/0'))

  it('with two of four delivered reads exactly two', async () => expect(await replyReads(2)).toBe('2/2'))

  it('reads also when Redis has forgotten what was delivered', async () => {
    const [, bob, chat] = await chatOf(4)
    await bob.ack(chat, 3)
    await world.redis.flush()
    await bob.send({ conversationId: chat }, 'reply')
    expect((await bob.conversation(chat))?.ticks.map(boundary).sort()).toEqual(['0/0', '3/3'])
  })

  it('told again reads nothing more', async () => {
    const [alice, bob, chat] = await chatOf(1)
    await bob.ack(chat, 1)
    await bob.send({ conversationId: chat }, 'reply', { clientMessageId: 'reply' })
    await alice.send(bob, 'afterwards')
    await bob.ack(chat, 3)
    await bob.send({ conversationId: chat }, 'reply', { clientMessageId: 'reply' })
    expect((await bob.conversation(chat))?.ticks.map(boundary)).toContain('3/1')
  })

  it('is seen by the other side', async () => {
    const [alice, bob, conversationId] = await chatOf(2)
    const atAlice = alice.followTicks({ conversationId })
    await atAlice.receives(1)
    await bob.ack(conversationId, 2)
    await bob.send({ conversationId }, 'reply')
    expect((await atAlice.receives(3)).map(boundary)).toEqual(['0/0', '2/0', '2/2'])
    await atAlice.stop()
  })
})
