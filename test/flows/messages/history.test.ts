import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConversationId } from '../../../src/protocol/ids.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
let alice: Person
let bob: Person
let chat: string

/** There are twelve seqs, of which 4, 5 and 9 were never used. */
const seqs = [12, 11, 10, 8, 7, 6, 3, 2, 1]

beforeAll(async () => {
  world = await startWorld()
  ;[alice, bob] = [await world.person('alice'), await world.person('bob')]
  chat = world.chatOf(alice, bob)
  const { sequencer } = world.nodes[0]?.parts.ports ?? expect.fail()
  for (let seq = 1; seq <= 12; seq += 1) {
    if (seqs.includes(seq)) await alice.send(bob, `m${seq}`)
    // A node that dies after reserving leaves this.
    else await sequencer.reserveAbove(chat as ConversationId, seq - 1)
  }
})
afterAll(() => world.stop())

type Page = { first?: number; after?: string | null; last?: number; before?: string | null }

async function page(args: Page = {}) {
  const { edges, pageInfo } = await bob.history(chat, args)
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo
  return {
    seqs: edges.map(({ node }) => node.seq),
    cursors: new Map(edges.map(({ node, cursor }) => [node.seq, cursor])),
    more: `${hasPreviousPage ? '<' : '|'}${hasNextPage ? '>' : '|'}`,
    startCursor,
    endCursor,
  }
}

const cursorOf = async (seq: number) => (await page({ first: 100 })).cursors.get(seq) ?? expect.fail()

describe('a page of messages', () => {
  it('shows the newest first, passes over numbers never used, and is filled to its size all the same', async () => {
    expect(await page()).toMatchObject({ seqs, more: '||' })
    expect(await page({ first: 4 })).toMatchObject({ seqs: [12, 11, 10, 8], more: '|>' })
    expect(await page({ first: 9 })).toMatchObject({ seqs, more: '||' })
  })

  it('walks to older messages and back to newer ones, missing none and showing none twice', async () => {
    const down: number[] = []
    let after: string | null = null
    do {
      const next: Awaited<ReturnType<typeof page>> = await page({ first: 2, after })
      down.push(...next.seqs)
      after = next.more.endsWith('>') ? next.endCursor : null
    } while (after)
    expect(down).toEqual(seqs)

    const up: number[] = []
    let before: string | null = null
    do {
      const next: Awaited<ReturnType<typeof page>> = await page({ last: 2, before })
      up.unshift(...next.seqs)
      before = next.more.startsWith('<') ? next.startCursor : null
    } while (before)
    expect(up).toEqual(seqs)
  })

  it('from its end, without a cursor, is the oldest end', async () => {
    expect(await page({ last: 2 })).toMatchObject({ seqs: [2, 1], more: '<|' })
  })

  it('lies where its cursors say', async () => {
    const [newer, older] = [await cursorOf(10), await cursorOf(3)]
    expect(await page({ first: 3, after: newer })).toMatchObject({ seqs: [8, 7, 6], more: '<>' })
    expect(await page({ last: 2, before: older })).toMatchObject({ seqs: [7, 6], more: '<>' })
    expect(await page({ first: 2, before: older })).toMatchObject({ seqs: [12, 11], more: '|>' })
    expect(await page({ first: 100, after: newer, before: older })).toMatchObject({ seqs: [8, 7, 6] })
    expect(await page({ last: 2, after: newer, before: older })).toMatchObject({ seqs: [7, 6], more: '<>' })
    expect(await page({ first: 5, after: await cursorOf(1) })).toMatchObject({ seqs: [], more: '<|' })
  })

  it('keeps its place when newer messages come', async () => {
    const { conversationId } = await alice.send(await world.person('carol'), 'one')
    await alice.send({ conversationId }, 'two')
    const { pageInfo } = await alice.history(conversationId, { first: 1 })
    await alice.send({ conversationId }, 'three')
    const next = await alice.history(conversationId, { first: 1, after: pageInfo.endCursor })
    expect(next.edges.map(({ node }) => node.body)).toEqual(['one'])
  })

  it('has skipped a number for good: what was reserved and never written cannot appear later', async () => {
    await page()
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    const [row] = await messages.below(chat as ConversationId, 2, 1)
    if (row?.kind !== 'message') expect.fail()
    expect(await messages.put({ ...row, seq: 4 })).toBe('taken')
  })

  it('a message is found by its id, in the words of its conversation', async () => {
    const { edges } = await bob.history(chat, { first: 1 })
    const id = edges[0]?.node.id
    const query = 'query ($id: ID!) { node(id: $id) { id ... on Message { seq conversation { id lastSeq } } } }'
    expect(await bob.ask(query, { id })).toEqual({ node: { id, seq: 12, conversation: { id: chat, lastSeq: 12 } } })
    expect(await bob.ask(query, { id: id?.replace(/12$/, '4') })).toEqual({ node: null })
    expect(await bob.ask(query, { id: id?.replace(/12$/, '13') })).toEqual({ node: null })
  })
})

describe('the list of chats', () => {
  it('has the latest activity first, with last message, unread count and ticks', async () => {
    const [dora, emil, fred] = [await world.person('dora'), await world.person('emil'), await world.person('fred')]
    for (let i = 0; i < 3; i += 1) await emil.send(dora, `from emil ${i}`)
    await fred.send(dora, 'from fred')
    await dora.send(emil, 'back to emil')
    const list = async () =>
      (await dora.conversations()).edges.map(
        ({ node }) => `${node.lastMessage?.body} (${node.unreadCount} of ${node.lastSeq})`,
      )
    expect(await list()).toEqual(['back to emil (3 of 4)', 'from fred (1 of 1)'])
    await dora.markRead(world.chatOf(dora, emil), 2)
    await world.redis.flush()
    expect(await list()).toEqual(['back to emil (1 of 4)', 'from fred (1 of 1)'])
  })

  it('is paged both ways', async () => {
    const gina = await world.person('gina')
    const friends: Person[] = []
    for (let i = 0; i < 5; i += 1) {
      const friend = await world.person(`friend${i}`)
      await friend.send(gina, `hello ${i}`)
      friends.push(friend)
    }
    const bodies = async (args: Page) => {
      const { edges, pageInfo } = await gina.conversations(args)
      return { bodies: edges.map(({ node }) => node.lastMessage?.body), pageInfo }
    }
    const first = await bodies({ first: 2 })
    expect(first.bodies).toEqual(['hello 4', 'hello 3'])
    const second = await bodies({ first: 2, after: first.pageInfo.endCursor ?? null })
    expect(second.bodies).toEqual(['hello 2', 'hello 1'])
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
    expect((await bodies({ last: 2 })).bodies).toEqual(['hello 1', 'hello 0'])
    expect((await bodies({ last: 1, before: second.pageInfo.startCursor ?? null })).bodies).toEqual(['hello 3'])
  })

  it('counts unread messages exactly to 99, then says 100', async () => {
    const [hans, ida] = [await world.person('hans'), await world.person('ida')]
    const unread = async () => (await ida.conversation(world.chatOf(hans, ida)))?.unreadCount
    const send = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => hans.send(ida, `m${i}`)))
    await send(21)
    await ida.send(hans, 'my own does not count')
    expect(await unread()).toBe(21)
    await send(78)
    expect(await unread()).toBe(99)
    await send(3)
    expect(await unread()).toBe(100)
  })
})
