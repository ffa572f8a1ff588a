import { expect, it } from 'vitest'
import type { ConversationId } from '../../src/protocol/ids.ts'
import { memoryApi } from '../kit/memory-api.ts'

const query = `query ($id: ID!, $aroundSeq: Int, $first: Int, $last: Int, $after: String, $before: String) {
  messages(conversationId: $id, aroundSeq: $aroundSeq, first: $first, last: $last, after: $after, before: $before) {
    edges { cursor node { seq cursor kind } }
    pageInfo { hasNextPage hasPreviousPage }
  }
}`

/** Alice and Bob, and as many messages; the seqs in `skipped` were never used. */
async function chatOf(count: number, skipped: readonly number[] = []) {
  const queries: string[] = []
  const api = memoryApi(({ messages }) => ({
    messages: {
      ...messages,
      above: (...asked) => {
        queries.push('above')
        return messages.above(...asked)
      },
      below: (...asked) => {
        queries.push('below')
        return messages.below(...asked)
      },
    },
  }))
  const { conversationId: id } = await api.send('alice', { userId: 'bob' }, 'm1')
  for (let seq = 2; seq <= count; seq += 1) {
    if (skipped.includes(seq)) await api.ports.messages.put({ kind: 'void', conversationId: id as ConversationId, seq })
    if (skipped.includes(seq)) await api.ports.sequencer.reserveAbove(id as ConversationId, seq - 1)
    else await api.send('alice', { conversationId: id }, `m${seq}`)
  }
  queries.length = 0
  /** `<7 6 5>`: what is shown, and whether there is more on each side. */
  async function page(args: object, viewer = 'bob'): Promise<string> {
    const { messages } = await api.ask(viewer, query, { id, ...args })
    const { hasPreviousPage, hasNextPage } = messages.pageInfo
    const seqs = messages.edges.map((edge: { node: { seq: number } }) => edge.node.seq).join(' ')
    return `${hasPreviousPage ? '<' : '|'}${seqs}${hasNextPage ? '>' : '|'}`
  }
  return { api, id, page, queries }
}

it('a page around a message has it in the middle, and says what is on both sides', async () => {
  const { page, queries } = await chatOf(12)
  expect(await page({ aroundSeq: 6, first: 5 })).toBe('<8 7 6 5 4>')
  expect(queries).toEqual(['above', 'below'])
  expect(await page({ aroundSeq: 6, first: 4 })).toBe('<8 7 6 5>')
  expect(await page({ aroundSeq: 6, first: 1 })).toBe('<6>')
  expect(await page({ aroundSeq: 6, first: 11 })).toBe('<11 10 9 8 7 6 5 4 3 2 1|')
  expect(await page({ aroundSeq: 7, first: 11 })).toBe('|12 11 10 9 8 7 6 5 4 3 2>')
  expect(await page({ aroundSeq: 6 })).toBe('|12 11 10 9 8 7 6 5 4 3 2 1|')
})

it('it is full also at the ends of the log, and beyond them', async () => {
  const { page } = await chatOf(12)
  expect(await page({ aroundSeq: 12, first: 5 })).toBe('|12 11 10 9 8>')
  expect(await page({ aroundSeq: 11, first: 5 })).toBe('|12 11 10 9 8>')
  expect(await page({ aroundSeq: 1, first: 5 })).toBe('<5 4 3 2 1|')
  expect(await page({ aroundSeq: 0, first: 5 })).toBe('<5 4 3 2 1|')
  expect(await page({ aroundSeq: 13, first: 5 })).toBe('|12 11 10 9 8>')
})

it('a place far beyond the end fills no holes there', async () => {
  const { api, id, page } = await chatOf(3)
  expect(await page({ aroundSeq: 2_147_483_647, first: 2 })).toBe('|3 2>')
  expect(await page({ aroundSeq: 5, first: 2 })).toBe('|3 2>')
  expect(await api.send('alice', { conversationId: id }, 'the next')).toMatchObject({ seq: 4 })
})

it('where no message is at that place, it is in the middle all the same', async () => {
  const { page } = await chatOf(12, [6, 7])
  expect(await page({ aroundSeq: 6, first: 4 })).toBe('<9 8 5 4>')
  expect(await page({ aroundSeq: 7, first: 4 })).toBe('<9 8 5 4>')
})

it('a long stretch without messages is passed in growing steps', async () => {
  const skipped = Array.from({ length: 60 }, (_, i) => i + 10)
  const { page, queries } = await chatOf(80, skipped)
  expect(await page({ aroundSeq: 40, first: 4 })).toBe('<71 70 9 8>')
  expect(queries.length).toBeLessThan(12)
})

it('a new member sees nothing from before they came, whatever is in the middle', async () => {
  const api = memoryApi()
  const id = await api.createGroup('alice', ['bob'])
  for (const body of ['2', '3', '4']) await api.send('alice', { conversationId: id }, body)
  await api.updateMembers('alice', id, { add: ['carol'] })
  for (const body of ['6', '7', '8']) await api.send('alice', { conversationId: id }, body)
  const seqs = async (aroundSeq: number) => {
    const { messages } = await api.ask('carol', query, { id, aroundSeq, first: 3 })
    return [messages.edges.map((edge: { node: { seq: number } }) => edge.node.seq), messages.pageInfo.hasNextPage]
  }
  expect(await seqs(2)).toEqual([[8, 7, 6], false])
  expect(await seqs(5)).toEqual([[8, 7, 6], false])
  expect(await seqs(6)).toEqual([[8, 7, 6], false])
  await api.updateMembers('alice', id, { remove: ['carol'] })
  await expect(seqs(6)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it.each([
  ['last', { last: 3 }],
  ['after', { after: 'x' }],
  ['before', { before: 'x' }],
])('it takes no %s', async (field, more) => {
  const { page } = await chatOf(2)
  await expect(page({ aroundSeq: 1, ...more })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
})

it('a negative place is refused, but not to a stranger, for whom there is no chat', async () => {
  const { page } = await chatOf(2)
  await expect(page({ aroundSeq: -1 })).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'aroundSeq' })
  await expect(page({ aroundSeq: -1 }, 'mallory')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a message has the cursor of its edge wherever it is shown', async () => {
  const { api, id } = await chatOf(3)
  const { messages } = await api.ask('bob', query, { id, first: 3 })
  for (const { cursor, node } of messages.edges) expect(node).toMatchObject({ cursor, kind: 'USER' })
  const { sendMessage } = await api.ask(
    'alice',
    `mutation ($input: SendMessageInput!) {
      sendMessage(input: $input) { message { cursor } messageEdge { cursor node { seq } } }
    }`,
    { input: { clientMessageId: 'edge', to: { conversationId: id }, body: 'm4' } },
  )
  expect(sendMessage).toEqual({
    message: { cursor: sendMessage.messageEdge.cursor },
    messageEdge: { cursor: expect.any(String), node: { seq: 4 } },
  })
  const after = await api.ask('bob', query, { id, first: 1, after: sendMessage.message.cursor })
  expect(after.messages.edges[0].node.seq).toBe(3)
})
