import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import { type ConversationId, messageNodeId, type UserId } from '../../../src/protocol/ids.ts'
import { createGroup } from '../../kit/group-of.ts'
import { isLease } from '../../kit/leases.ts'
import { ApiError, type Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// A user learns nothing of people they have never written to, nor of conversations they are not in: neither by an answer nor by what it takes
// to give it.

const calls: string[] = []
let world: World
beforeAll(async () => {
  const onDynamoCall = ({ operation, table }: DynamoCall) => void calls.push(`${operation} ${table}`)
  world = await startWorld({
    app: { onDynamoCall, onRedisRoundTrip: (name) => void (isLease(name) || calls.push(name)) },
  })
})
afterAll(() => world.stop())
beforeEach(() => void calls.splice(0))

const portsOf = () => world.nodes[0]?.parts.ports ?? expect.fail()

const codeOf = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'fine',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  )

describe('a first message that is refused', () => {
  const attempts: Record<string, (alice: Person, bob: Person) => Promise<object>> = {
    'as it replies to nothing': async () => ({ replyToSeq: 999 }),
    'as its file does not exist': async () => ({ attachmentIds: ['none'] }),
    'as it has no words': async () => ({ body: ' ' }),
    'as its client id was used before': async (alice) => {
      const carol = await world.person('carol')
      await alice.send(carol, 'hello', { clientMessageId: 'used' })
      return { clientMessageId: 'used' }
    },
    'as the other has blocked its sender': async (alice, bob) => {
      await bob.setBlocked(alice, true)
      return {}
    },
  }

  it.each(Object.entries(attempts))('%s, leaves no chat and no right to see the other', async (_why, prepare) => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { displayName: 'Bob' })]
    const input = {
      clientMessageId: randomUUID(),
      to: { userId: bob.userId },
      body: 'hi',
      ...(await prepare(alice, bob)),
    }
    const others = (await alice.conversations()).edges.length
    const atBob = bob.follow()
    await world.online(bob)
    await expect(alice.ask(send, { input })).rejects.toBeInstanceOf(ApiError)

    const chat = world.chatOf(alice, bob)
    expect(await alice.ask(lookAt, { id: bob.userId })).toEqual({ node: null })
    expect(await alice.ask(lookAt, { id: chat })).toEqual({ node: null })
    expect(await alice.conversation(chat)).toBeNull()
    expect((await alice.conversations()).edges).toHaveLength(others)
    expect(await codeOf(alice.history(chat))).toBe('NOT_FOUND')
    expect(await codeOf(alice.send({ conversationId: chat }, 'hi'))).toBe('NOT_FOUND')
    const watched = alice.followPresence([bob.userId, alice.userId])
    await watched.receives(1)
    await atBob.stop()
    await world.offline(bob)
    const atAlice = alice.follow()
    await watched.sees(({ presence }) => presence?.state === 'ONLINE')
    expect(new Set(watched.events.map(({ id }) => id))).toEqual(new Set([alice.userId]))
    expect(await portsOf().conversations.getMany([chat as ConversationId])).toEqual([])
    expect(await portsOf().memberships.ofUser(bob.userId as UserId)).toEqual([])
    await Promise.all([watched.stop(), atAlice.stop()])
  })
})

describe('a question about a conversation of others', () => {
  it('asks the stores for the same as one about a conversation that does not exist, the first time and later', async () => {
    const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
    await alice.send(bob, 'between us')
    const chat = world.chatOf(alice, bob)
    const group = await createGroup(alice, [bob])
    await alice.send({ conversationId: group.id }, 'among us')

    for (const [existing, strange] of [
      [chat, 'dm_AAAAAAAAAAAAAAAAAAAAAAAAAAA'],
      [group.id, `${group.id.slice(0, -1)}${group.id.endsWith('A') ? 'B' : 'A'}`],
    ] as const) {
      for (const [name, ask] of questions) {
        const askFor = async (id: string) => {
          calls.splice(0)
          const code = await codeOf(ask(carol, id))
          return { name, code, calls: [...calls] }
        }
        const [first, second] = [await askFor(existing), await askFor(existing)]
        const none = await askFor(strange)
        expect(none.code).toMatch(/^(fine|NOT_FOUND)$/)
        expect(first).toEqual(none)
        expect(second).toEqual(none)
        expect(await askFor(strange)).toEqual(none)
      }
    }
  })

  it('by a position in `after` asks the stores for the same, too', async () => {
    const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
    await alice.send(bob, 'between us')
    const { conversationId: own } = await carol.send(carol, 'a note')
    // The stranger's own position is refused after all of them were looked up, so that no stream begins whose calls would be among these.
    const stream = subscription(
      `messageAdded(after: [{ conversationId: $id, seq: -1 }, { conversationId: "${own}", seq: -1 }])`,
    )
    const askFor = async (id: string) => {
      calls.splice(0)
      const code = await codeOf(stream[1](carol, id))
      return { code, calls: [...calls] }
    }
    await askFor(own)
    const none = await askFor('dm_AAAAAAAAAAAAAAAAAAAAAAAAAAA')
    expect(none.code).toBe('BAD_USER_INPUT')
    for (let time = 1; time <= 2; time += 1) expect(await askFor(world.chatOf(alice, bob))).toEqual(none)
  })
})

const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }'
const lookAt = 'query ($id: ID!) { node(id: $id) { id ... on User { name presence { state } } } }'

type Question = [name: string, ask: (person: Person, id: string) => Promise<unknown>]
const mutation = (name: string, type: string, more: object): Question => [
  name,
  (person, conversationId) =>
    person.ask(`mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`, {
      input: { conversationId, ...more },
    }),
]
const subscription = (field: string): Question => [
  field,
  (person, id) => person.ask(`subscription ($id: ID!) { ${field} { __typename } }`, { id }, { via: 'ws' }),
]
const change = { seq: 1, clientMessageId: 'change' }
const questions: readonly Question[] = [
  ['conversation', (person, id) => person.conversation(id)],
  ['node', (person, id) => person.ask(lookAt, { id })],
  [
    'node of a message',
    (person, id) => person.ask(lookAt, { id: messageNodeId({ conversationId: id as ConversationId, seq: 1 }) }),
  ],
  ['messages', (person, id) => person.history(id)],
  [
    'messages around',
    (person, id) =>
      person.ask('query ($id: ID!) { messages(conversationId: $id, aroundSeq: 1) { edges { cursor } } }', { id }),
  ],
  [
    'nodes of members',
    (person, id) =>
      person.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
        ids: [`tck_${id}~${person.userId}`, `mbr_${id}~${person.userId}`],
      }),
  ],
  ['sendMessage', (person, id) => person.send({ conversationId: id }, 'hi')],
  ['sendMessage by REST', (person, id) => person.send({ conversationId: id }, 'hi', { via: 'rest' })],
  mutation('ack', 'AckInput', { seq: 1 }),
  mutation('markRead', 'MarkReadInput', { seq: 1 }),
  mutation('editMessage', 'EditMessageInput', { ...change, body: 'other' }),
  mutation('deleteMessage', 'DeleteMessageInput', change),
  mutation('react', 'ReactInput', { ...change, emoji: '👍', on: true }),
  mutation('reportMessage', 'ReportMessageInput', { seq: 1, reason: 'SPAM' }),
  mutation('setTyping', 'SetTypingInput', { typing: true }),
  mutation('updateConversation', 'UpdateConversationInput', { pinned: true }),
  mutation('updateMembers', 'UpdateMembersInput', { add: ['somebody'] }),
  mutation('leaveConversation', 'LeaveConversationInput', {}),
  subscription('messageAdded(conversationId: $id)'),
  subscription('messageChanged(conversationId: $id)'),
  subscription('ticksChanged(conversationId: $id)'),
  subscription('typingChanged(conversationId: $id)'),
]
