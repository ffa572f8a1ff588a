import { describe, expect, it } from 'vitest'
import { type MemoryApi, memoryApi } from '../kit/memory-api.ts'
import { nextTurn } from '../kit/memory-domain.ts'

// The fields of one answer are read by several calls, and others write in between. What the answer shows must fit together nevertheless: no
// boundary is above the lastSeq that is shown with it (P5).

type Held = { arrived: Promise<void>; release: () => void }

/** Holds up the one call that passes after `next` was called. */
function createHoldUp() {
  let armed: { arrive: () => void; released: Promise<void> } | undefined
  return {
    next(): Held {
      let release: () => void = () => undefined
      let arrive: () => void = () => undefined
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      armed = { arrive, released }
      return { arrived, release }
    },
    async pass(): Promise<void> {
      const held = armed
      armed = undefined
      held?.arrive()
      await held?.released
    },
  }
}

type Ticks = { lastDeliveredSeq: number; lastReadSeq: number }
type Shown = { lastSeq: number; deliveredSeq?: number; readSeq?: number; ticks: Ticks[] }

const markRead = (api: MemoryApi, userId: string, conversationId: string, seq: number) =>
  api.ask(userId, 'mutation ($input: MarkReadInput!) { markRead(input: $input) { ticks { id } } }', {
    input: { conversationId, seq },
  })

const highestOf = ({ ticks, deliveredSeq = 0, readSeq = 0 }: Shown): number =>
  Math.max(deliveredSeq, readSeq, ...ticks.flatMap((each) => [each.lastDeliveredSeq, each.lastReadSeq]))

/** The boundaries are read only when they are let through; the tails are read, and come when they are let through. */
function heldApi() {
  const boundaries = createHoldUp()
  const tails = createHoldUp()
  const api = memoryApi((ports) => ({
    boundaries: {
      ...ports.boundaries,
      async getMany(asked) {
        await boundaries.pass()
        return ports.boundaries.getMany(asked)
      },
    },
    messages: {
      ...ports.messages,
      async getMany(asked) {
        const rows = await ports.messages.getMany(asked)
        await tails.pass()
        return rows
      },
    },
  }))
  return { api, boundaries, tails }
}

const whole = 'lastSeq deliveredSeq readSeq ticks { lastDeliveredSeq lastReadSeq } unreadCount lastMessage { seq tick }'

/** Bob sends another message, and both have read it. */
async function goOn(api: MemoryApi, conversationId: string): Promise<void> {
  const { seq } = await api.send('bob', { conversationId }, 'two')
  await markRead(api, 'bob', conversationId, seq)
  await markRead(api, 'alice', conversationId, seq)
}

describe('what one answer shows fits together', () => {
  it.each([
    ['a conversation', `conversation(id: $id) { ${whole} }`],
    [
      'a conversation whose ticks are asked for first',
      'conversation(id: $id) { ticks { lastDeliveredSeq lastReadSeq } lastSeq }',
    ],
  ])('in %s, boundaries that are read late are at most lastSeq', async (_what, field) => {
    const { api, boundaries } = heldApi()
    const { conversationId: id } = await api.send('bob', { userId: 'alice' }, 'one')
    const held = boundaries.next()
    const asked = api.ask('alice', `query ($id: ID!) { ${field} }`, { id })
    await held.arrived
    await goOn(api, id)
    held.release()
    const { conversation } = (await asked) as { conversation: Shown }
    expect(highestOf(conversation)).toBe(1)
    expect(conversation.lastSeq).toBe(1)
  })

  it('in a list of chats, too', async () => {
    const { api, boundaries } = heldApi()
    const { conversationId: id } = await api.send('bob', { userId: 'alice' }, 'one')
    const held = boundaries.next()
    const asked = api.ask('alice', `{ conversations { edges { node { ${whole} } } } }`)
    await held.arrived
    await goOn(api, id)
    held.release()
    const { conversations } = (await asked) as { conversations: { edges: { node: Shown }[] } }
    const [{ node } = expect.fail()] = conversations.edges
    expect(node).toMatchObject({ lastSeq: 1, unreadCount: 0, lastMessage: { seq: 1, tick: 'READ' } })
    expect(highestOf(node)).toBe(1)
  })

  it('between the ticks by their id and the conversation', async () => {
    const { api, boundaries } = heldApi()
    const { conversationId: id } = await api.send('bob', { userId: 'alice' }, 'one')
    const { conversation } = await api.ask('alice', 'query ($id: ID!) { conversation(id: $id) { ticks { id } } }', {
      id,
    })
    const [{ id: ticksId }] = conversation.ticks
    const held = boundaries.next()
    const asked = api.ask(
      'alice',
      'query ($id: ID!, $ticksId: ID!) { node(id: $ticksId) { ... on Ticks { lastReadSeq } } conversation(id: $id) { lastSeq } }',
      { id, ticksId },
    )
    await held.arrived
    await goOn(api, id)
    held.release()
    expect(await asked).toEqual({ node: { lastReadSeq: 1 }, conversation: { lastSeq: 1 } })
  })

  it('where boundaries are there before an older tail, lastSeq is lifted to them', async () => {
    const { api, boundaries, tails } = heldApi()
    const { conversationId: id } = await api.send('bob', { userId: 'alice' }, 'one')
    const [ticks, tail] = [boundaries.next(), tails.next()]
    const asked = api.ask(
      'alice',
      `query ($id: ID!) { conversation(id: $id) { ticks { lastReadSeq } } conversations { edges { node { lastSeq } } } }`,
      { id },
    )
    await Promise.all([ticks.arrived, tail.arrived])
    await goOn(api, id)
    ticks.release()
    await nextTurn()
    tail.release()
    expect(await asked).toEqual({
      conversation: { ticks: [{ lastReadSeq: 2 }, { lastReadSeq: 2 }] },
      conversations: { edges: [{ node: { lastSeq: 2 } }] },
    })
  })

  it('and where nothing came in between, the boundaries are shown as they are', async () => {
    const api = memoryApi()
    const { conversationId: id } = await api.send('bob', { userId: 'alice' }, 'one')
    await goOn(api, id)
    const { conversation } = await api.ask('alice', `query ($id: ID!) { conversation(id: $id) { ${whole} } }`, { id })
    expect(conversation).toMatchObject({ lastSeq: 2, deliveredSeq: 2, readSeq: 2, unreadCount: 0 })
  })
})
