import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Requests for the same page at the same time share the read. Where nothing of the page is personal, they also share the text.

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Page = { messages: { edges: { cursor: string; node: { seq: number; body: string } }[] } }

const documentOf = (fields: string) =>
  `query ($id: ID!, $first: Int, $after: String) { messages(conversationId: $id, first: $first, after: $after) { ${fields} } }`
const plain = documentOf(
  'edges { cursor node { id seq body sender { id } sentAt } } pageInfo { hasNextPage endCursor }',
)
const bare = documentOf('edges { node { seq body } }')
const personal = [
  documentOf('edges { node { seq clientMessageId } }'),
  documentOf('edges { node { seq reactions { emoji count viewerReacted } } }'),
  documentOf('edges { node { seq conversation { unreadCount } tick } }'),
]

const ask = (person: Person, document: string, variables: object) =>
  person.ask<Page>(document, variables, { via: person.userId.startsWith('bob') ? 'ws' : 'http' })

it('everybody gets what they would get alone, whoever else asks at the same time', async () => {
  const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
  const { id } = await createGroup(alice, [bob])
  for (let i = 1; i <= 6; i += 1) await (i % 2 ? alice : bob).send({ conversationId: id }, `message ${i}`)
  await updateMembers(alice, id, { add: [carol] })
  for (let i = 7; i <= 12; i += 1) await (i % 2 ? alice : bob).send({ conversationId: id }, `message ${i}`)
  await bob.react(id, 2, '👍')
  const [last] = (await ask(alice, plain, { id, first: 3 })).messages.edges.slice(-1)

  const asked = [alice, bob, carol].flatMap((person) =>
    [plain, bare, ...personal].flatMap((document) =>
      [{ id }, { id, first: 20 }, { id, first: 4 }, { id, first: 4, after: last?.cursor }].map((variables) => ({
        person,
        document,
        variables,
      })),
    ),
  )
  const alone: Page[] = []
  for (const { person, document, variables } of asked) alone.push(await ask(person, document, variables))
  expect(new Set(alone.map((each) => JSON.stringify(each))).size).toBeGreaterThan(20)
  for (let round = 0; round < 3; round += 1) {
    const together = asked.flatMap((each) => [each, each])
    const answers = await Promise.all(
      together.map(({ person, document, variables }) => ask(person, document, variables)),
    )
    expect(answers).toEqual(together.map((each) => alone[asked.indexOf(each)]))
  }
})

it('what was acknowledged before somebody asked is on their page, however many ask', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chat = world.chatOf(alice, bob)
  await alice.send(bob, 'as it was')
  let asking = true
  const crowd = Array.from({ length: 8 }, async () => {
    while (asking) await ask(bob, bare, { id: chat, first: 20 })
  })
  try {
    for (let i = 1; i <= 20; i += 1) {
      const { seq } = await alice.send(bob, `new ${i}`)
      await alice.edit(chat, 1, `edit ${i}`)
      const pages = await Promise.all([alice, bob].map((person) => ask(person, bare, { id: chat, first: 50 })))
      const twenty = await ask(bob, bare, { id: chat, first: 20 })
      for (const { messages } of pages) expect(messages.edges.at(-1)?.node).toEqual({ seq: 1, body: `edit ${i}` })
      expect(twenty.messages.edges.map(({ node }) => node)).toContainEqual({ seq, body: `new ${i}` })
    }
  } finally {
    asking = false
    await Promise.all(crowd)
  }
})
