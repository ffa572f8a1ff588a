import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import type { ApiError, Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// These limits are about what an operation turns out to load. Its estimate, which is judged before it runs, has tests of its own:
// document-cost.test.ts.

let world: World
let alice: Person
let group: string
let chat: string

beforeAll(async () => {
  world = await startWorld()
  alice = await world.person('alice')
  const memberIds = Array.from({ length: 1023 }, (_, i) => `member-${i}`)
  const { createGroup } = await alice.ask<{ createGroup: { conversation: { id: string } } }>(
    'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
    { input: { clientGroupId: randomUUID(), title: 'Everybody', memberIds } },
  )
  group = createGroup.conversation.id
  const bob = await world.person('bob')
  chat = world.chatOf(alice, bob)
  for (let i = 0; i < 60; i += 1) await alice.send(bob, 'x'.repeat(4096))
}, 60_000)
afterAll(() => world.stop())

const times = (count: number, field: string) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
const user = 'id name avatarUrl presence { state lastSeenAt }'

describe.each(['http', 'ws'] as const)('over %s', (via) => {
  const ask = (query: string) =>
    alice.ask(query, { id: group, chat }, { via }).then(
      () => 'OK',
      ({ code }: ApiError) => code,
    )
  /** The first call prepares the document. The second finds it prepared, and must be answered the same. */
  const askTwice = async (query: string) => [await ask(query), await ask(query)]
  const refused = ['QUERY_TOO_COMPLEX', 'QUERY_TOO_COMPLEX']

  it('a large group is shown with all there is of its members, once', async () => {
    const query = `query ($id: ID!) { conversation(id: $id) {
      members { ${user} } memberships { user { ${user} } role joinedSeq } ticks { userId lastDeliveredSeq lastReadSeq } } }`
    expect(await askTwice(query)).toEqual(['OK', 'OK'])
  })

  it('60 times its members are refused, as root fields and below one', async () => {
    const often = (fields: string) => `query ($id: ID!) { ${times(60, `conversation(id: $id) { ${fields} }`)} }`
    expect(await askTwice(often('members { id }'))).toEqual(refused)
    const below = `query ($id: ID!) { conversation(id: $id) { ${times(60, 'members { id }')} } }`
    expect(await askTwice(below)).toEqual(refused)
  })

  it('what is selected of each counts, wherever it is written', async () => {
    const query = (selected: string) => `query ($id: ID!) { conversation(id: $id) { ${times(12, selected)} } }`
    expect(await askTwice(query('members { id }'))).toEqual(['OK', 'OK'])
    expect(await askTwice(query(`members { ${user} ... { id, name } }`))).toEqual(refused)
    const byFragment = `${query('members { ...A ...B }')} fragment A on User { ...B } fragment B on User { ${user} }`
    expect(await askTwice(byFragment)).toEqual(refused)
  })

  it('the payload of a mutation counts', async () => {
    const query = `mutation ($id: ID!) { updateConversation(input: { conversationId: $id, pinned: true }) {
      conversation { ${times(60, 'members { id }')} } } }`
    expect(await askTwice(query)).toEqual(refused)
  })

  it('long texts count', async () => {
    const query = (body: string) => `query ($chat: ID!) { messages(conversationId: $chat, first: 100) {
      edges { node { id ${body} } } } }`
    expect(await askTwice(query('body'))).toEqual(['OK', 'OK'])
    expect(await askTwice(query(times(60, 'body')))).toEqual(refused)
  })
})

it('every list of chats after the first is charged for all of them, however few it shows', async () => {
  const carol = await world.person('carol')
  const { memberships, activity } = world.nodes[0]?.parts.ports ?? expect.fail()
  const idOf = (n: number) => `dm_${carol.userId}-${n}` as ConversationId
  const add = (n: number) => memberships.add(carol.userId as UserId, { conversationId: idOf(n), joinedSeq: 0 })
  const numbers = Array.from({ length: 1200 }, (_, n) => n)
  for (let i = 0; i < 1200; i += 100) await Promise.all(numbers.slice(i, i + 100).map(add))
  await activity.seed(numbers.map((n) => ({ conversationId: idOf(n), seq: 1, atMs: n })))
  const list = 'conversations(first: 1) { edges { node { id } } }'
  expect(await carol.ask(`{ ${list} }`)).toBeTruthy()
  await expect(carol.ask(`{ ${times(60, list)} }`)).rejects.toMatchObject({ code: 'QUERY_TOO_COMPLEX' })
})

it('an operation that loads too much says so once', async () => {
  const response = await fetch(`${world.url()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ query: `{ ${times(60, `conversation(id: "${group}") { members { ${user} } }`)} }` }),
  })
  const { errors } = (await response.json()) as { errors: unknown[] }
  expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } })])
})

it('a subscription ends with the event that loads too much, and says so', async () => {
  const query = `subscription { conversationChanged { id ${times(60, 'members { id }')} } }`
  const event = alice.ask(query, {}, { via: 'ws' }).catch(({ code }: ApiError) => code)
  const nothingYet = Promise.resolve('nothing yet')
  const sendAndLook = async () => {
    await alice.send({ conversationId: group }, 'hello')
    return Promise.race([event, nothingYet])
  }
  await expect.poll(sendAndLook, { timeout: 10_000 }).toBe('QUERY_TOO_COMPLEX')
})
