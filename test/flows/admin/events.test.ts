import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// The feed as backends read it: by pages, and as it happens.

let world: World
let backend: Service
let alice: Person
let bob: Person
beforeAll(async () => {
  world = await startWorld({ nodes: 2, config: { events: true } })
  backend = await createService(`backend-${randomUUID().slice(0, 8)}`, world.url())
})
afterAll(() => world.stop())
beforeEach(async () => {
  alice = await world.person('alice')
  bob = await world.person('bob', { node: 1 })
})

type Event = {
  id: string
  type: string
  occurredAt: string
  conversationId: string | null
  seq: number | null
  data: Record<string, unknown>
  position: string
}
type Page = { events: Event[]; position: string; hasMore: boolean }
const fields = 'id type occurredAt conversationId seq data position'

const page = async (after: string | null, first?: number): Promise<Page> =>
  (
    await backend.ask<{ events: Page }>(
      `query ($after: String, $first: Int) { events(after: $after, first: $first) { position hasMore events { ${fields} } } }`,
      { after, first },
    )
  ).events

/** Returns where the feed ends now. */
async function now(): Promise<string> {
  let at: Page | undefined
  do at = await page(at?.position ?? null, 1000)
  while (at.hasMore)
  return at.position
}

/** Reads on until so many events of these conversations or users were there, in pages of this size. */
async function read(from: string, wanted: number, of: readonly string[], first = 100): Promise<Event[]> {
  const found: Event[] = []
  for (let after = from; found.length < wanted; ) {
    const next = await page(after, first)
    after = next.position
    found.push(...next.events.filter((event) => isOf(event, of)))
  }
  return found
}
const isOf = ({ conversationId, data }: Event, of: readonly string[]): boolean =>
  of.includes(conversationId ?? String(data.userId))

const subscription = `subscription ($after: String) { events(after: $after) { ${fields} } }`
const watch = (service: Service, after: string | null) => service.watch<{ events: Event }>(subscription, { after })

/** Takes so many events of these from a subscription. */
async function take(stream: AsyncIterable<{ events: Event }>, count: number, of: readonly string[]): Promise<Event[]> {
  const found: Event[] = []
  for await (const { events: event } of stream) {
    if (isOf(event, of)) found.push(event)
    if (found.length === count) break
  }
  return found
}

const short = ({ type, seq }: Event): string => (seq === null ? type : `${seq} ${type}`)

describe('events', () => {
  it('has what happens in a direct chat, in order, once', async () => {
    const from = await now()
    await alice.send(bob, 'hello')
    await bob.send(alice, 'hi')
    const chat = world.chatOf(alice, bob)
    await alice.react(chat, 2, '👍')
    await alice.edit(chat, 1, 'hello!')
    await alice.remove(chat, 1)
    const events = await read(from, 6, [chat])
    expect(events.map(short)).toEqual([
      '1 conversation.created',
      '1 message.sent',
      '2 message.sent',
      '3 message.reacted',
      '4 message.edited',
      '5 message.deleted',
    ])
    expect(events[0]?.data).toMatchObject({ kind: 'DIRECT', actorId: alice.userId })
    expect(events[1]?.data).toMatchObject({
      kind: 'USER',
      senderId: alice.userId,
      body: '',
      deletedAt: expect.any(String),
    })
    expect(events[2]?.data).toMatchObject({ body: 'hi', senderId: bob.userId })
    expect((await page(events.at(-1)?.position ?? null)).events.filter((event) => isOf(event, [chat]))).toEqual([])
    const withoutPosition = ({ position: _position, ...event }: Event) => event
    const oneByOne = await read(from, 6, [chat], 1)
    expect(oneByOne.map(withoutPosition)).toEqual(events.map(withoutPosition))
  })

  it('has what happens to a group and to the profiles of users', async () => {
    const from = await now()
    const { id } = await createGroup(alice, [])
    await updateMembers(alice, id, { add: [bob] })
    const describeAs = (input: object) =>
      backend.ask(
        'mutation ($input: AdminUpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
        { input: { conversationId: id, ...input } },
      )
    await describeAs({ title: 'Coffee' })
    await describeAs({ metadata: { order: 5 } })
    const told = await read(from, 4, [id])
    expect(told.map(short)).toEqual([
      '1 conversation.created',
      '2 members.added',
      '3 conversation.updated',
      '4 conversation.updated',
    ])
    expect(told.map(({ data }) => data)).toMatchObject([
      { kind: 'GROUP', actorId: alice.userId, memberIds: [alice.userId] },
      { actorId: alice.userId, userIds: [bob.userId] },
      { actorId: backend.serviceId, title: 'Coffee' },
      { actorId: backend.serviceId, metadataChanged: true },
    ])

    await backend.ask('mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) { users { id } } }', {
      input: { users: [{ id: bob.userId, name: 'Bob' }] },
    })
    await alice.updateProfile({ name: 'Alice' })
    const users = await read(from, 2, [alice.userId, bob.userId])
    expect(users.map(({ type, data }) => `${type} ${data.userId}`).sort()).toEqual(
      [alice, bob].map(({ userId }) => `user.updated ${userId}`),
    )
  })

  it('has a name that came with a token once, however many nodes have seen it', async () => {
    const from = await now()
    const carol = await world.person('carol', { displayName: 'Carol' })
    await carol.ask('{ __typename }')
    const told = await read(from, 1, [carol.userId])
    await world.startNode()
    await carol.ask('{ __typename }', {}, { node: world.nodes.at(-1)?.url ?? '' })
    await alice.send(carol, 'hello')
    const later = await read(told[0]?.position ?? '', 2, [carol.userId, world.chatOf(alice, carol)])
    expect(later.map(({ type }) => type)).toEqual(['conversation.created', 'message.sent'])
  })

  it('of a direct chat tells that its metadata was changed', async () => {
    await alice.send(bob, 'hello')
    const from = await now()
    const conversationId = world.chatOf(alice, bob)
    await backend.ask(
      'mutation ($input: AdminUpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
      { input: { conversationId, metadata: { ticket: 5 } } },
    )
    const [event] = await read(from, 1, [conversationId])
    expect(event).toMatchObject({
      type: 'conversation.updated',
      seq: null,
      data: { actorId: backend.serviceId, metadataChanged: true },
    })
  })

  it('says what is wrong with an argument', async () => {
    await expect(page('nonsense')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' })
    await expect(page(null, 0)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' })
    await expect(page(null, 1001)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' })
    await expect(watch(backend, 'nonsense').next()).rejects.toMatchObject({ field: 'after' })
  })
})

describe('the subscription', () => {
  it('goes on from a position, at any node, over a flush of Redis and the end of a node', async () => {
    const from = await now()
    const chat = world.chatOf(alice, bob)
    const bodies = (events: readonly Event[]) =>
      events.filter(({ type }) => type === 'message.sent').map(({ data }) => data.body)
    await world.startNode()
    const last = world.nodes.at(-1)
    const there = await createService('there', last?.url ?? '')
    const stream = watch(there, from)
    await alice.send(bob, 'm1')
    const first = await take(stream, 2, [chat])
    await world.redis.flush()
    await alice.send(bob, 'm2')
    const second = await take(watch(there, first.at(-1)?.position ?? ''), 1, [chat])
    await last?.stop()
    await alice.send(bob, 'm3')
    await world.redis.flush()
    await bob.send(alice, 'm4')
    const third = await take(watch(backend, second.at(-1)?.position ?? ''), 2, [chat])
    expect(bodies([...first, ...second, ...third])).toEqual(['m1', 'm2', 'm3', 'm4'])
  })

  it('begins with what comes from now on where no position is given', async () => {
    await alice.send(bob, 'before')
    const stream = watch(backend, null)
    const first = take(stream, 1, [world.chatOf(alice, bob)])
    const marker = async () => {
      await backend.ask('mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) { users { id } } }', {
        input: { users: [{ id: alice.userId, name: 'Alice' }] },
      })
      await alice.send(bob, 'after')
    }
    let isThere = false
    void first.then(() => {
      isThere = true
    })
    // When the subscription has begun is not told: each further message would be the first.
    for (let i = 0; i < 500 && !isThere; i += 1) await marker()
    expect((await first)[0]?.data).toMatchObject({ body: 'after' })
  })

  it('comes as server-sent events too', async () => {
    const from = await now()
    await alice.send(bob, 'hello')
    const response = await fetch(`${world.url()}/admin/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${backend.token}`,
      },
      body: JSON.stringify({ query: subscription, variables: { after: from } }),
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk as Uint8Array)
      if (text.includes('message.sent')) break
    }
    expect(text).toContain('conversation.created')
  })
})

it('where there is no feed, says how to get one', async () => {
  const without = await startWorld()
  const service = await createService('backend', without.url())
  const refused = { code: 'FORBIDDEN', message: expect.stringContaining('EVENTS=on') }
  await expect(service.ask('{ events { position } }')).rejects.toMatchObject(refused)
  await expect(service.watch(subscription).next()).rejects.toMatchObject(refused)
  await without.stop()
})
