import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Message } from '../../../src/ports/log.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { aChange, aConversation, aGroup, aMessage, upTo } from '../../kit/ids.ts'
import { type ListedChat, listedChat, type Person } from '../../kit/person.ts'
import { seedCounter } from '../../kit/seed-counter.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

const node = (i: number) => world.nodes[i]?.parts ?? expect.fail()
const keyOf = (conversationId: string) => `parley_active:{${conversationId}}`

type Page = {
  edges: { cursor: string; node: ListedChat }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string }
}
const listQuery = `query ($first: Int, $after: String, $last: Int, $before: String) {
  conversations(first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { ${listedChat} } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`
const pageOf = async (person: Person, args: object = {}, at?: number): Promise<Page> =>
  (await person.ask<{ conversations: Page }>(listQuery, args, at === undefined ? {} : { node: world.url(at) }))
    .conversations
const listOf = async (person: Person, args: object = {}, at?: number): Promise<ListedChat[]> =>
  (await pageOf(person, args, at)).edges.map((edge) => edge.node)
const idsOf = async (person: Person, args: object = {}, at?: number): Promise<string[]> =>
  (await listOf(person, args, at)).map(({ id }) => id)
const one = async (person: Person, id: string): Promise<ListedChat | null> =>
  (
    await person.ask<{ conversation: ListedChat | null }>(
      `query ($id: ID!) { conversation(id: $id) { ${listedChat} } }`,
      { id },
    )
  ).conversation

/** Makes Alice and so many people who have written to her; the last of them wrote last. */
async function aliceAndFriends(count: number): Promise<{ alice: Person; friends: Person[]; chats: string[] }> {
  const alice = await world.person('alice')
  const friends: Person[] = []
  for (const i of upTo(count)) {
    const friend = await world.person(`friend${i}`, { node: i % 2 })
    await friend.send(alice, `hello from ${i}`)
    friends.push(friend)
  }
  return { alice, friends, chats: friends.map((friend) => world.chatOf(alice, friend)) }
}

const membersFrom = (joinedSeq: number, members: readonly UserId[]) =>
  new Map(members.map((userId) => [userId, { role: 'MEMBER', joinedSeq } as const]))

/** Writes straight into the stores: a conversation of this person with an entry at each of these times. */
async function writtenFor(
  { userId }: Person,
  kind: 'DIRECT' | 'GROUP',
  entries: readonly { atMs: number; isMessage?: boolean }[],
): Promise<string> {
  const { conversations, memberships, messages } = node(0).ports
  const id = (kind === 'GROUP' ? aConversation() : `dm_${randomUUID()}`) as ConversationId
  await memberships.add(userId as UserId, { conversationId: id, joinedSeq: 0 })
  const members = [userId, 'somebody'] as UserId[]
  await conversations.create(
    kind === 'GROUP' ? aGroup({ id, members, membersById: membersFrom(0, members) }) : { id, kind, members },
  )
  for (const [i, { atMs, isMessage = true }] of entries.entries()) {
    const message: Message = aMessage(id, i + 1, { sentAtMs: atMs })
    await messages.put(isMessage ? message : aChange(message, i + 1, { type: 'delete' }, { sentAtMs: atMs }))
  }
  return id
}

async function walk(person: Person, size: number, between: () => Promise<void> = async () => undefined) {
  const seen: string[] = []
  let after: string | undefined
  for (;;) {
    const { edges, pageInfo } = await pageOf(person, { first: size, after })
    seen.push(...edges.map((edge) => edge.node.id))
    if (!pageInfo.hasNextPage) return seen
    after = pageInfo.endCursor
    await between()
  }
}

async function walkBack(person: Person, size: number): Promise<string[]> {
  const seen: string[] = []
  let before: string | undefined
  for (;;) {
    const { edges, pageInfo } = await pageOf(person, { last: size, before })
    seen.unshift(...edges.map((edge) => edge.node.id))
    if (!pageInfo.hasPreviousPage) return seen
    before = pageInfo.startCursor
  }
}

describe('the order of chats', () => {
  it('is latest message first, whoever sent it and over whichever node', async () => {
    const { alice, friends, chats } = await aliceAndFriends(3)
    const [first = '', second = '', third = ''] = chats
    expect(await idsOf(alice)).toEqual([third, second, first])
    await alice.send({ conversationId: first }, 'to the first', { node: world.url(1) })
    expect(await idsOf(alice, {}, 0)).toEqual([first, third, second])
    await friends[1]?.send(alice, 'from the second')
    expect(await idsOf(alice, {}, 1)).toEqual([second, first, third])
  })

  it('does not change with edits, reactions, settings or reading', async () => {
    const { alice, friends, chats } = await aliceAndFriends(3)
    const before = await idsOf(alice)
    await friends[0]?.edit(chats[0] ?? '', 1, 'better')
    await alice.react(chats[0] ?? '', 1, '👍')
    await alice.updateConversation(chats[0] ?? '', { pinned: true })
    await alice.updateConversation(chats[2] ?? '', { archived: true })
    await alice.markRead(chats[0] ?? '', 1)
    expect(await idsOf(alice)).toEqual(before)
  })

  it('is the same after Redis has forgotten everything, and Redis knows it again', async () => {
    const { alice, friends, chats } = await aliceAndFriends(4)
    await friends[1]?.send(alice, 'again')
    await friends[0]?.edit(chats[0] ?? '', 1, 'better')
    const before = await listOf(alice)
    await world.redis.flush()
    expect(await world.redis.raw.exists(...chats.map(keyOf))).toBe(0)
    expect(await listOf(alice)).toEqual(before)
    expect(await world.redis.raw.exists(...chats.map(keyOf))).toBe(4)
    expect(await listOf(alice)).toEqual(before)
    await friends[2]?.send(alice, 'onward')
    expect((await idsOf(alice))[0]).toBe(chats[2])
  })

  it('is made by the first message after Redis has forgotten, without a look into the log', async () => {
    const { alice, friends, chats } = await aliceAndFriends(1)
    await world.redis.flush()
    const { sentAt } = (await friends[0]?.send(alice, 'again')) ?? expect.fail()
    expect(await world.redis.raw.get(keyOf(chats[0] ?? ''))).toBe(`2 ${Date.parse(sentAt)}`)
  })

  it('that is behind the log still shows every chat once, and catches up with what it shows', async () => {
    const { alice, chats } = await aliceAndFriends(5)
    const { messages } = node(0).ports
    // The message is stored, and never published.
    await messages.put(aMessage(chats[1] as ConversationId, 2, { sentAtMs: Date.now() + 1000, body: 'unheard' }))
    expect((await walk(alice, 2)).toSorted()).toEqual(chats.toSorted())
    const [first] = await listOf(alice)
    expect(first).toMatchObject({ id: chats[1], lastMessage: { seq: 2, body: 'unheard' }, unreadCount: 2 })
  })

  it('hides a direct chat that was never begun, also one that Redis never heard of', async () => {
    const { alice, chats } = await aliceAndFriends(1)
    await writtenFor(alice, 'DIRECT', [])
    expect(await idsOf(alice)).toEqual(chats)
  })

  it('shows a group from its first entry on, at the time of that', async () => {
    const alice = await world.person('alice')
    const older = await writtenFor(alice, 'DIRECT', [{ atMs: 1000 }])
    const newer = await writtenFor(alice, 'DIRECT', [{ atMs: 3000 }])
    const silent = await writtenFor(alice, 'GROUP', [
      { atMs: 2000, isMessage: false },
      { atMs: 9000, isMessage: false },
    ])
    const empty = await writtenFor(alice, 'GROUP', [])
    const expected = [newer, silent, older, empty]
    expect(await idsOf(alice)).toEqual(expected)
    expect(await idsOf(alice)).toEqual(expected)
    expect(await walk(alice, 1)).toEqual(expected)
  })

  it('shows the last message where reactions came after it', async () => {
    const { alice, friends, chats } = await aliceAndFriends(1)
    for (const emoji of ['👍', '🎉', '❤️']) await friends[0]?.react(chats[0] ?? '', 1, emoji)
    expect(await listOf(alice)).toMatchObject([{ lastSeq: 4, lastMessage: { seq: 1, body: 'hello from 1' } }])
  })
})

describe('walking through the chats', () => {
  const ties = async () => {
    const alice = await world.person('alice')
    const times = [5000, 4000, 4000, 4000, 4000, 3000, 3000]
    const ids = await Promise.all(times.map((atMs) => writtenFor(alice, 'DIRECT', [{ atMs }])))
    return { alice, ids }
  }

  it.each([1, 2, 3, 7, 50])('%d at a time shows each once, both ways, ties or not', async (size) => {
    const { alice, ids } = await ties()
    const walked = await walk(alice, size)
    expect(walked.toSorted()).toEqual(ids.toSorted())
    expect(await idsOf(alice)).toEqual(walked)
    expect(await walkBack(alice, size)).toEqual(walked)
  })

  it('goes on where it was when Redis forgets between the pages', async () => {
    const { alice, ids } = await ties()
    const walked = await walk(alice, 2, world.redis.flush)
    expect(walked.toSorted()).toEqual(ids.toSorted())
  })

  it('neither repeats nor skips what did not move when another chat does', async () => {
    const { alice, friends, chats } = await aliceAndFriends(6)
    const [, , , , fifth = '', sixth = ''] = chats
    const walked = await walk(alice, 2, async () => void (await friends[0]?.send(alice, 'me again')))
    expect(walked.slice(0, 2)).toEqual([sixth, fifth])
    // The first has moved up, out of what was still to be walked through.
    expect(walked).toEqual(chats.slice(1).toReversed())
  })

  it('passes over what is not the viewer’s to see', async () => {
    const { alice, ids } = await ties()
    const { memberships, activity } = node(0).ports
    for (const atMs of [6000, 4000, 1000]) {
      const conversationId = aConversation()
      await memberships.add(alice.userId as UserId, { conversationId, joinedSeq: 0 })
      await activity.seed([{ conversationId, seq: 1, atMs }])
    }
    expect((await walk(alice, 1)).toSorted()).toEqual(ids.toSorted())
    expect((await walkBack(alice, 1)).toSorted()).toEqual(ids.toSorted())
  })
})

describe('settings', () => {
  const untouched = { mutedUntil: null, pinned: false, archived: false }
  const chatOfTwo = async () => {
    const { alice, friends, chats } = await aliceAndFriends(1)
    return { alice, bob: friends[0] ?? expect.fail(), chat: chats[0] ?? '' }
  }

  it('change one by one, and show in the list, by id and on every node', async () => {
    const { alice, chat } = await chatOfTwo()
    expect(await one(alice, chat)).toMatchObject(untouched)
    expect(await alice.updateConversation(chat, { pinned: true })).toMatchObject({ ...untouched, pinned: true })
    const mutedUntil = '2999-12-31T23:59:59.999Z'
    const muted = { ...untouched, pinned: true, mutedUntil }
    expect(await alice.updateConversation(chat, { mutedUntil })).toMatchObject(muted)
    expect(await alice.updateConversation(chat, {})).toMatchObject(muted)
    expect(await one(alice, chat)).toMatchObject(muted)
    expect(await listOf(alice, {}, 1)).toMatchObject([muted])
    const archived = { ...untouched, archived: true, mutedUntil }
    expect(await alice.updateConversation(chat, { pinned: false, archived: true })).toMatchObject(archived)
    expect(await alice.updateConversation(chat, { mutedUntil: null })).toMatchObject({ ...untouched, archived: true })
    expect(await listOf(alice)).toMatchObject([{ ...untouched, archived: true }])
  })

  it('are the viewer’s own: the other member sees nothing of them', async () => {
    const { alice, bob, chat } = await chatOfTwo()
    await alice.updateConversation(chat, { pinned: true, archived: true, mutedUntil: '2999-01-01T00:00:00Z' })
    expect(await one(bob, chat)).toMatchObject(untouched)
    expect(await listOf(bob)).toMatchObject([untouched])
    await bob.updateConversation(chat, { archived: true })
    expect(await one(alice, chat)).toMatchObject({ pinned: true, mutedUntil: '2999-01-01T00:00:00.000Z' })
  })

  it('a mute that is over is none', async () => {
    const { alice, chat } = await chatOfTwo()
    const past = new Date(Date.now() - 1).toISOString()
    expect(await alice.updateConversation(chat, { mutedUntil: past })).toMatchObject(untouched)
    expect(await one(alice, chat)).toMatchObject(untouched)
    expect(await listOf(alice)).toMatchObject([untouched])
  })

  it('refuse what they cannot be, and then change nothing', async () => {
    const { alice, chat } = await chatOfTwo()
    const refused = (field: string) => ({ code: 'BAD_USER_INPUT', field })
    await expect(alice.updateConversation(chat, { pinned: null })).rejects.toMatchObject(refused('pinned'))
    await expect(alice.updateConversation(chat, { archived: null, pinned: true })).rejects.toMatchObject(
      refused('archived'),
    )
    await expect(alice.updateConversation(chat, { title: 'Us', pinned: true })).rejects.toMatchObject({
      ...refused('title'),
      message: 'A direct chat has no title.',
    })
    expect(await one(alice, chat)).toMatchObject(untouched)
  })

  it('of a conversation that is not the viewer’s are NOT_FOUND, whatever else is wrong', async () => {
    const { chat } = await chatOfTwo()
    const carol = await world.person('carol')
    for (const id of [chat, aConversation(), 'nonsense']) {
      await expect(carol.updateConversation(id, { pinned: null, title: '' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })

  it('are kept by DynamoDB, not by Redis', async () => {
    const { alice, chat } = await chatOfTwo()
    await alice.updateConversation(chat, { pinned: true })
    await world.redis.flush()
    expect(await one(alice, chat)).toMatchObject({ pinned: true })
  })
})

describe('the unread count', () => {
  it.each([3, 30])('of %d messages leaves out own ones, edits, reactions and what was deleted', async (count) => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    for (const i of upTo(count)) await bob.send(alice, `m${i}`)
    const chat = world.chatOf(alice, bob)
    const unread = async () => [(await one(alice, chat))?.unreadCount, (await listOf(alice))[0]?.unreadCount]
    await alice.send(bob, 'mine')
    await bob.edit(chat, 1, 'better')
    await bob.react(chat, 2, '👍')
    expect(await unread()).toEqual([count, count])
    await bob.remove(chat, 2)
    expect(await unread()).toEqual([count - 1, count - 1])
    await alice.markRead(chat, 1)
    expect(await unread()).toEqual([count - 2, count - 2])
  })
})

describe('conversationChanged', () => {
  /** Listens, and resolves when everything from now on is heard. */
  async function watching(person: Person, at: number) {
    const { streams } = node(at).domain.resyncScheduler
    const before = streams()
    const log = person.followConversations(world.url(at))
    await vi.waitFor(() => expect(streams()).toBeGreaterThan(before), { timeout: 10_000, interval: 5 })
    return log
  }

  async function chatOf() {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    await alice.send(bob, 'first')
    return { alice, bob, chat: world.chatOf(alice, bob) }
  }

  it('shows a chat that somebody begins, and what is said in it by either, from another node', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    const atBob = await watching(bob, 1)
    const id = world.chatOf(alice, bob)
    await alice.send(bob, 'hi')
    expect(await atBob.receives(1)).toMatchObject([{ id, unreadCount: 1, lastMessage: { seq: 1, body: 'hi' } }])
    await bob.send(alice, 'hello')
    expect(await atBob.sees(({ lastSeq }) => lastSeq === 2)).toMatchObject({ id, lastMessage: { body: 'hello' } })
    await atBob.stop()
  })

  it('shows edits and deletions of messages', async () => {
    const { alice, bob, chat } = await chatOf()
    const atBob = await watching(bob, 0)
    await alice.edit(chat, 1, 'better')
    expect(await atBob.receives(1)).toMatchObject([
      { id: chat, lastSeq: 2, unreadCount: 1, lastMessage: { body: 'better' } },
    ])
    await alice.remove(chat, 1)
    // The periodic resync may show the same once more.
    expect(await atBob.sees(({ lastSeq }) => lastSeq === 3)).toMatchObject({
      unreadCount: 0,
      lastMessage: { body: '' },
    })
    await atBob.stop()
  })

  it('lets the unread count fall on the other device of whoever reads', async () => {
    const { alice, bob, chat } = await chatOf()
    const [phone, laptop] = [await watching(bob, 0), await watching(bob, 1)]
    await alice.send(bob, 'second')
    for (const log of [phone, laptop]) await log.sees(({ unreadCount }) => unreadCount === 2)
    await bob.markRead(chat, 2, { node: world.url(0) })
    for (const log of [phone, laptop])
      expect(await log.sees(({ unreadCount }) => unreadCount === 0)).toMatchObject({ id: chat })
    await Promise.all([phone.stop(), laptop.stop()])
  })

  it('shows settings on the other devices, and to nobody else', async () => {
    const { alice, bob, chat } = await chatOf()
    const [atAlice, atBob] = [await watching(alice, 1), await watching(bob, 1)]
    await alice.updateConversation(chat, { archived: true })
    expect(await atAlice.receives(1)).toMatchObject([{ id: chat, archived: true }])
    await alice.send(bob, 'second')
    expect(await atBob.receives(1)).toMatchObject([{ id: chat, archived: false, lastSeq: 2 }])
    await Promise.all([atAlice.stop(), atBob.stop()])
  })

  it('says nothing of what others have got or read, nor of acks', async () => {
    const { alice, bob, chat } = await chatOf()
    const [atAlice, atBob] = [await watching(alice, 0), await watching(bob, 0)]
    await bob.ack(chat, 1)
    await bob.markRead(chat, 1)
    await bob.setTyping(chat, true)
    await alice.updateConversation(chat, { pinned: true })
    expect(await atAlice.receives(1)).toMatchObject([{ pinned: true }])
    expect(await atBob.receives(1)).toMatchObject([{ unreadCount: 0 }])
    await bob.updateConversation(chat, { pinned: true })
    expect((await atBob.receives(2)).map(({ pinned }) => pinned)).toEqual([false, true])
    expect(atAlice.events).toHaveLength(1)
    await Promise.all([atAlice.stop(), atBob.stop()])
  })

  it('may show a burst in fewer events, and always its end', async () => {
    const { alice, bob, chat } = await chatOf()
    const atBob = await watching(bob, 1)
    await Promise.all(upTo(50).map((i) => alice.send({ conversationId: chat }, `burst ${i}`)))
    const last = await atBob.sees(({ lastSeq, unreadCount }) => lastSeq === 51 && unreadCount === 51)
    expect(last).toMatchObject({ id: chat, lastMessage: { seq: 51 } })
    expect(atBob.events.length).toBeLessThanOrEqual(50)
    await atBob.stop()
  })

  it('makes up for a lost link to Redis', async () => {
    const { alice, bob, chat } = await chatOf()
    const atBob = await watching(bob, 1)
    await world.redis.killSubscribers()
    await alice.send(bob, 'second')
    await bob.updateConversation(chat, { pinned: true })
    expect(await atBob.sees(({ lastSeq, pinned }) => lastSeq === 2 && pinned)).toMatchObject({ unreadCount: 2 })
    await bob.markRead(chat, 2)
    await atBob.sees(({ unreadCount }) => unreadCount === 0)
    await atBob.stop()
  })

  it('finds out by the periodic resync what nobody published, and is then silent', async () => {
    const { bob, chat } = await chatOf()
    const conversationId = chat as ConversationId
    const member = { userId: bob.userId as UserId, conversationId }
    const { messages, sequencer, boundaries, memberships } = node(0).ports
    const atBob = await watching(bob, 1)
    const periodicResync = () => node(1).domain.resyncScheduler.resyncAll()

    await messages.put(aMessage(conversationId, 2))
    await seedCounter(sequencer, conversationId, 2)
    periodicResync()
    expect(await atBob.receives(1)).toMatchObject([{ lastSeq: 2, unreadCount: 2 }])

    await boundaries.read(member, 2)
    periodicResync()
    expect((await atBob.receives(2)).at(-1)).toMatchObject({ unreadCount: 0 })

    await memberships.configure(member, { pinned: true })
    periodicResync()
    expect((await atBob.receives(3)).at(-1)).toMatchObject({ pinned: true })

    // If the counter is gone, the log tells. A seq that was only reserved is nothing to show.
    await world.redis.flush()
    await messages.put(aMessage(conversationId, 3))
    periodicResync()
    expect((await atBob.receives(4)).at(-1)).toMatchObject({ lastSeq: 3 })
    await seedCounter(sequencer, conversationId, 4)
    periodicResync()
    periodicResync()
    await memberships.configure(member, { pinned: false })
    periodicResync()
    expect((await atBob.receives(5)).at(-1)).toMatchObject({ pinned: false })
    await messages.put(aMessage(conversationId, 4))
    periodicResync()
    expect((await atBob.receives(6)).at(-1)).toMatchObject({ lastSeq: 4 })
    expect(atBob.events).toHaveLength(6)
    await atBob.stop()
  })

  it('is for somebody with a token', async () => {
    const response = await fetch(`${world.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { conversationChanged { id } }' }),
    })
    expect(await response.text()).toContain('UNAUTHENTICATED')
  })
})
