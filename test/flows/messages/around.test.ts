import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId } from '../../../src/protocol/ids.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let bob: Person
let chat: string

type Edge = { cursor: string; node: { seq: number; cursor: string } }
type Page = { edges: Edge[]; pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean } }

const query = `query ($id: ID!, $aroundSeq: Int, $first: Int, $after: String) {
  conversation(id: $id) {
    messages(aroundSeq: $aroundSeq, first: $first, after: $after) {
      edges { cursor node { seq cursor } }
      pageInfo { hasNextPage hasPreviousPage }
    }
  }
}`

/** There are twelve seqs, of which 6 and 7 were never used. */
beforeAll(async () => {
  world = await startWorld()
  ;[alice, bob] = [await world.person('alice'), await world.person('bob')]
  chat = world.chatOf(alice, bob)
  const { sequencer } = world.nodes[0]?.parts.ports ?? expect.fail()
  for (let seq = 1; seq <= 12; seq += 1) {
    // A node that dies after reserving leaves this.
    if (seq === 6 || seq === 7) await sequencer.reserveAbove(chat as ConversationId, seq - 1)
    else await alice.send(bob, `m${seq}`)
  }
})
afterAll(() => world.stop())

async function page(args: object): Promise<{ shown: string; edges: Edge[] }> {
  const { conversation } = await bob.ask<{ conversation: { messages: Page } }>(query, { id: chat, ...args })
  const { edges, pageInfo } = conversation.messages
  const seqs = edges.map(({ node }) => node.seq).join(' ')
  return { shown: `${pageInfo.hasPreviousPage ? '<' : '|'}${seqs}${pageInfo.hasNextPage ? '>' : '|'}`, edges }
}

describe('a page around a message', () => {
  it('has it, or its place, in the middle', async () => {
    expect((await page({ aroundSeq: 4, first: 3 })).shown).toBe('<5 4 3>')
    expect((await page({ aroundSeq: 6, first: 4 })).shown).toBe('<9 8 5 4>')
    expect((await page({ aroundSeq: 12, first: 3 })).shown).toBe('|12 11 10>')
    expect((await page({ aroundSeq: 1, first: 3 })).shown).toBe('<3 2 1|')
  })

  it('beyond the end is the end, and nothing is written there', async () => {
    expect((await page({ aroundSeq: 2_000_000_000, first: 3 })).shown).toBe('|12 11 10>')
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    expect(await messages.above(chat as ConversationId, 12, 10)).toEqual([])
  })

  it('goes on from the cursor of any message', async () => {
    const { edges } = await page({ aroundSeq: 4, first: 3 })
    for (const { cursor, node } of edges) expect(node.cursor).toBe(cursor)
    expect((await page({ first: 2, after: edges.at(-1)?.node.cursor })).shown).toBe('<2 1|')
  })
})

describe('an edge', () => {
  it('comes with what was sent, and with what is heard of it, with the cursor it has in a page', async () => {
    const stream = bob.watch<{ messageAdded: { cursor: string; messageEdge: Edge } }>(
      `subscription ($id: ID) { messageAdded(conversationId: $id, after: [{ conversationId: "${chat}", seq: 12 }]) {
        cursor messageEdge { cursor node { seq cursor } }
      } }`,
      { id: chat },
    )
    await world.online(bob)
    const { sendMessage } = await alice.ask<{ sendMessage: { messageEdge: Edge } }>(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { messageEdge { cursor node { seq cursor } } } }',
      { input: { clientMessageId: 'an-edge', to: { conversationId: chat }, body: 'm13' } },
    )
    const [event] = await stream.receives(1)
    const { messageAdded } = event ?? expect.fail()
    expect(messageAdded.messageEdge).toEqual(sendMessage.messageEdge)
    expect(messageAdded.cursor).toBe(messageAdded.messageEdge.cursor)
    const { edges } = await page({ first: 1 })
    expect(edges).toEqual([sendMessage.messageEdge])
    await stream.stop()
  })
})
