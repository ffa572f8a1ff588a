import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageNodeId } from '../../../src/protocol/ids.ts'
import { createGroup, leave, type MembersChange, membersOf, updateMembers, viewOf } from '../../kit/group-of.ts'
import { line, type Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Alice, who will be the owner, is on the first node; bob and carol are on the second. */
const people = async (): Promise<[Person, Person, Person]> => [
  await world.person('alice'),
  await world.person('bob', { node: 1 }),
  await world.person('carol', { node: 1 }),
]

async function groupOfThree() {
  const [alice, bob, carol] = await people()
  const { id } = await createGroup(alice, [bob, carol])
  return { alice, bob, carol, id, to: { conversationId: id } }
}

const bodiesSeenBy = async (person: Person, id: string): Promise<string[]> =>
  (await person.history(id)).edges.map(({ node }) => line(node)).reverse()

describe('a group', () => {
  it('has its maker as owner, and is there for everybody in it', async () => {
    const [alice, bob, carol] = await people()
    const group = await createGroup(alice, [bob, carol, bob, alice], { title: 'Tea ☕' })
    expect(group.id).toMatch(/^grp_\d{15,}$/)
    expect(group).toMatchObject({ kind: 'GROUP', title: 'Tea ☕', lastSeq: 1, unreadCount: 0, lastMessage: null })
    expect(membersOf(group)).toEqual(['alice OWNER 1', 'bob MEMBER 1', 'carol MEMBER 1'])
    expect(await viewOf(bob, group.id)).toEqual(group)
    expect((await carol.conversations()).edges.map(({ node }) => node.id)).toEqual([group.id])
  })

  it('is made once, whatever is retried, at whatever node; another content under the same id is refused', async () => {
    const [alice, bob, carol] = await people()
    const clientGroupId = 'the-very-one'
    const made = await Promise.all(
      [0, 1, 0, 1].map((node) => createGroup(alice, [bob], { clientGroupId, node: world.url(node) })),
    )
    await world.redis.flush()
    made.push(await createGroup(alice, [bob], { clientGroupId }))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', field: 'clientGroupId' }
    await expect(createGroup(alice, [bob, carol], { clientGroupId })).rejects.toMatchObject(conflict)
    await expect(createGroup(alice, [bob], { clientGroupId, title: 'Coffee' })).rejects.toMatchObject(conflict)
    // A message may use the same id: the two have nothing to do with each other.
    expect(await alice.send(bob, 'hi', { clientMessageId: clientGroupId })).toMatchObject({ duplicate: false })
    expect((await bob.conversations()).edges).toHaveLength(2)
  })

  it('that was changed since is what a late retry gets', async () => {
    const [alice, bob, carol] = await people()
    const { id } = await createGroup(alice, [bob], { clientGroupId: 'again' })
    await updateMembers(alice, id, { add: [carol], remove: [bob] })
    expect(membersOf(await createGroup(alice, [bob], { clientGroupId: 'again' }))).toEqual([
      'alice OWNER 1',
      'carol MEMBER 2',
    ])
    expect(await viewOf(bob, id)).toBeNull()
  })

  it.each([
    ['title', { title: '' }],
    ['title', { title: ' \u200b' }],
    ['title', { title: 'x'.repeat(101) }],
    ['clientGroupId', { clientGroupId: 'no spaces' }],
  ])('with a bad %s is refused', async (field, options) => {
    const [alice, bob] = await people()
    await expect(createGroup(alice, [bob], options)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
  })

  it('has at most 1,024 members, all told', async () => {
    const alice = await world.person('alice')
    const others = Array.from({ length: 1024 }, (_, i) => ({ userId: `crowd-${i}` }) as Person)
    await expect(createGroup(alice, others)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'memberIds' })
    const { id, members } = await createGroup(alice, others.slice(1))
    expect(members).toHaveLength(1024)
    await expect(updateMembers(alice, id, { add: others.slice(0, 1) })).rejects.toMatchObject({ field: 'add' })
    const swapped = await updateMembers(alice, id, { add: others.slice(0, 1), remove: others.slice(1, 2) })
    expect(swapped.members).toHaveLength(1024)
  })
})

describe('a message to a group', () => {
  it('reaches everybody live, over both nodes, in one order, each once', async () => {
    const { alice, bob, carol, to } = await groupOfThree()
    const streams = [alice, bob, carol].map((person) => person.follow())
    await Promise.all([alice, bob, carol].map((person) => world.online(person)))
    await Promise.all([alice, bob, carol, alice, bob].map((person, i) => person.send(to, `m${i}`)))
    const [first, ...others] = await Promise.all(streams.map((stream) => stream.receives(5)))
    expect(first?.map(({ message }) => message.seq)).toEqual([2, 3, 4, 5, 6])
    expect(first?.map(({ previousSeq }) => previousSeq)).toEqual([0, 2, 3, 4, 5])
    for (const other of others) {
      expect(other.map(({ message }) => line(message))).toEqual(first?.map(({ message }) => line(message)))
    }
    await Promise.all(streams.map((stream) => stream.stop()))
  })

  it('is caught up with by whoever was away, after a clean end and after none, and leaves no pending row', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    const atBob = bob.follow()
    await world.online(bob)
    await alice.send(to, 'one')
    await atBob.receives(1)
    await bob.ack(id, 2)
    await atBob.stop()
    await world.offline(bob)
    for (const body of ['two', 'three']) await alice.send(to, body)
    const pending = world.nodes[0]?.parts.ports.pending
    expect(await pending?.list(bob.userId as never)).toEqual([])
    for (const [person, count] of [
      [bob, 2],
      [carol, 3],
    ] as const) {
      const stream = person.follow()
      const events = await stream.receives(count)
      expect(events.map(({ message }) => message.body)).toEqual(['one', 'two', 'three'].slice(3 - count))
      expect(events.every(({ catchUp }) => catchUp)).toBe(true)
      await stream.stop()
    }
  })

  it('is resumed by position, like any other', async () => {
    const { alice, bob, id, to } = await groupOfThree()
    for (const body of ['one', 'two', 'three']) await alice.send(to, body)
    const atBob = bob.follow({ after: [{ conversationId: id, seq: 3 }] })
    expect((await atBob.receives(1)).map(({ previousSeq, message }) => `${previousSeq}>${message.seq}`)).toEqual([
      '3>4',
    ])
    await atBob.stop()
  })

  it('is as far as the slowest of the others; who is where, the ticks say', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    const atAlice = alice.followTicks({ conversationId: id })
    expect(await atAlice.receives(2)).toHaveLength(2)
    const { seq } = await alice.send(to, 'one')
    const tick = async () => (await viewOf(alice, id))?.lastMessage?.tick
    await bob.markRead(id, seq)
    expect(await tick()).toBe('SENT')
    await carol.ack(id, seq)
    expect(await tick()).toBe('DELIVERED')
    await carol.markRead(id, seq)
    expect(await tick()).toBe('READ')
    await atAlice.sees(({ userId, lastReadSeq }) => userId === carol.userId && lastReadSeq === seq)
    await atAlice.stop()
  })

  it('does not go back to a single tick when somebody joins', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    const dave = await world.person('dave')
    const { seq } = await alice.send(to, 'one')
    for (const person of [bob, carol]) await person.markRead(id, seq)
    await updateMembers(alice, id, { add: [dave] })
    expect((await viewOf(alice, id))?.lastMessage?.tick).toBe('READ')
  })

  it('counts as unread for the others, who came before it', async () => {
    const { alice, bob, id, to } = await groupOfThree()
    await alice.send(to, 'one')
    await bob.send(to, 'two')
    const dave = await world.person('dave')
    await updateMembers(alice, id, { add: [dave] })
    await alice.send(to, 'three')
    const unread = async (person: Person) => (await viewOf(person, id))?.unreadCount
    // Nothing was delivered to bob yet, so that his message was no reply.
    expect(await Promise.all([alice, bob, dave].map(unread))).toEqual([1, 2, 1])
  })

  it('may be deleted by an owner or an admin, and by nobody else but its author; edited by its author alone', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    const { seq } = await bob.send(to, 'mine')
    await expect(carol.remove(id, seq)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(alice.edit(id, seq, 'no, mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const atCarol = carol.followChanges()
    expect(await alice.remove(id, seq)).toMatchObject({ body: '' })
    expect(await atCarol.receives(1)).toMatchObject([{ message: { seq, body: '' } }])
    await atCarol.stop()
  })

  it('is announced by its writer’s typing, to everybody else', async () => {
    const { alice, bob, id } = await groupOfThree()
    const atBob = bob.followTyping(id)
    await atBob.connected()
    await expect
      .poll(async () => {
        await alice.setTyping(id, false)
        await alice.setTyping(id, true)
        return atBob.events.length
      })
      .toBeGreaterThan(0)
    expect(atBob.events[0]).toMatchObject({ userId: alice.userId, typing: true })
    await atBob.stop()
  })
})

describe('whoever joins later', () => {
  it('sees what is written from then on, by whatever way they look', async () => {
    const { alice, bob, id, to } = await groupOfThree()
    const dave = await world.person('dave', { node: 1 })
    const { seq } = await alice.send(to, 'before')
    const before = (await alice.history(id)).edges[0]
    const atDave = dave.follow()
    const changesAtDave = dave.followChanges()
    await world.online(dave)
    const group = await updateMembers(alice, id, { add: [dave] })
    expect(membersOf(group).at(-1)).toBe('dave MEMBER 3')
    expect(await viewOf(dave, id)).toMatchObject({ lastMessage: null, unreadCount: 0, lastSeq: 3 })
    await bob.send(to, 'after')

    expect(await atDave.receives(1)).toMatchObject([{ previousSeq: 0, message: { seq: 4, body: 'after' } }])
    expect(await bodiesSeenBy(dave, id)).toEqual(['4 after'])
    expect((await dave.history(id)).pageInfo.hasNextPage).toBe(false)
    expect((await dave.history(id, { last: 5 })).edges).toHaveLength(1)
    expect((await dave.history(id, { after: before?.cursor ?? '' })).edges).toEqual([])
    expect(await dave.ask('query ($id: ID!) { node(id: $id) { id } }', { id: before?.node.id ?? '' })).toEqual({
      node: null,
    })
    const resumed = dave.follow({ conversationId: id, after: [{ conversationId: id, seq: 0 }] })
    expect((await resumed.receives(1)).map(({ message }) => message.body)).toEqual(['after'])

    await expect(dave.edit(id, seq, 'let me')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(dave.react(id, seq, '👍')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const reply = { clientMessageId: 'reply', to, body: 'to that', replyToSeq: seq }
    const send = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { replyTo { body } } } }'
    await expect(dave.ask(send, { input: reply })).rejects.toMatchObject({ field: 'replyToSeq' })
    await bob.ask(send, { input: reply })
    const replied = await dave.ask('query ($id: ID!) { node(id: $id) { ... on Message { body replyTo { body } } } }', {
      id: messageNodeId({ conversationId: id as never, seq: 5 }),
    })
    expect(replied).toEqual({ node: { body: 'to that', replyTo: null } })

    // The change of a message that they never saw does not exist for them; the next change does.
    await alice.edit(id, seq, 'before, edited')
    await alice.react(id, 4, '👍')
    expect(await changesAtDave.receives(1)).toMatchObject([{ message: { seq: 4 } }])
    await Promise.all([atDave.stop(), changesAtDave.stop(), resumed.stop()])
  })

  it('and was away when added finds the group with what was written since', async () => {
    const { alice, id, to } = await groupOfThree()
    const dave = await world.person('dave', { node: 1 })
    await alice.send(to, 'before')
    const first = dave.follow()
    await world.online(dave)
    await first.stop()
    await world.offline(dave)
    await updateMembers(alice, id, { add: [dave] })
    await alice.send(to, 'after')
    const atDave = dave.follow()
    expect((await atDave.receives(1)).map(({ message }) => line(message))).toEqual(['4 after'])
    await atDave.stop()
  })
})

describe('whoever is removed, or leaves', () => {
  const sightsOf = (person: Person, id: string, node: string) => ({
    conversation: () => viewOf(person, id, node),
    history: () => person.history(id, {}, node).catch(({ code }) => code),
    'a cursor': async (cursor: string) => person.history(id, { after: cursor }, node).catch(({ code }) => code),
  })

  it('sees nothing of it any more: not by query, cursor, node id, open subscription or resume', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    const { seq } = await alice.send(to, 'before')
    const cursor = (await bob.history(id)).edges[0]?.cursor ?? ''
    const streams = { all: bob.follow(), one: bob.follow({ conversationId: id }), changes: bob.followChanges() }
    const others = { ticks: bob.followTicks({ conversationId: id }), typing: bob.followTyping(id) }
    await Promise.all([
      streams.all.receives(1),
      streams.one.receives(1),
      others.ticks.receives(2),
      others.typing.connected(),
    ])
    const atCarol = carol.follow()
    await atCarol.receives(1)

    await updateMembers(alice, id, { remove: [bob] })
    await alice.send(to, 'after')
    await alice.edit(id, seq, 'edited')
    await atCarol.receives(2)

    for (const node of [world.url(0), world.url(1)]) {
      const sights = sightsOf(bob, id, node)
      expect(await sights.conversation()).toBeNull()
      expect(await sights.history()).toBe('NOT_FOUND')
      expect(await sights['a cursor'](cursor)).toBe('NOT_FOUND')
      const nodeId = messageNodeId({ conversationId: id as never, seq })
      expect(await bob.ask('query ($id: ID!) { node(id: $id) { id } }', { id: nodeId }, { node })).toEqual({
        node: null,
      })
      await expect(bob.send(to, 'still here?', { node })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(bob.ack(id, seq, { node })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    expect((await bob.conversations()).edges).toEqual([])
    for (const stream of [streams.one, others.ticks, others.typing]) {
      expect(await stream.fails()).toMatchObject({ code: 'NOT_FOUND' })
    }
    // A client that sends the variables it began with still gets its stream: the position in the group is ignored.
    const resumed = bob.follow({ after: [{ conversationId: id, seq }] })
    // What comes to bob after all this comes after anything that the group might have brought.
    await carol.send(bob, 'psst')
    await streams.all.sees(({ message }) => message.body === 'psst')
    expect(streams.all.events.map(({ message }) => message.body)).toEqual(['before', 'psst'])
    expect(streams.changes.events).toEqual([])
    await resumed.sees(({ message }) => message.body === 'psst')
    expect(resumed.events.map(({ message }) => message.body)).not.toContain('after')
    await Promise.all(
      [resumed, ...Object.values(streams), ...Object.values(others), atCarol].map((stream) => stream.stop()),
    )
  })

  it('is not acquainted with the others any more', async () => {
    const { alice, bob, id } = await groupOfThree()
    const find = () => bob.ask('query ($id: ID!) { node(id: $id) { id } }', { id: alice.userId })
    expect(await find()).toEqual({ node: { id: alice.userId } })
    await leave(bob, id)
    expect(await find()).toEqual({ node: null })
  })

  it('and comes back sees from then on, also on a stream that has stood all the while', async () => {
    const { alice, bob, id, to } = await groupOfThree()
    const atBob = bob.follow()
    await world.online(bob)
    await alice.send(to, 'one')
    await atBob.receives(1)
    await updateMembers(alice, id, { remove: [bob] })
    await alice.send(to, 'without bob')
    await updateMembers(alice, id, { add: [bob] })
    await alice.send(to, 'two')
    const events = await atBob.receives(2)
    expect(events.map(({ previousSeq, message }) => `${previousSeq}>${line(message)}`)).toEqual(['0>2 one', '2>6 two'])
    expect(await bodiesSeenBy(bob, id)).toEqual(['6 two'])
    const resumed = bob.follow({ after: [{ conversationId: id, seq: 2 }] })
    expect((await resumed.receives(1)).map(({ previousSeq, message }) => `${previousSeq}>${message.seq}`)).toEqual([
      '2>6',
    ])
    await Promise.all([atBob.stop(), resumed.stop()])
  })

  it('as its last owner is followed by an admin, or else by whoever has been there longest', async () => {
    const { alice, bob, carol, id } = await groupOfThree()
    await updateMembers(alice, id, { roles: [[carol, 'ADMIN']] })
    await leave(alice, id)
    expect(membersOf((await viewOf(bob, id)) ?? expect.fail())).toEqual(['bob MEMBER 1', 'carol OWNER 1'])
    await leave(carol, id)
    expect(membersOf((await viewOf(bob, id)) ?? expect.fail())).toEqual(['bob OWNER 1'])
    await leave(bob, id)
    expect(await viewOf(bob, id)).toBeNull()
    await expect(leave(bob, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('roles', () => {
  it('say who may do what', async () => {
    const { alice, bob, carol, id } = await groupOfThree()
    const dave = await world.person('dave')
    const forbidden = { code: 'FORBIDDEN' }
    await expect(updateMembers(bob, id, { add: [dave] })).rejects.toMatchObject(forbidden)
    await updateMembers(alice, id, { roles: [[bob, 'ADMIN']] })
    expect(membersOf(await updateMembers(bob, id, { add: [dave] }))).toContain('dave MEMBER 3')
    await expect(updateMembers(bob, id, { roles: [[dave, 'ADMIN']] })).rejects.toMatchObject(forbidden)
    await expect(updateMembers(bob, id, { remove: [alice] })).rejects.toMatchObject(forbidden)
    await updateMembers(bob, id, { remove: [carol] })
    await updateMembers(alice, id, {
      roles: [
        [dave, 'OWNER'],
        [alice, 'MEMBER'],
      ],
    })
    expect(membersOf((await viewOf(alice, id)) ?? expect.fail())).toEqual([
      'alice MEMBER 1',
      'bob ADMIN 1',
      'dave OWNER 3',
    ])
  })

  it.each([
    ['a group without an owner', 'roles', (a: Person): MembersChange => ({ roles: [[a, 'MEMBER']] })],
    ['removing oneself', 'remove', (a: Person): MembersChange => ({ remove: [a] })],
    [
      'a role for somebody who is not there',
      'roles',
      (_a: Person, d: Person): MembersChange => ({ roles: [[d, 'ADMIN']] }),
    ],
    ['adding and removing at once', 'remove', (_a: Person, d: Person): MembersChange => ({ add: [d], remove: [d] })],
  ])('do not allow %s', async (_name, field, change) => {
    const { alice, id } = await groupOfThree()
    const dave = await world.person('dave')
    await expect(updateMembers(alice, id, change(alice, dave))).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
  })

  it('a change that is so already takes no place in the log', async () => {
    const { alice, bob, id } = await groupOfThree()
    const dave = await world.person('dave')
    const group = await updateMembers(alice, id, { add: [bob], remove: [dave], roles: [[bob, 'MEMBER']] })
    expect(group.lastSeq).toBe(1)
  })

  it('many who change a group at once all have their way', async () => {
    const { alice, bob, carol, id } = await groupOfThree()
    await updateMembers(alice, id, {
      roles: [
        [bob, 'ADMIN'],
        [carol, 'ADMIN'],
      ],
    })
    const guests = await Promise.all(Array.from({ length: 6 }, (_, i) => world.person(`guest${i}`)))
    await Promise.all(
      guests.map((guest, i) => updateMembers([alice, bob, carol][i % 3] as Person, id, { add: [guest] })),
    )
    const group = (await viewOf(alice, id)) ?? expect.fail()
    expect(group.members.map((member) => member.id).sort()).toEqual(
      [alice, bob, carol, ...guests].map(({ userId }) => userId).sort(),
    )
  })

  it('nobody changes who is in a direct chat', async () => {
    const [alice, bob, carol] = await people()
    const { conversationId } = await alice.send(bob, 'hi')
    const refused = { code: 'BAD_USER_INPUT', field: 'conversationId' }
    await expect(updateMembers(alice, conversationId, { add: [carol] })).rejects.toMatchObject(refused)
    await expect(leave(alice, conversationId)).rejects.toMatchObject(refused)
  })
})

describe('the list of whoever is in a group', () => {
  it('shows live that they were added, what is said, a new title, and who comes and goes', async () => {
    const [alice, bob, carol] = await people()
    const { streams } = world.nodes[1]?.parts.domain.resyncScheduler ?? expect.fail()
    const before = streams()
    const atBob = bob.followConversations()
    await expect.poll(streams).toBe(before + 1)
    const { id } = await createGroup(alice, [bob])
    await atBob.sees((chat) => chat.id === id && chat.lastSeq === 1)
    await alice.send({ conversationId: id }, 'hello')
    await atBob.sees((chat) => chat.lastMessage?.body === 'hello' && chat.unreadCount === 1)
    await bob.markRead(id, 2)
    await atBob.sees((chat) => chat.lastSeq === 2 && chat.unreadCount === 0)
    const rename =
      'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { title } } }'
    const renamed = await alice.ask(rename, { input: { conversationId: id, title: 'Coffee' } })
    expect(renamed).toEqual({ updateConversation: { conversation: { title: 'Coffee' } } })
    await atBob.sees((chat) => chat.lastSeq === 3)
    expect((await viewOf(bob, id))?.title).toBe('Coffee')
    await expect(bob.ask(rename, { input: { conversationId: id, title: 'Mine' } })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await updateMembers(alice, id, { add: [carol] })
    await atBob.sees((chat) => chat.lastSeq === 4)
    await atBob.stop()
  })

  it('shows who of the others is there', async () => {
    const { alice, bob, id } = await groupOfThree()
    expect(await bob.presenceOf(alice)).toMatchObject({ state: 'OFFLINE' })
    const atAlice = alice.follow()
    await world.online(alice)
    expect(await bob.presenceOf(alice)).toMatchObject({ state: 'ONLINE' })
    await leave(bob, id)
    expect(await bob.presenceOf(alice)).toBeUndefined()
    await atAlice.stop()
  })
})

describe('without what Redis knew', () => {
  it('a removal holds, on the node that has an old copy too', async () => {
    const { alice, bob, carol, id, to } = await groupOfThree()
    await bob.send(to, 'hello')
    await carol.send(to, 'hello')
    await updateMembers(alice, id, { remove: [bob] })
    await world.redis.flush()
    await expect(bob.send(to, 'still here?')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await carol.send(to, 'he is gone')).toMatchObject({ seq: 5 })
  })
})
