import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createGroup, updateMembers, viewOf } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// What a backend says, in its own name or for a user, and what it reads and deletes.

let world: World
let backend: Service
let alice: Person
let bob: Person
beforeAll(async () => {
  world = await startWorld({
    nodes: 2,
    config: { push: { preview: true, log: true } },
    app: { push: { works: false } },
  })
})
afterAll(() => world.stop())
beforeEach(async () => {
  backend = await createService(`backend-${randomUUID().slice(0, 8)}`, world.url())
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
})

const fields = 'id conversationId seq kind senderId clientMessageId body metadata sentAt editedAt deletedAt'
type Shown = { id: string; conversationId: string; seq: number; kind: string; senderId: string; body: string }
type Sent = { message: Shown & { sentAt: string; deletedAt: string | null }; duplicate: boolean }

const send = async (input: object, via: 'http' | 'ws' = 'http'): Promise<Sent> =>
  (
    await backend.ask<{ sendMessage: Sent }>(
      `mutation ($input: AdminSendMessageInput!) { sendMessage(input: $input) { message { ${fields} } duplicate } }`,
      { input: { clientMessageId: randomUUID(), body: 'hello', ...input } },
      via,
    )
  ).sendMessage

const remove = async (input: object): Promise<Sent> =>
  (
    await backend.ask<{ deleteMessage: Sent }>(
      `mutation ($input: AdminDeleteMessageInput!) { deleteMessage(input: $input) { message { ${fields} } duplicate } }`,
      { input: { clientMessageId: randomUUID(), ...input } },
    )
  ).deleteMessage

type Seen = { seq: number; kind: string; body: string; tick: string; sender: { id: string; name: string | null } }
const lastSeen = async (person: Person, conversationId: string): Promise<Seen> => {
  const { messages } = await person.ask<{ messages: { edges: { node: Seen }[] } }>(
    'query ($id: ID!) { messages(conversationId: $id, first: 1) { edges { node { seq kind body tick sender { id name } } } } }',
    { id: conversationId },
  )
  return messages.edges[0]?.node ?? expect.fail()
}
const portsOf = () => world.nodes[0]?.parts.ports ?? expect.fail()

describe('a message in the service’s own name', () => {
  it('goes into a group the service is not in, is unread, and has ticks that do not count the service', async () => {
    const { id } = await createGroup(alice, [bob])
    const stream = bob.follow()
    await world.online(bob)
    const { message } = await send({ to: { conversationId: id }, body: 'The shop is open.', metadata: { a: 1 } })
    expect(message).toMatchObject({ seq: 2, kind: 'SYSTEM', senderId: backend.serviceId, metadata: { a: 1 } })
    await stream.sees((event) => event.message.body === 'The shop is open.')
    expect(await viewOf(alice, id)).toMatchObject({ unreadCount: 1, lastMessage: { body: 'The shop is open.' } })
    expect(await lastSeen(alice, id)).toMatchObject({ kind: 'SYSTEM', tick: 'SENT', sender: { id: backend.serviceId } })
    await alice.markRead(id, 2)
    expect((await lastSeen(alice, id)).tick).toBe('SENT')
    await bob.markRead(id, 2)
    expect((await lastSeen(alice, id)).tick).toBe('READ')
    expect((await viewOf(alice, id))?.members).toHaveLength(2)
    const member = { userId: backend.serviceId as UserId, conversationId: id as ConversationId }
    expect(await portsOf().boundaries.getMany([member])).toMatchObject([{ lastDeliveredSeq: 0, lastReadSeq: 0 }])
    await stream.stop()
  })

  it('goes into the direct chat of two others, and waits for who is away', async () => {
    await alice.send(bob, 'hi')
    const chat = world.chatOf(alice, bob)
    await alice.ack(chat, 1)
    await bob.ack(chat, 1)
    const { message } = await send({ to: { conversationId: chat } })
    expect(message).toMatchObject({ seq: 2, kind: 'SYSTEM' })
    const stream = bob.follow()
    await stream.sees((event) => event.message.seq === 2)
    expect(await bob.conversation(chat)).toMatchObject({ unreadCount: 2 })
    await stream.stop()
  })

  it('to a user makes their chat with the service, where they can answer', async () => {
    const first = await send({ to: { userId: bob.userId }, body: 'Your order is on its way.' })
    const chat = first.message.conversationId
    expect(first.message).toMatchObject({ seq: 1, kind: 'SYSTEM' })
    expect(await bob.conversation(chat)).toMatchObject({ unreadCount: 1 })
    await bob.send({ userId: backend.serviceId }, 'Thank you')
    const again = await send({ to: { userId: bob.userId } })
    expect(again.message).toMatchObject({ conversationId: chat, seq: 3 })
  })

  it('is not held up by a block: nobody can block the app', async () => {
    const { message } = await send({ to: { userId: bob.userId } })
    await bob.ask('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId } }', {
      input: { userId: backend.serviceId, blocked: true },
    })
    expect((await send({ to: { userId: bob.userId } })).message.seq).toBe(message.seq + 1)
  })

  it('is nobody else’s to edit, and its deletion is shown as such', async () => {
    const { id } = await createGroup(alice, [bob])
    const { message } = await send({ to: { conversationId: id } })
    await expect(alice.edit(id, message.seq, 'mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(bob.remove(id, message.seq)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await bob.react(id, message.seq, '👍')
    await alice.remove(id, message.seq)
    expect(await lastSeen(bob, id)).toMatchObject({ kind: 'SYSTEM', body: '' })
  })
})

describe('a message for a user', () => {
  it('is theirs like any other, but tells nothing of what they have read', async () => {
    await alice.send(bob, 'hi')
    const chat = world.chatOf(alice, bob)
    await bob.ack(chat, 1)
    const { message } = await send({ as: bob.userId, to: { userId: alice.userId }, body: 'from the old app' })
    expect(message).toMatchObject({ conversationId: chat, kind: 'USER', senderId: bob.userId, seq: 2 })
    expect((await lastSeen(alice, chat)).kind).toBe('USER')
    const { messages } = await alice.ask<{ messages: { edges: { node: Seen }[] } }>(
      'query ($id: ID!) { messages(conversationId: $id) { edges { node { seq tick } } } }',
      { id: chat },
    )
    expect(messages.edges[1]?.node).toEqual({ seq: 1, tick: 'DELIVERED' })
    await bob.edit(chat, 2, 'edited by bob')
  })

  it('is sent only where they could send', async () => {
    const { id } = await createGroup(alice, [])
    await expect(send({ as: bob.userId, to: { conversationId: id } })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await alice.ask('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId } }', {
      input: { userId: bob.userId, blocked: true },
    })
    const blocked = send({ as: bob.userId, to: { userId: alice.userId } })
    await expect(blocked).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('has its clientMessageId from the supply of that user', async () => {
    const clientMessageId = randomUUID()
    const { id } = await alice.send(bob, 'hello', { clientMessageId })
    expect(await send({ clientMessageId, as: alice.userId, to: { userId: bob.userId } })).toMatchObject({
      message: { id },
      duplicate: true,
    })
    expect(await send({ clientMessageId, to: { userId: bob.userId } })).toMatchObject({ duplicate: false })
  })
})

describe('a resend', () => {
  it.each(['http', 'ws'] as const)('over %s is the same message, and other content a conflict', async (via) => {
    const { id } = await createGroup(alice, [bob])
    const input = {
      clientMessageId: randomUUID(),
      to: { conversationId: id },
      metadata: { a: 1 },
      sentAt: '2019-05-01T10:00:00.000Z',
    }
    const first = await send(input, via)
    expect(await send(input, via)).toEqual({ ...first, duplicate: true })
    const others = [{ body: 'other' }, { metadata: { a: 2 } }, { sentAt: null }, { to: { userId: bob.userId } }]
    for (const other of others) {
      await expect(send({ ...input, ...other }, via)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    }
    const own = { clientMessageId: randomUUID(), to: { userId: bob.userId }, as: backend.serviceId }
    await send(own, via)
    await expect(send({ ...own, as: null }, via)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  })
})

describe('history brought along', () => {
  it('keeps its times, in the order in which it comes, also in the list of chats', async () => {
    const chat = world.chatOf(alice, bob)
    const times = ['2019-05-01T10:00:00.000Z', '2019-05-01T10:00:01.500Z', '2018-01-01T00:00:00.000Z']
    for (const [i, sentAt] of times.entries()) {
      const as = i % 2 === 0 ? alice : bob
      const to = { userId: (as === alice ? bob : alice).userId }
      const { message } = await send({ as: as.userId, to, sentAt, body: `${i}`, silent: true })
      expect(message).toMatchObject({ seq: i + 1, sentAt })
    }
    const { edges } = await alice.history(chat)
    expect(edges.map(({ node }) => node.sentAt)).toEqual([...times].reverse())
    const { conversation } = await alice.ask<{ conversation: { lastActivityAt: string } }>(
      'query ($id: ID!) { conversation(id: $id) { lastActivityAt } }',
      { id: chat },
    )
    expect(conversation.lastActivityAt).toBe(times[2])
  })

  it('cannot be of the future', async () => {
    const later = send({ to: { userId: bob.userId }, sentAt: new Date(Date.now() + 3_600_000).toISOString() })
    await expect(later).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'sentAt' })
  })
})

it('what is silent leaves no job for push, and all else does', async () => {
  const backlog = async () => (await portsOf().push?.queue.backlog())?.jobs ?? expect.fail()
  const { id } = await createGroup(alice, [bob])
  const loud = async () => {
    const before = await backlog()
    await send({ to: { conversationId: id }, silent: true })
    await send({ to: { userId: bob.userId }, silent: true })
    await send({ as: alice.userId, to: { userId: bob.userId }, silent: true })
    await send({ to: { userId: bob.userId } })
    await vi.waitFor(async () => expect(await backlog()).toBeGreaterThan(before), { timeout: 20_000, interval: 10 })
    return (await backlog()) - before
  }
  expect(await loud()).toBe(1)
})

describe('messages', () => {
  it('shows a backend all of a conversation, by signed cursors, up, down and around', async () => {
    const { id } = await createGroup(alice, [])
    for (const n of [2, 3, 4, 5]) await alice.send({ conversationId: id }, `m${n}`)
    await updateMembers(alice, id, { add: [bob] })
    await bob.send({ conversationId: id }, 'm7')
    await alice.remove(id, 3)
    const page = async (args: string, variables: object = {}) =>
      (
        await backend.ask<{ messages: AdminPage }>(
          `query ($id: ID!${args.includes('$c') ? ', $c: String' : ''}) { messages(conversationId: $id, ${args}) {
            edges { cursor node { seq body kind senderId deletedAt } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
          } }`,
          { id, ...variables },
        )
      ).messages
    const seqs = ({ edges }: AdminPage) => edges.map(({ node }) => node.seq)
    const newest = await page('first: 2')
    expect(seqs(newest)).toEqual([7, 5])
    const older = await page('first: 10, after: $c', { c: newest.pageInfo.endCursor })
    expect(seqs(older)).toEqual([4, 3, 2])
    expect(older.edges[1]?.node).toMatchObject({ body: '', deletedAt: expect.any(String) })
    expect(older.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    expect(seqs(await page('last: 2, before: $c', { c: older.edges[2]?.cursor }))).toEqual([4, 3])
    expect(seqs(await page('aroundSeq: 4, first: 3'))).toEqual([5, 4, 3])
    await expect(page('first: 1, after: $c', { c: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    await expect(page('first: 101')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' })
  })

  it('shows it also to a service that was a member and was removed', async () => {
    const service = await world.person('service')
    const { id } = await createGroup(alice, [service])
    await alice.send({ conversationId: id }, 'before')
    await updateMembers(alice, id, { remove: [service] })
    await alice.send({ conversationId: id }, 'after')
    const same = await createService(service.userId, world.url())
    const { messages } = await same.ask<{ messages: AdminPage }>(
      'query ($id: ID!) { messages(conversationId: $id) { edges { cursor node { seq body kind senderId deletedAt } } } }',
      { id },
    )
    expect(messages.edges.map(({ node }) => node.body)).toEqual(['after', 'before'])
  })
})

type AdminPage = {
  edges: { cursor: string; node: { seq: number; body: string; deletedAt: string | null } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string; startCursor: string }
}

describe('deleteMessage', () => {
  it('deletes anybody’s message, once, and everybody hears of it', async () => {
    await alice.send(bob, 'rude')
    const chat = world.chatOf(alice, bob)
    const changes = bob.followChanges()
    const clientMessageId = randomUUID()
    const deleted = await remove({ conversationId: chat, seq: 1, clientMessageId })
    expect(deleted).toMatchObject({ message: { seq: 1, body: '', deletedAt: expect.any(String) }, duplicate: false })
    await changes.sees(({ message }) => message.seq === 1 && message.deletedAt !== null)
    expect(await remove({ conversationId: chat, seq: 1, clientMessageId })).toEqual({ ...deleted, duplicate: true })
    await expect(remove({ conversationId: chat, seq: 9, clientMessageId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await alice.send(bob, 'next')
    const other = remove({ conversationId: chat, seq: 3, clientMessageId })
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    await changes.stop()
  })
})

it('a value that breaks a rule is named', async () => {
  await expect(send({ to: { conversationId: 'grp_1' }, body: '' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(send({ to: { userId: bob.userId }, body: ' ' })).rejects.toMatchObject({ field: 'body' })
  await expect(send({ to: { userId: 'grp_1' } })).rejects.toMatchObject({ field: 'to.userId' })
  await expect(send({ to: { userId: bob.userId }, as: 'dm_x' })).rejects.toMatchObject({ field: 'as' })
  await expect(send({ to: { userId: bob.userId }, clientMessageId: '#' })).rejects.toMatchObject({
    field: 'clientMessageId',
  })
  await expect(send({ to: { userId: bob.userId }, metadata: 5 })).rejects.toMatchObject({ field: 'metadata' })
  await expect(send({ to: {} })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
})
