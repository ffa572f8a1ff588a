import { getIntrospectionQuery, isObjectType, parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as generated from '../../../packages/client/src/generated/graphql.ts'
import { fieldCosts } from '../../../src/schema/field-costs.ts'
import { schema } from '../../../src/schema/schema.ts'
import { createCheckCost } from '../../../src/transport/documents/document-cost.ts'
import type { ApiError, Person, Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let chat: string

beforeAll(async () => {
  world = await startWorld()
  const bob = await world.person('bob')
  alice = await world.person('alice')
  await alice.send(bob, 'hi')
  chat = world.chatOf(alice, bob)
})
afterAll(() => world.stop())

const outcome = (query: string, variables: object, via: Via): Promise<unknown> =>
  alice.ask(query, variables, { via }).then(
    () => 'OK',
    ({ code }: ApiError) => code,
  )

const everythingOfAUser = 'id name avatarUrl presence { state lastSeenAt }'
const everythingOfAMessage = `id conversationId seq messageId clientMessageId sender { ${everythingOfAUser} } body sentAt tick
  attachments { id url contentType byteSize name } reactions { emoji count viewerReacted } editedAt deletedAt
  replyTo { id seq body sender { ${everythingOfAUser} } }`
const everythingOfAConversation = `id kind title members { ${everythingOfAUser} } lastSeq unreadCount mutedUntil pinned archived
  memberships { user { id name } role joinedSeq } ticks { userId lastDeliveredSeq lastReadSeq }
  lastMessage { ${everythingOfAMessage} }`
const times = (count: number, field: string) => Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')
const page = (first: string) => `messages(conversationId: "dm_x", first: ${first}) { pageInfo { endCursor } }`

const fine: [what: string, query: string, variables?: object][] = [
  [
    'a page of 100 messages with everything',
    `query ($id: ID!) { messages(conversationId: $id, first: 100) { edges { cursor node { ${everythingOfAMessage} } } } }`,
  ],
  [
    'a page of 100 chats with everything',
    `{ conversations(first: 100) { edges { cursor node { ${everythingOfAConversation} } } } }`,
  ],
  [
    '20 chats with 20 messages each',
    `{ conversations(first: 20) { edges { node { id messages(first: 20) { edges { node { ${everythingOfAMessage} } } } } } } }`,
  ],
  [
    'the conversation of each message',
    'query ($id: ID!) { messages(conversationId: $id, first: 100) { edges { node { id conversation { id title unreadCount } } } } }',
  ],
  ['the whole schema', getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, oneOf: true })],
]

const pageOfPages =
  'query ($n: Int, $m: Int) { conversations(first: $n) { edges { node { messages(last: $m) { edges { node { id } } } } } } }'

const tooDear: [what: string, query: string, variables?: object][] = [
  ['60 pages of 100', `{ ${times(60, page('100'))} }`],
  ['60 pages of 100, by a variable', `query ($n: Int) { ${times(60, page('$n'))} }`, { n: 100 }],
  ['60 pages of 100, by a default', `query ($n: Int = 100) { ${times(60, page('$n'))} }`],
  ['a page of pages', pageOfPages, { n: 100, m: 100 }],
  [
    'a page of pages of pages, each of 50 by default',
    '{ conversations { edges { node { messages { edges { node { conversation { messages { edges { node { id } } } } } } } } } } }',
  ],
  [
    'the members of a group, once for each message',
    '{ messages(conversationId: "grp_x", first: 100) { edges { node { conversation { members { id } } } } } }',
  ],
  [
    'a page in a fragment on the page',
    '{ conversations(first: 100) { ...P } } fragment P on ConversationConnection { edges { ...E } } fragment E on ConversationEdge { node { messages(first: 100) { ...M } } } fragment M on MessageConnection { edges { node { id } } }',
  ],
]

describe.each(['http', 'ws'] as const)('over %s', (via) => {
  it.each(fine)('%s is within the budget', async (_what, query, variables = { id: chat }) => {
    expect(await outcome(query, query.includes('$id') ? variables : {}, via)).toBe('OK')
  })

  it.each(tooDear)('%s is beyond it', async (_what, query, variables = {}) => {
    expect(await outcome(query, variables, via)).toBe('QUERY_TOO_COMPLEX')
  })

  it('the same document is fine with small pages and not with large ones, whichever came first', async () => {
    const answers = []
    for (const size of [100, 10, 100, 10]) answers.push(await outcome(pageOfPages, { n: size, m: size }, via))
    expect(answers).toEqual(['QUERY_TOO_COMPLEX', 'OK', 'QUERY_TOO_COMPLEX', 'OK'])
  })

  it('a page that is out of range is told so, however dear it were', async () => {
    for (const first of [0, -1, 101, 2_000_000_000]) {
      expect(
        await outcome('query ($n: Int) { conversations(first: $n) { edges { cursor } } }', { n: first }, via),
      ).toBe('BAD_USER_INPUT')
    }
  })

  it('the lists a field is given count', async () => {
    const query = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }'
    const input = (count: number) => ({
      clientGroupId: 'g',
      title: 't',
      memberIds: Array.from({ length: count }, () => ''),
    })
    expect(await outcome(query, { input: input(1024) }, via)).not.toBe('QUERY_TOO_COMPLEX')
    const often = `mutation ($input: CreateGroupInput!) { ${times(60, 'createGroup(input: $input) { conversation { id } }')} }`
    expect(await outcome(often, { input: input(1024) }, via)).toBe('QUERY_TOO_COMPLEX')
  })

  it('an event that is too dear is not subscribed to', async () => {
    const query =
      'subscription { messageAdded { message { conversation { messages(first: 100) { edges { node { conversation { ticks { userId } } } } } } } } }'
    expect(await outcome(query, {}, via)).toBe('QUERY_TOO_COMPLEX')
  })
})

describe('what we send ourselves', () => {
  const positions = Array.from({ length: 1000 }, () => ({ conversationId: 'dm_x', seq: 1 }))
  const variableValues = { first: 100, after: positions, userIds: Array.from({ length: 100 }, () => 'bob') }
  const check = createCheckCost(schema, fieldCosts)
  const documents = Object.entries(generated).filter(([name]) => name.endsWith('Document'))

  it.each(documents)('%s is within the budget at its largest', (_name, document) => {
    expect(() => check({ document: parse(String(document)), variableValues })).not.toThrow()
  })

  it('the fields that have a cost exist', () => {
    for (const name of Object.keys(fieldCosts)) {
      const [type = '', field = ''] = name.split('.')
      const found = schema.getType(type)
      expect([name, isObjectType(found) && field in found.getFields()]).toEqual([name, true])
    }
  })
})

it.each([
  ['to', (deep: string) => `{"clientMessageId":"1","to":${deep},"body":"hi"}`],
  ['to.userId', (deep: string) => `{"clientMessageId":"1","to":{"userId":${deep}},"body":"hi"}`],
  ['body', (deep: string) => `{"clientMessageId":"1","to":{"userId":"bob"},"body":${deep}}`],
  ['clientMessageId', (deep: string) => `{"clientMessageId":${deep},"to":{"userId":"bob"},"body":"hi"}`],
  [
    'attachmentIds',
    (deep: string) => `{"clientMessageId":"1","to":{"userId":"bob"},"body":"hi","attachmentIds":${deep}}`,
  ],
])('by REST, a %s nested as deep as a body can hold it is a bad one', async (_field, bodyOf) => {
  const response = await fetch(`${world.url()}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: bodyOf(`${'['.repeat(60_000)}${']'.repeat(60_000)}`),
  })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'BAD_USER_INPUT' } }])
})
