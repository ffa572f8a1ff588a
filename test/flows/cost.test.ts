import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DynamoCall } from '../../src/store/dynamo-client.ts'
import type { Person } from '../kit/person.ts'
import { startWorld, type World } from '../kit/world.ts'

// Cost is counted, never timed: what one operation asks of DynamoDB and Redis, once a conversation is under way.

const calls: DynamoCall[] = []
const roundTrips: string[] = []
let world: World

beforeAll(async () => {
  world = await startWorld({
    app: { onDynamoCall: (call) => calls.push(call), onRedisRoundTrip: (name) => roundTrips.push(name) },
  })
})
afterAll(() => world.stop())
beforeEach(forget)

function forget(): void {
  calls.length = 0
  roundTrips.length = 0
}

const asked = () => calls.map(({ operation, table }) => `${operation} ${table}`)

async function conversationUnderWay(): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.send(bob, 'first')
  await alice.send(bob, 'second')
  return [alice, bob, world.chatOf(alice, bob)]
}

describe('the cost of', () => {
  it('a message of 1 KB to an attached member: two writes, no read, two Redis round trips', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    await bob.ack(chat, 2)
    const atBob = bob.followLean()
    await world.online(bob)
    forget()
    await alice.ask(leanSend, {
      input: { clientMessageId: 'lean', to: { conversationId: chat }, body: 'x'.repeat(700) },
    })
    await atBob.receives(1)
    expect(asked()).toEqual(['PutItem sends', 'PutItem messages'])
    expect(calls.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0)).toBe(2)
    // reserve and the hint go out together, as one.
    expect(roundTrips.length).toBeLessThanOrEqual(3)
    await atBob.stop()
  })

  it('an ack: one write; a read: one write', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    // The first ack of a conversation also looks for a pending row.
    await bob.ack(chat, 1)
    await bob.markRead(chat, 2)
    const atBob = bob.follow()
    await world.online(bob)
    await alice.send(bob, 'third')
    await atBob.receives(1)
    forget()
    await bob.ack(chat, 3)
    expect(asked()).toEqual(['UpdateItem message_status'])
    forget()
    await bob.markRead(chat, 3)
    expect(asked()).toEqual(['UpdateItem message_status'])
    await atBob.stop()
  })

  it('a page: one query, and page 1 costs what page 2,000 costs', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    const [row] = await messages.below(chat as never, 3, 1)
    if (row?.kind !== 'message') expect.fail()
    for (let from = 3; from <= 4000; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) => messages.put({ ...row, seq: from + i, body: `m${from + i}` })),
      )
    }
    await world.redis.flush()
    await bob.history(chat, { first: 2 })
    const { edges } = await alice.history(chat, { last: 4 })
    const askFor = async (after?: string) => {
      forget()
      await alice.ask(pageOfTwo, { chat, after })
      return { asked: asked(), units: unitsOf(calls) }
    }
    const first = await askFor()
    expect(first.asked).toEqual(['Query messages'])
    expect(await askFor(edges[0]?.cursor)).toEqual(first)
  })

  it('a page of 50 messages with senders and ticks: as many calls as a page of two', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    const callsFor = async () => {
      forget()
      await alice.history(chat, { first: 50 })
      return asked().sort()
    }
    await callsFor()
    const two = await callsFor()
    for (let i = 0; i < 48; i += 1) await (i % 2 ? alice : bob).send({ conversationId: chat }, `m${i}`)
    expect(await callsFor()).toEqual(two)
    expect(two).toEqual(['BatchGetItem message_status', 'Query messages'])
  })

  it('a catch-up of 50 messages with ticks: a read of boundaries now and then, not one per message', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    for (let i = 0; i < 50; i += 1) await alice.send(bob, `m${i}`)
    forget()
    const atBob = bob.follow()
    await atBob.receives(50)
    expect(asked().filter((call) => call === 'BatchGetItem message_status').length).toBeLessThan(50)
    await atBob.stop()
  })

  it('a list of 50 chats with last message and unread count: as many calls as a list of two', async () => {
    const alice = await world.person('alice')
    const callsFor = async () => {
      forget()
      const { edges } = await alice.conversations({ first: 50 })
      return { chats: edges.length, calls: asked().sort(), roundTrips: roundTrips.length }
    }
    const befriend = async (count: number) => {
      for (let i = 0; i < count; i += 1) await (await world.person(`friend${i}`)).send(alice, 'hello')
    }
    await befriend(2)
    const two = await callsFor()
    await befriend(48)
    const fifty = await callsFor()
    expect([two.chats, fifty.chats]).toEqual([2, 50])
    expect(fifty.calls.length).toBeLessThanOrEqual(two.calls.length)
    expect(two.calls.length).toBeLessThanOrEqual(6)
    expect(fifty.roundTrips).toBe(two.roundTrips)
  })
})

const unitsOf = (counted: readonly DynamoCall[]) => counted.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0)

const pageOfTwo = /* GraphQL */ `
  query ($chat: ID!, $after: String) {
    messages(conversationId: $chat, first: 2, after: $after) { edges { node { seq body } } pageInfo { hasNextPage } }
  }
`

// Without ticks, which whoever asks for them pays for by a read.
const leanSend = /* GraphQL */ `
  mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { duplicate message { id seq sender { id name } } }
  }
`
