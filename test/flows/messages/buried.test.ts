import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import type { Change, LogRow } from '../../../src/ports/log.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createDynamoTable } from '../../../src/store/dynamo/table.ts'
import { toItem } from '../../../src/store/rows/message-columns.ts'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import { aChange, aGroupChange, aMessage, aVoid } from '../../kit/ids.ts'
import type { Person } from '../../kit/person.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

// However much one person puts into a log, a node reads those rows only once, and in large steps. This is counted, not timed.

const calls: DynamoCall[] = []
let world: World
beforeAll(async () => {
  world = await startWorld({ app: { onDynamoCall: (call) => calls.push(call) } })
})
afterAll(() => world.stop())
beforeEach(() => {
  calls.length = 0
})

const queries = () => calls.filter(({ operation, table }) => operation === 'Query' && table === 'messages').length

async function asked<T>(work: () => Promise<T>): Promise<[T, number]> {
  calls.length = 0
  const answer = await work()
  return [answer, queries()]
}

async function aChat(): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.send(bob, 'first')
  return [alice, bob, world.chatOf(alice, bob)]
}

/** Writes straight into the log, from the first free cell on. Redis learns of it by forgetting its counter. */
async function fill(chat: string, count: number, rowAt: (seq: number) => LogRow, first = 2): Promise<void> {
  const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
  const dynamo = { ...connectDynamo(await sharedService('dynalite')), tablePrefix: world.prefix }
  const table = createDynamoTable(dynamo, 'messages')
  await table.putMany(Array.from({ length: count }, (_, i) => toItem(rowAt(first + i))))
  dynamo.client.close()
  expect((await messages.above(chat as never, count, 5)).at(-1)?.seq).toBe(first + count - 1)
  await world.redis.flush()
}

describe('a chat that ends with 4,000 reactions', () => {
  async function aBuriedChat(): Promise<[Person, Person, string]> {
    const [alice, bob, chat] = await aChat()
    const message = aMessage(chat as never, 1, { senderId: alice.userId as UserId })
    const toggle = (seq: number): Change =>
      aChange(message, seq, { type: 'reaction', emoji: '👍', on: seq % 2 === 0 }, { senderId: bob.userId as UserId })
    await fill(chat, 4000, (seq) => (seq % 1000 === 7 ? aVoid(chat as never, seq) : toggle(seq)))
    return [alice, bob, chat]
  }

  it('shows its last message after a few steps, and the next time at once', async () => {
    const [alice, , chat] = await aBuriedChat()
    const [{ edges }, first] = await asked(() => alice.history(chat, { first: 1 }))
    expect(edges.map(({ node }) => node.body)).toEqual(['first'])
    expect(first).toBeLessThan(20)
    const [again, second] = await asked(() => alice.history(chat, { first: 1 }))
    expect(again.edges).toHaveLength(1)
    expect(second).toBeLessThan(4)
    const [oldest, third] = await asked(() => alice.history(chat, { last: 2 }))
    expect(oldest.edges).toHaveLength(1)
    expect(third).toBeLessThan(4)
  })

  it('does not slow down the list, and what comes after it is shown', async () => {
    const [alice, bob, chat] = await aBuriedChat()
    const [{ edges }, first] = await asked(() => bob.conversations({ first: 10 }))
    expect(edges.map(({ node }) => node.lastMessage?.body)).toEqual(['first'])
    expect(first).toBeLessThan(30)
    const [, second] = await asked(() => bob.conversations({ first: 10 }))
    expect(second).toBeLessThan(4)
    await bob.react(chat, 1, '🎉')
    await alice.send(bob, 'second')
    await bob.react(chat, 1, '🎉', false)
    const [page, third] = await asked(() => bob.history(chat, { first: 2 }))
    expect(page.edges.map(({ node }) => node.body)).toEqual(['second', 'first'])
    expect(third).toBeLessThan(12)
  })
})

describe('a group that ends with 4,000 reactions and changes of its title, in turns', () => {
  async function aBuriedGroup(): Promise<[Person, Person, string]> {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const { id } = await createGroup(alice, [bob])
    const groupId = id as ConversationId
    await alice.send({ conversationId: id }, 'first')
    const message = aMessage(groupId, 2, { senderId: alice.userId as UserId })
    const senderId = bob.userId as UserId
    await fill(
      id,
      4000,
      (seq) =>
        seq % 2 === 0
          ? aChange(message, seq, { type: 'reaction', emoji: '👍', on: seq % 4 === 0 }, { senderId })
          : aGroupChange(groupId, seq, { senderId, title: `Tea ${seq}`, baseVersion: seq === 5 ? 1 : seq - 2 }),
      3,
    )
    const { conversations } = world.nodes[0]?.parts.ports ?? expect.fail()
    const [group] = await conversations.getMany([groupId])
    if (group?.kind !== 'GROUP') return expect.fail()
    expect(await conversations.replace({ ...group, title: 'Tea', version: 4001 }, group.version)).toBe(true)
    return [alice, bob, id]
  }

  it('does not slow down the list', async () => {
    const [alice, bob] = await aBuriedGroup()
    const [{ edges }, first] = await asked(() => alice.conversations({ first: 10 }))
    expect(edges.map(({ node }) => node.lastMessage?.body)).toEqual(['first'])
    expect(first).toBeLessThan(30)
    const [again, second] = await asked(() => bob.conversations({ first: 10 }))
    expect(again.edges.map(({ node }) => node.lastMessage?.body)).toEqual(['first'])
    expect(second).toBeLessThan(4)
  })

  it('shows its last message and its first one after a few steps, and the next time at once', async () => {
    const [alice, bob, id] = await aBuriedGroup()
    const [, first] = await asked(() => alice.history(id, { first: 1 }))
    expect(first).toBeLessThan(20)
    await alice.send({ conversationId: id }, 'second')
    const [newest, second] = await asked(() => bob.history(id, { first: 5 }))
    expect(newest.edges.map(({ node }) => node.body)).toEqual(['second', 'first'])
    expect(second).toBeLessThan(5)
    const [oldest, third] = await asked(() => bob.history(id, { last: 5 }))
    expect(oldest.edges.map(({ node }) => node.body)).toEqual(['second', 'first'])
    expect(third).toBeLessThan(5)
  })

  it('takes nothing from who is removed above it, and shows nothing more to them', async () => {
    const [alice, bob, id] = await aBuriedGroup()
    await bob.history(id, { first: 5 })
    await updateMembers(alice, id, { remove: [bob] })
    await alice.send({ conversationId: id }, 'without bob')
    await expect(bob.history(id, { first: 5 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await alice.history(id, { first: 5 })).edges.map(({ node }) => node.body)).toEqual(['without bob', 'first'])
  })
})

describe('unreadCount', () => {
  const unread = async (person: Person, chat: string) => (await person.conversation(chat))?.unreadCount

  it('of somebody who only sends does not read the whole log each time', async () => {
    const [alice, bob, chat] = await aChat()
    await fill(chat, 3000, (seq) => aMessage(chat as never, seq, { senderId: alice.userId as UserId }))
    const [none, first] = await asked(() => unread(alice, chat))
    expect(none).toBe(0)
    expect(first).toBeLessThan(15)
    const [still, second] = await asked(() => unread(alice, chat))
    expect(still).toBe(0)
    expect(second).toBeLessThanOrEqual(1)
    for (const body of ['a', 'b']) await bob.send(alice, body)
    await alice.send(bob, 'mine')
    const [two, third] = await asked(() => unread(alice, chat))
    expect(two).toBe(2)
    expect(third).toBeLessThanOrEqual(2)
    expect(await unread(bob, chat)).toBe(100)
  })

  it('counts the few that somebody never read below many of their own, and no longer what was deleted', async () => {
    const [alice, bob, chat] = await aChat()
    const isAlices = (seq: number) => seq <= 3
    await fill(chat, 2000, (seq) =>
      aMessage(chat as never, seq, { senderId: (isAlices(seq) ? alice : bob).userId as UserId }),
    )
    expect(await unread(bob, chat)).toBe(3)
    const [three, again] = await asked(() => unread(bob, chat))
    expect(three).toBe(3)
    expect(again).toBeLessThanOrEqual(2)
    await alice.remove(chat, 2)
    expect(await unread(bob, chat)).toBe(2)
    await bob.markRead(chat, 2)
    expect(await unread(bob, chat)).toBe(1)
  })
})
