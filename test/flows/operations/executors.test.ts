// GRAPHQL_EXECUTOR puts graphql-js in the place of compiled operations. A conversation goes the same either way.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { line, type Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

/** Returns what the answer says of a failure, without what belongs to this run alone. */
const failure = async (asked: Promise<unknown>) =>
  asked.then(
    () => 'it went well',
    ({ code, message, field }) => ({ code, message, field }),
  )

/** Returns everything that a client sees of a short conversation, without ids that no two runs have in common. */
async function converse(world: World) {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chat = world.chatOf(alice, bob)
  const [atAlice, atBob] = [alice.follow(), bob.follow()]
  await Promise.all([world.online(alice), world.online(bob)])
  const sent = []
  for (const via of ['http', 'ws', 'rest', 'ws', 'http'] as const) {
    const { seq, body, duplicate } = await alice.send(bob, `"${via}" \u2028 é😀`, { via, clientMessageId: `by-${via}` })
    sent.push({ seq, body, duplicate })
  }
  await bob.react(chat, 2, '👍')
  await bob.ack(chat, 3)
  await bob.markRead(chat, 1)
  const shown = [await atAlice.receives(3), await atBob.receives(3)].map((events) =>
    events.map(({ message, previousSeq, catchUp }) => ({ line: line(message), previousSeq, catchUp })),
  )
  const history = [await alice.history(chat), await alice.history(chat, { first: 2 })].map(({ edges }) =>
    edges.map(({ node }) => line(node)),
  )
  await Promise.all([atAlice.stop(), atBob.stop()])
  return { sent, shown, history, answers: await answersOf(alice, bob, chat) }
}

/** The documents are of every kind: compiled, not compiled, and such as go wrong. */
async function answersOf(alice: Person, bob: Person, chat: string) {
  const nameless = (answer: unknown) =>
    JSON.parse(
      JSON.stringify(answer)
        .replaceAll(alice.userId, 'alice')
        .replaceAll(bob.userId, 'bob')
        .replaceAll(chat, 'chat')
        .replace(/"(cursor|messageId|sentAt|id|editedAt)":"[^"]*"/g, '"$1":"…"'),
    )
  const page = '{ edges { cursor node { seq body tick reactions { emoji count viewerReacted } sender { id name } } } }'
  const answers = []
  for (const [document, variables] of [
    [`query ($chat: ID!) { messages(conversationId: $chat, first: 3) ${page} }`, { chat }],
    [`query ($chat: ID!) { messages(conversationId: $chat, first: 3) ${page} again: __typename }`, { chat }],
    ['query ($chat: ID!) { conversation(id: $chat) { id unreadCount members { id } } }', { chat }],
    ['query ($chat: ID!) { node(id: $chat) { __typename id ... on Conversation { unreadCount } } }', { chat }],
    ['query ($yes: Boolean!) { viewer { id name @include(if: $yes) } }', { yes: true }],
  ] as const) {
    for (const via of ['http', 'ws'] as const) answers.push(nameless(await bob.ask(document, variables, { via })))
  }
  for (const [document, variables] of [
    ['query ($first: Int) { messages(conversationId: "dm_nobody", first: $first) { edges { cursor } } }', { first: 1 }],
    ['query ($chat: ID!) { messages(conversationId: $chat, first: 1000) { edges { cursor } } }', { chat }],
    ['query ($chat: ID!) { messages(conversationId: $chat) { edges { cursor } } }', { chat: { not: 'an id' } }],
    [
      'mutation ($seq: Int!) { ack(input: { conversationId: "dm_nobody", seq: $seq }) { ticks { userId } } }',
      { seq: 1 },
    ],
  ] as const) {
    for (const via of ['http', 'ws'] as const)
      answers.push(nameless(await failure(bob.ask(document, variables, { via }))))
  }
  return answers
}

describe('a conversation', () => {
  const worlds: World[] = []
  beforeAll(async () => {
    for (const graphqlExecutor of ['compiled', 'reference'] as const)
      worlds.push(await startWorld({ config: { graphqlExecutor } }))
  })
  afterAll(() => Promise.all(worlds.map((world) => world.stop())))

  it('is the same by compiled operations and by graphql-js', async () => {
    const [compiled, reference] = await Promise.all(worlds.map(converse))
    expect(compiled?.sent.map(({ duplicate }) => duplicate)).toEqual([false, false, false, true, true])
    expect(compiled?.answers).toHaveLength(18)
    expect(reference).toEqual(compiled)
  })
})
