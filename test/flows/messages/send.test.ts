import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { line, type Via } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

const transports: Via[] = ['http', 'ws', 'rest']

describe.each(transports)('sending over %s', (via) => {
  it('stores a message and answers with it', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const sent = await alice.send(bob, 'hi', { via, clientMessageId: 'c-1' })
    expect(sent).toMatchObject({ seq: 1, body: 'hi', clientMessageId: 'c-1', duplicate: false })
    expect(sent.id).toMatch(/^msg_/)
    expect(sent.conversationId).toBe(world.chatOf(alice, bob))
    expect(sent.messageId).toMatch(/^\d{15,20}$/)
    expect(sent.sentAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { edges } = await bob.history(sent.conversationId)
    expect(edges.map(({ node }) => line(node))).toEqual(['1 hi'])
  })

  it('a retry gets the original message, on either node', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const first = await alice.send(bob, 'once', { via, clientMessageId: 'again' })
    const retry = await alice.send(bob, 'once', { via, clientMessageId: 'again', node: world.url(1) })
    expect(retry).toEqual({ ...first, duplicate: true })
  })

  it('a retry that names the conversation instead of the user is still a retry', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const first = await alice.send(bob, 'once', { via, clientMessageId: 'again' })
    const retry = await alice.send(first, 'once', { via, clientMessageId: 'again' })
    expect(retry).toEqual({ ...first, duplicate: true })
  })

  it('refuses a known id with another body or another target, and stores nothing', async () => {
    const [alice, bob, carol] = [await world.person('alice'), await world.person('bob'), await world.person('carol')]
    await alice.send(bob, 'one', { clientMessageId: 'used' })
    await alice.send(carol, 'other chat')
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', retryable: false }
    await expect(alice.send(bob, 'two', { via, clientMessageId: 'used' })).rejects.toMatchObject(conflict)
    await expect(alice.send(carol, 'one', { via, clientMessageId: 'used' })).rejects.toMatchObject(conflict)
    await expect(alice.send({ userId: 'nobody-yet' }, 'one', { via, clientMessageId: 'used' })).rejects.toMatchObject(
      conflict,
    )
    expect((await alice.conversations()).edges.map(({ node }) => node.lastSeq)).toEqual([1, 1])
    expect(await alice.send(carol, 'next')).toMatchObject({ seq: 2 })
  })

  it('a chat with oneself holds notes', async () => {
    const alice = await world.person('alice')
    const { conversationId } = await alice.send(alice, 'milk', { via })
    await alice.send({ conversationId }, 'bread', { via })
    const { edges } = await alice.history(conversationId)
    expect(edges.map(({ node }) => line(node))).toEqual(['2 bread', '1 milk'])
    expect(await alice.conversation(conversationId)).toMatchObject({ members: [{ id: alice.userId }], unreadCount: 0 })
  })
})

describe('the same send many times at once', () => {
  const fiftyTimes = (send: (via: Via, node: string) => Promise<{ duplicate: boolean; seq: number; id: string }>) =>
    Promise.all(Array.from({ length: 50 }, (_, i) => send(transports[i % 3] as Via, world.url(i % 2))))

  it('makes one message, over all transports on two nodes', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const clientMessageId = randomUUID()
    const answers = await fiftyTimes((via, node) => alice.send(bob, 'just one', { via, node, clientMessageId }))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    const { edges } = await bob.history(world.chatOf(alice, bob))
    expect(edges.map(({ node }) => node.body)).toEqual(['just one'])
  })

  it('makes one message also when Redis is flushed in the middle', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.send(bob, 'before')
    const clientMessageId = randomUUID()
    let count = 0
    const answers = await fiftyTimes(async (via, node) => {
      count += 1
      if (count % 10 === 0) await world.redis.flush()
      return alice.send(bob, 'just one', { via, node, clientMessageId })
    })
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    const { edges } = await bob.history(world.chatOf(alice, bob))
    expect(edges.map(({ node }) => node.body)).toEqual(['just one', 'before'])
  })
})

describe('many senders at once', () => {
  it('get one order without a number twice, whatever Redis forgets', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    const bodies = Array.from({ length: 60 }, (_, i) => `m${i}`)
    const sent = await Promise.all(
      bodies.map(async (body, i) => {
        if (i % 20 === 10) await world.redis.flush()
        return i % 2 ? alice.send(bob, body, { node: world.url(i % 4 > 1 ? 1 : 0) }) : bob.send(alice, body)
      }),
    )
    expect(new Set(sent.map(({ seq }) => seq)).size).toBe(60)
    const page = await alice.history(world.chatOf(alice, bob), { first: 100 })
    const seqs = page.edges.map(({ node }) => node.seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
    expect(page.edges.map(({ node }) => line(node)).sort()).toEqual(sent.map(line).sort())
    const fromTheOtherNode = await bob.history(world.chatOf(alice, bob), { first: 100 })
    expect(fromTheOtherNode.edges.map(({ node }) => node.id)).toEqual(page.edges.map(({ node }) => node.id))
  })

  it('a retry long after, when Redis remembers nothing, is still a retry', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const first = await alice.send(bob, 'old', { clientMessageId: 'old' })
    await alice.send(bob, 'newer')
    await world.redis.flush()
    expect(await alice.send(bob, 'old', { clientMessageId: 'old' })).toEqual({ ...first, duplicate: true })
    expect(await alice.send(bob, 'next')).toMatchObject({ seq: 3 })
  })
})
