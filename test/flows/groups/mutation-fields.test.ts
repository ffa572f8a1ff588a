import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import { upTo } from '../../kit/ids.ts'
import type { Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

// The root fields of a mutation run one after the other, and much may happen between the first and the last: each is judged by
// how things are when it runs, and its payload shows how they are after it.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Alice, the owner, and carol are on the first node; bob, who sends these documents, is on the second. */
async function groupOfThree() {
  const [alice, carol] = [await world.person('alice'), await world.person('carol')]
  const bob = await world.person('bob', { node: 1 })
  const { id } = await createGroup(alice, [bob, carol])
  const bodies = async (): Promise<string[]> =>
    (await carol.history(id, { first: 100 })).edges.map(({ node }) => node.body).reverse()
  return { alice, bob, carol, id, to: { conversationId: id }, bodies }
}

/** Bob's node does this just before it stores this text: by then the send is under way. */
function whileStoring(body: string, act: () => Promise<unknown>): void {
  const { messages } = world.nodes[1]?.parts.ports ?? expect.fail()
  const { put } = messages
  const spy = vi.spyOn(messages, 'put').mockImplementation(async (row) => {
    if (row.kind === 'message' && row.body === body) {
      spy.mockRestore()
      await act()
    }
    return put.call(messages, row)
  })
}

const sendField = (name: string, { conversationId }: { conversationId: string }, body: string, payload: string) =>
  `${name}: sendMessage(input: { clientMessageId: "${randomUUID()}", to: { conversationId: "${conversationId}" }, body: "${body}" }) { ${payload} }`

describe.each<Via>(['http', 'ws'])('in one document over %s', (via) => {
  it('no send is accepted that begins after its sender was removed', async () => {
    const { alice, bob, id, to, bodies } = await groupOfThree()
    whileStoring('m30', () => updateMembers(alice, id, { remove: [bob] }))
    const sends = upTo(60).map((n) => sendField(`s${n}`, to, `m${n}`, 'duplicate'))
    await expect(bob.ask(`mutation { ${sends.join(' ')} }`, {}, { via })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const stored = await bodies()
    expect(stored.slice(0, 29)).toEqual(upTo(29).map((n) => `m${n}`))
    expect(stored.slice(29).filter((body) => body !== 'm30')).toEqual([])
  })

  it('whoever leaves a group cannot write to it in the next field', async () => {
    const { bob, id, to, bodies } = await groupOfThree()
    const document = `mutation {
      ${sendField('before', to, 'bye', 'message { conversation { title } }')}
      leaveConversation(input: { conversationId: "${id}" }) { conversationId }
      ${sendField('after', to, 'still here', 'duplicate')}
    }`
    await expect(bob.ask(document, {}, { via })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await bodies()).toEqual(['bye'])
  })

  it('each payload shows how things are after its own field', async () => {
    const { alice, bob, id, to } = await groupOfThree()
    const { seq } = await bob.send(to, 'one')
    await alice.send(to, 'two')
    await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
    const shown = `message {
      sender { name } replyTo { body }
      conversation { title pinned unreadCount lastMessage { body } ticks { userId lastReadSeq } members { id } }
    }`
    const reply = (name: string) => sendField(name, to, name, shown).replace('body:', `replyToSeq: ${seq}, body:`)
    const answer = await bob.ask<Record<string, { message: Shown }>>(
      `mutation {
        ${reply('first')}
        updateConversation(input: { conversationId: "${id}", title: "Coffee", pinned: true }) { conversation { id } }
        markRead(input: { conversationId: "${id}", seq: ${seq + 1} }) { ticks { lastReadSeq } }
        updateProfile(input: { name: "Robert" }) { user { id } }
        updateMembers(input: { conversationId: "${id}", add: ["dave-${randomUUID()}"] }) { conversation { id } }
        editMessage(input: { conversationId: "${id}", seq: ${seq}, body: "edited", clientMessageId: "${randomUUID()}" }) {
          message { seq }
        }
        ${reply('second')}
      }`,
      {},
      { via },
    )
    const told = ({ sender, replyTo, conversation: { ticks, members, ...rest } }: Shown) => {
      const readSeq = ticks.find(({ userId }) => userId === bob.userId)?.lastReadSeq
      return { name: sender.name, replyTo: replyTo.body, readSeq, members: members.length, ...rest }
    }
    expect(told(answer.first?.message ?? expect.fail())).toEqual({
      name: null,
      replyTo: 'one',
      readSeq: 0,
      members: 3,
      title: 'Tea',
      pinned: false,
      unreadCount: 1,
      lastMessage: { body: 'first' },
    })
    expect(told(answer.second?.message ?? expect.fail())).toEqual({
      name: 'Robert',
      replyTo: 'edited',
      readSeq: seq + 1,
      members: 4,
      title: 'Coffee',
      pinned: true,
      unreadCount: 0,
      lastMessage: { body: 'second' },
    })
  })
})

type Shown = {
  sender: { name: string | null }
  replyTo: { body: string }
  conversation: {
    title: string
    pinned: boolean
    unreadCount: number
    lastMessage: { body: string }
    ticks: { userId: string; lastReadSeq: number }[]
    members: { id: string }[]
  }
}

// A document is executed by graphql-js when it comes for the first time, and compiled for the second.
describe.each<Via>(['http', 'ws'])(
  'the payload of a field over %s, at first and once its document is compiled',
  (via) => {
    it('shows nothing of a group that the sender was removed from while the field ran', async () => {
      for (const _ of ['at first', 'compiled']) {
        const { alice, bob, id, to, bodies } = await groupOfThree()
        const body = `on my way out ${id}`
        whileStoring(body, async () => {
          await updateMembers(alice, id, { remove: [bob] })
          // These are more than the page below holds, so that the removal is not on it.
          for (const said of ['among', 'ourselves', 'now']) await alice.send(to, said)
        })
        const input = { clientMessageId: randomUUID(), to, body }
        await expect(
          bob.ask(
            `mutation ($input: SendMessageInput!) {
          sendMessage(input: $input) { message { conversation { messages(first: 1) { edges { node { body } } } } } }
        }`,
            { input },
            { via },
          ),
        ).rejects.toMatchObject({ code: 'NOT_FOUND' })
        expect(await bodies()).toContain(body)
      }
    })

    it('shows the group as the field has left it, wherever in the payload', async () => {
      for (const title of ['Coffee', 'Water']) {
        const { alice, bob, id, to } = await groupOfThree()
        await alice.send(to, 'hi')
        await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
        const { updateConversation } = await bob.ask<{ updateConversation: unknown }>(
          `mutation ($input: UpdateConversationInput!) {
          updateConversation(input: $input) { conversation { title lastMessage { conversation { title } } } }
        }`,
          { input: { conversationId: id, title } },
          { via },
        )
        expect(updateConversation).toEqual({ conversation: { title, lastMessage: { conversation: { title } } } })
      }
    })
  },
)
