import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import type { ConversationId, DeviceId, UserId } from '../../../src/protocol/ids.ts'
import { createGroup } from '../../kit/group-of.ts'
import { aMessage, upTo } from '../../kit/ids.ts'
import { isLease } from '../../kit/leases.ts'
import { listedChat, type Person } from '../../kit/person.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import { startStockDevice } from '../../kit/stock-device.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Cost is counted, never timed: what one operation asks of DynamoDB and Redis, once a conversation is under way.

const patience = { timeout: 20_000, interval: 20 }
const calls: DynamoCall[] = []
const roundTrips: string[] = []
let world: World

beforeAll(async () => {
  world = await startWorld({
    app: {
      onDynamoCall: (call) => calls.push(call),
      onRedisRoundTrip: (name) => isLease(name) || roundTrips.push(name),
    },
  })
})
afterAll(() => world.stop())
beforeEach(forget)

function forget(): void {
  calls.length = 0
  roundTrips.length = 0
}

/** Streams of others may ask for these meanwhile. */
const ofPeriodicResyncs = ['sessions.renew', 'sequencer.heads', 'indexStamps.look', 'tickStamps.look']

const isOfSend = (name: string) => ![...ofPeriodicResyncs, 'versions.look'].includes(name)

const asked = () => calls.map(({ operation, table }) => `${operation} ${table}`)

/** What the first has beyond the second. */
function minus(all: readonly string[], others: readonly string[]): string[] {
  const rest = [...others]
  return all.filter((each) => !rest.includes(each) || rest.splice(rest.indexOf(each), 1).length === 0)
}

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
    // reserve and the read of the boundary cache go out together, as one.
    expect(roundTrips.length).toBeLessThanOrEqual(3)
    await atBob.stop()
  })

  it('a message to a group of 1,000 who are all there: the same two writes, no read, one publish', async () => {
    const alice = await world.person('alice')
    const crowd = Array.from({ length: 999 }, (_, i) => ({ userId: `crowd-${i}` }) as Person)
    const { id } = await createGroup(alice, crowd)
    await alice.send({ conversationId: id }, 'first')
    const { follow } = world.nodes[0]?.parts.domain ?? expect.fail()
    const streams = await Promise.all(crowd.map(({ userId }) => follow({ userId: userId as UserId, after: [] })))
    onTestFinished(async () => void (await Promise.all(streams.map((stream) => stream.return?.()))))
    // Each stream has caught up: what comes next is live.
    await Promise.all(streams.map((stream) => stream.next()))
    let heard = streams.map((stream) => stream.next())
    await vi.waitFor(async () => {
      const { presence } = world.nodes[0]?.parts.ports.sessions ?? expect.fail()
      expect(new Set(await presence(crowd.map(({ userId }) => userId as UserId)))).toEqual(new Set(['online']))
    }, patience)
    const costs = []
    for (const seq of [3, 4, 5, 6]) {
      forget()
      await alice.ask(leanSend, {
        input: { clientMessageId: `to-all-${seq}`, to: { conversationId: id }, body: 'x'.repeat(700) },
      })
      const events = await Promise.all(heard)
      expect(events.every(({ value }) => value.row.seq === seq)).toBe(true)
      heard = streams.map((stream) => stream.next())
      costs.push({ asked: asked(), units: unitsOf(calls), roundTrips: roundTrips.filter(isOfSend).sort() })
    }
    // Beside some of them goes the periodic resync of a thousand streams, which looks at what they are in.
    expect(costs).toContainEqual({
      asked: ['PutItem sends', 'PutItem messages'],
      units: 2,
      roundTrips: ['events.ringGroup', 'hints.get', 'sequencer.reserve'],
    })
  })

  it('three messages to a group in one document: three times what one costs, each with a look at who is in it', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const { id } = await createGroup(alice, [bob])
    await alice.send({ conversationId: id }, 'first')
    const sending = (name: string) =>
      `${name}: sendMessage(input: { clientMessageId: "${name}", to: { conversationId: "${id}" }, body: "hi" }) {
        duplicate message { id seq sender { id name } }
      }`
    const costOf = async (names: readonly string[]) => {
      forget()
      await alice.ask(`mutation { ${names.map(sending).join(' ')} }`)
      return { asked: asked(), roundTrips: roundTrips.filter((name) => !ofPeriodicResyncs.includes(name)) }
    }
    const one = await costOf(['one'])
    expect(one.asked).toEqual(['PutItem sends', 'PutItem messages'])
    expect([...one.roundTrips].sort()).toEqual(['events.ringGroup', 'hints.get', 'sequencer.reserve', 'versions.look'])
    const three = await costOf(['two', 'three', 'four'])
    expect(three.asked).toEqual([...one.asked, ...one.asked, ...one.asked])
    expect(three.roundTrips).toEqual([...one.roundTrips, ...one.roundTrips, ...one.roundTrips])
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
    expect(roundTrips).toEqual(['events.tell'])
    forget()
    await bob.markRead(chat, 3)
    expect(asked()).toEqual(['UpdateItem message_status'])
    await atBob.stop()
  })

  it('an ack with a deviceId: one write more', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    await bob.ack(chat, 1)
    const phone = startStockDevice(bob, { deviceId: 'phone' })
    await phone.receives(1)
    await world.online(bob)
    await phone.ack(chat, 2)
    await alice.send(bob, 'third')
    await phone.receives(2)
    forget()
    await phone.ack(chat, 3)
    expect(asked()).toEqual(['UpdateItem message_status', 'UpdateItem device_positions'])
    expect(unitsOf(calls)).toBe(2)
    expect(roundTrips.filter((name) => !ofPeriodicResyncs.includes(name))).toEqual(['events.tell'])
    await phone.stop()
  })

  it('a stream with a deviceId: two reads more, and the next cells of its direct chats; the first of all also a write and three queries', async () => {
    const [alice, bob, chat] = await conversationUnderWay()
    await bob.ack(chat, 2)
    const begin = async (deviceId?: string) => {
      const { follow } = world.nodes[0]?.parts.domain ?? expect.fail()
      forget()
      const stream = await follow({
        userId: bob.userId as UserId,
        after: [],
        ...(deviceId && { deviceId: deviceId as DeviceId }),
      })
      const next = stream.next()
      await world.online(bob)
      const cost = asked().sort()
      await stream.return?.()
      await next
      await world.offline(bob)
      return cost
    }
    await begin()
    const without = await begin()
    const first = await begin('phone')
    expect(minus(first, without)).toEqual([
      'BatchGetItem messages',
      'GetItem device_starts',
      'PutItem device_starts',
      'Query device_positions',
      'Query device_positions',
      'Query device_starts',
      'Query message_status',
    ])
    expect(minus(await begin('phone'), without)).toEqual([
      'BatchGetItem messages',
      'GetItem device_starts',
      'Query device_positions',
    ])
    expect(await begin()).toEqual(without)
    await alice.send(bob, 'still there?')
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

  it('a page with notices: still one query, wherever it begins', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const { id } = await createGroup(alice, [bob])
    for (const n of upTo(10)) {
      await alice.updateConversation(id, { title: `Tea ${n}` })
      await alice.send({ conversationId: id }, `m${n}`)
    }
    const page = `query ($id: ID!, $after: String) {
      messages(conversationId: $id, notices: true, first: 4, after: $after) { edges { cursor node { seq kind notice { kind } } } }
    }`
    const askFor = async (after?: string) => {
      forget()
      type Answer = { messages: { edges: { cursor: string; node: { kind: string } }[] } }
      const { messages } = await bob.ask<Answer>(page, { id, after })
      expect(messages.edges.map(({ node }) => node.kind).sort()).toEqual(['NOTICE', 'NOTICE', 'USER', 'USER'])
      return { cursor: messages.edges[3]?.cursor, calls: asked(), roundTrips: [...roundTrips] }
    }
    const first = await askFor()
    const second = await askFor(first.cursor)
    for (const each of [first, second]) {
      expect(each.calls).toEqual(['Query messages'])
      expect(each.roundTrips).toEqual(['versions.look'])
    }
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

  /** Writes straight into the stores: this person has so many more chats, each with a message that Redis knows of. */
  async function acquaint({ userId }: Person, from: number, to: number): Promise<void> {
    const { conversations, memberships, messages, sequencer, activity } = world.nodes[0]?.parts.ports ?? expect.fail()
    const [me, other] = [userId, 'somebody'] as UserId[] as [UserId, UserId]
    for (let i = from; i < to; i += 50) {
      await Promise.all(
        upTo(Math.min(50, to - i)).map(async (n) => {
          const id = `dm_${userId}-${i + n}` as ConversationId
          const message = aMessage(id, 1, { sentAtMs: 1_790_000_000_000 + i + n })
          await memberships.add(me, { conversationId: id, joinedSeq: 0 })
          await conversations.create({ id, kind: 'DIRECT', members: [me, other] })
          await messages.put(message)
          await seedCounter(sequencer, id, 1)
          await activity.seed([{ conversationId: id, seq: 1, atMs: message.sentAtMs }])
        }),
      )
    }
  }

  const loadList = async (person: Person) => {
    forget()
    const { conversations } = await person.ask<{ conversations: { edges: unknown[] } }>(wholeList)
    return { chats: conversations.edges.length, calls: asked().sort(), roundTrips: [...roundTrips].sort() }
  }
  const batches = ['BatchGetItem message_status', 'BatchGetItem messages', 'BatchGetItem messages']

  it('a list of 50 chats with everything: four calls of DynamoDB and two round trips, with 50 chats as with 500', async () => {
    const alice = await world.person('alice')
    await acquaint(alice, 0, 50)
    // A node that has met neither the conversations nor the people needs one batch more for each.
    const cold = await loadList(alice)
    expect(cold.calls).toEqual(
      [...batches, 'BatchGetItem conversations', 'BatchGetItem users', 'Query memberships'].sort(),
    )
    const fifty = await loadList(alice)
    expect(fifty).toEqual({
      chats: 50,
      calls: [...batches, 'Query memberships'],
      roundTrips: ['activity.of', 'sequencer.heads'],
    })
    await acquaint(alice, 50, 500)
    const coldAgain = await loadList(alice)
    expect(coldAgain.calls).toEqual([...batches, 'BatchGetItem conversations', 'Query memberships'].sort())
    expect(await loadList(alice)).toEqual(fifty)
  })

  it('several lists in one operation: one look at what the viewer is in', async () => {
    const alice = await world.person('alice')
    await acquaint(alice, 0, 20)
    await loadList(alice)
    forget()
    await alice.ask(`{ ${upTo(20).map((n) => `a${n}: conversations(first: 1) { edges { node { id } } }`)} }`)
    expect(asked().filter((call) => call === 'Query memberships')).toHaveLength(1)
    expect(roundTrips.filter((name) => name === 'activity.of')).toHaveLength(1)
  })

  it('the same 50 chats with when something was last said and how far the others have got: no call more, but one batch for what a backend has put beside direct chats', async () => {
    const alice = await world.person('alice')
    await acquaint(alice, 0, 50)
    const query = (fields: string) => `{ conversations { edges { node { id lastSeq ticks { userId } ${fields} } } } }`
    await alice.ask(query(''))
    const countOf = async (fields: string) => {
      forget()
      roundTrips.splice(0)
      await alice.ask(query(fields))
      return { calls: asked(), roundTrips: [...roundTrips].sort() }
    }
    const without = await countOf('')
    expect(await countOf('memberCount lastActivityAt deliveredSeq readSeq')).toEqual(without)
    const { calls } = await countOf('metadata')
    expect([...calls].sort()).toEqual([...without.calls, 'BatchGetItem conversations'].sort())
  })

  it('how many chats have something unread: the list, the boundaries, and a batch for each fifty until there are enough', async () => {
    const alice = await world.person('alice')
    const countOf = async () => {
      forget()
      const { unreadConversationCount } = await alice.ask<{ unreadConversationCount: number }>(
        '{ unreadConversationCount }',
      )
      return { unreadConversationCount, calls: asked().sort() }
    }
    await acquaint(alice, 0, 20)
    await countOf()
    const calls = ['BatchGetItem messages', 'Query memberships', 'Query message_status']
    expect(await countOf()).toEqual({ unreadConversationCount: 20, calls })
    await acquaint(alice, 20, 150)
    await countOf()
    // There are fifty at a time, until there are a hundred.
    expect(await countOf()).toEqual({ unreadConversationCount: 100, calls: ['BatchGetItem messages', ...calls] })
  })

  it('a page around a message: two queries; fifty messages by their ids: one batch', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const ids: string[] = []
    for (const n of upTo(50)) ids.push((await alice.send(bob, `m${n}`)).id)
    const chat = world.chatOf(alice, bob)
    await bob.history(chat)
    forget()
    await bob.ask('query ($id: ID!) { messages(conversationId: $id, aroundSeq: 25, first: 20) { edges { cursor } } }', {
      id: chat,
    })
    expect(asked()).toEqual(['Query messages', 'Query messages'])
    forget()
    await bob.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Message { body } } }', { ids })
    expect(asked()).toEqual(['BatchGetItem messages'])
  })

  it('several people in one operation: one look at whom the viewer knows', async () => {
    const alice = await world.person('alice')
    await createGroup(alice, [await world.person('bob')])
    forget()
    await alice.ask(`{ ${upTo(20).map((n) => `a${n}: node(id: "stranger-${n}") { id }`)} }`)
    expect(asked().filter((call) => call === 'Query memberships')).toHaveLength(1)
  })

  it('a list whose chats end with reactions: as many calls as one whose chats end with messages', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    for (let i = 0; i < 5; i += 1) await (await world.person(`friend${i}`)).send(alice, 'hello')
    await bob.send(alice, 'hello')
    const before = await loadList(alice)
    for (const emoji of ['👍', '🎉', '❤️']) await bob.react(world.chatOf(alice, bob), 1, emoji)
    expect(await loadList(alice)).toEqual({ ...before, calls: [...batches, 'Query memberships'] })
  })

  it('the settings of one conversation: one batch, and none where nobody asks', async () => {
    const [alice, , chat] = await conversationUnderWay()
    forget()
    await alice.ask('query ($id: ID!) { conversation(id: $id) { id kind } }', { id: chat })
    expect(asked()).toEqual([])
    await alice.ask('query ($id: ID!) { conversation(id: $id) { pinned archived mutedUntil } }', { id: chat })
    expect(asked()).toEqual(['BatchGetItem memberships'])
    forget()
    await alice.updateConversation(chat, { pinned: true })
    expect(asked()[0]).toBe('UpdateItem memberships')
    expect(asked()).not.toContain('BatchGetItem memberships')
  })
})

const wholeList = `{ conversations(first: 50) { edges { node { ${listedChat} members { id name } ticks { userId lastReadSeq } } } } }`

const unitsOf = (counted: readonly DynamoCall[]) => counted.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0)

const pageOfTwo = /* GraphQL */ `
  query ($chat: ID!, $after: String) {
    messages(conversationId: $chat, first: 2, after: $after) { edges { node { seq body } } pageInfo { hasNextPage } }
  }
`

// This asks for no ticks, as they cost a read.
const leanSend = /* GraphQL */ `
  mutation ($input: SendMessageInput!) {
    sendMessage(input: $input) { duplicate message { id seq sender { id name } } }
  }
`
