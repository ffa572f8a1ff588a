import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../../src/ports/events.ts'
import type { ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { createGroup } from '../../kit/group-of.ts'
import { ApiError, type Person, type Via } from '../../kit/person.ts'
import { keys } from '../../kit/soft-worlds.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Alice is at the first node, bob at the second. */
const strangers = async (): Promise<[Person, Person]> => [
  await world.person('alice'),
  await world.person('bob', { node: 1 }),
]

/** They have a chat, with three messages by bob and one by alice. */
async function acquaintances(): Promise<[Person, Person, string]> {
  const [alice, bob] = await strangers()
  for (const body of ['one', 'two', 'three']) await bob.send(alice, body, { clientMessageId: body })
  await alice.send(bob, 'four')
  return [alice, bob, world.chatOf(alice, bob)]
}

async function refusal(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => expect.fail('It was not refused.'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw error
  const { message, code, retryable, field } = error
  return { message, code, retryable, field }
}

const words = {
  message: 'You cannot write in this conversation.',
  code: 'FORBIDDEN',
  retryable: false,
  field: undefined,
}
const chatId = (id: string) => id as ConversationId
const portsOf = (node: number) => world.nodes[node]?.parts.ports ?? expect.fail()

it('User.blocked says whom the viewer has blocked, to the viewer alone, and in the messages of a group too', async () => {
  const [alice, bob] = await strangers()
  const carol = await world.person('carol')
  const { id } = await createGroup(alice, [bob, carol])
  await bob.send({ conversationId: id }, 'from bob')
  await carol.send({ conversationId: id }, 'from carol')
  const look = `query ($id: ID!) {
    viewer { blocked }
    conversation(id: $id) { members { id blocked } messages { edges { node { sender { id blocked } } } } }
  }`
  type Seen = { id: string; blocked: boolean }
  type Look = { conversation: { members: Seen[]; messages: { edges: { node: { sender: Seen } }[] } } }
  const blockedFor = async (person: Person) => {
    const { conversation } = await person.ask<Look>(look, { id })
    const { edges } = conversation.messages
    const all = [conversation.members, edges.map(({ node }) => node.sender)]
    return all.map((people) => people.flatMap((each) => (each.blocked ? [each.id] : [])))
  }
  await alice.setBlocked(bob, true)
  expect(await blockedFor(alice)).toEqual([[bob.userId], [bob.userId]])
  expect([await blockedFor(bob), await blockedFor(carol)]).toEqual([
    [[], []],
    [[], []],
  ])
  await alice.setBlocked(bob, false)
  expect(await blockedFor(alice)).toEqual([[], []])
})

describe('somebody who is blocked', () => {
  it.each<Via>(['http', 'ws', 'rest'])('cannot write, over %s, and uses up no number', async (via) => {
    const [alice, bob, chat] = await acquaintances()
    expect(await alice.setBlocked(bob, true)).toEqual({ userId: bob.userId, blocked: true })
    expect(await refusal(bob.send(alice, 'let me', { via }))).toEqual(words)
    expect(await refusal(bob.send({ conversationId: chat }, 'let me', { via }))).toEqual(words)
    const many = Array.from({ length: 20 }, () => refusal(bob.send(alice, 'let me', { via })))
    expect(new Set((await Promise.all(many)).map(({ code }) => code))).toEqual(new Set(['FORBIDDEN']))
    expect((await alice.send(bob, 'five')).seq).toBe(5)
    expect((await alice.history(chat)).edges).toHaveLength(5)
    expect(await portsOf(0).messages.above(chatId(chat), 5, 10)).toEqual([])
  })

  it('gets 403 from POST /messages', async () => {
    const [alice, bob] = await acquaintances()
    await alice.setBlocked(bob, true)
    const response = await fetch(`${bob.url}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bob.token}` },
      body: JSON.stringify({ clientMessageId: 'x', to: { userId: alice.userId }, body: 'let me' }),
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toEqual({
      error: { code: words.code, message: words.message, retryable: words.retryable },
    })
  })

  it('cannot begin a chat either, is told so in the same words, and leaves nothing behind', async () => {
    const [alice, bob] = await strangers()
    await alice.setBlocked(bob, true)
    expect(await refusal(bob.send(alice, 'hello', { clientMessageId: 'first' }))).toEqual(words)
    const chat = chatId(world.chatOf(alice, bob))
    expect(await portsOf(0).conversations.getMany([chat])).toEqual([])
    for (const { userId } of [alice, bob]) expect(await portsOf(0).memberships.ofUser(userId as UserId)).toEqual([])
    expect(await portsOf(0).claims.get(bob.userId as UserId, 'first' as never)).toBeUndefined()
    await alice.setBlocked(bob, false)
    expect(await bob.send(alice, 'hello', { clientMessageId: 'first' })).toMatchObject({ seq: 1, duplicate: false })
  })

  it('still gets the message that was accepted before, also when Redis remembers nothing', async () => {
    const [alice, bob, chat] = await acquaintances()
    const edited = await bob.edit(chat, 1, 'uno', 'edit')
    await alice.setBlocked(bob, true)
    expect(await bob.send(alice, 'two', { clientMessageId: 'two' })).toMatchObject({ seq: 2, duplicate: true })
    expect(await bob.edit(chat, 1, 'uno', 'edit')).toMatchObject({ body: edited.body })
    await world.redis.flush()
    expect(await bob.send(alice, 'two', { clientMessageId: 'two' })).toMatchObject({ seq: 2, duplicate: true })
    expect(await refusal(bob.send(alice, 'another', { clientMessageId: 'two' }))).toEqual(words)
  })

  it('cannot finish a send that was never accepted', async () => {
    const [alice, bob, chat] = await acquaintances()
    // A node that dies after the claim leaves this.
    const payloadHash = (await portsOf(0).claims.get(bob.userId as UserId, 'two' as never))?.payloadHash ?? ''
    const send = { senderId: bob.userId as UserId, clientMessageId: 'unfinished' as never }
    const reserved = (await portsOf(0).sequencer.reserve(chatId(chat), send)) ?? expect.fail()
    await portsOf(0).claims.claim({ ...send, conversationId: chatId(chat), seq: reserved.seq, payloadHash })
    await alice.setBlocked(bob, true)
    expect(await refusal(bob.send(alice, 'two', { clientMessageId: 'unfinished' }))).toEqual(words)
    expect(await portsOf(0).messages.get({ conversationId: chatId(chat), seq: reserved.seq })).toBeUndefined()
  })

  it('cannot edit or react, but may delete what is theirs, ack and read', async () => {
    const [alice, bob, chat] = await acquaintances()
    await alice.setBlocked(bob, true)
    expect(await refusal(bob.edit(chat, 1, 'changed'))).toEqual(words)
    expect(await refusal(bob.react(chat, 4, '👍'))).toEqual(words)
    expect(await bob.ack(chat, 4)).toMatchObject({ lastDeliveredSeq: 4 })
    expect(await bob.markRead(chat, 4)).toMatchObject({ lastReadSeq: 4 })
    expect((await bob.remove(chat, 2)).deletedAt).not.toBeNull()
    const { edges } = await alice.history(chat)
    expect(edges.map(({ node }) => node.body)).toEqual(['four', 'three', '', 'one'])
    expect((await alice.send(bob, 'six')).seq).toBe(6)
  })

  it('is not heard typing, and is not told', async () => {
    const [alice, bob, chat] = await acquaintances()
    const heard: ChatEvent[] = []
    const atAlice = await portsOf(0).events.subscribe(alice.userId as UserId, {
      event: (event) => heard.push(event),
      gap: () => expect.fail('The link was cut.'),
    })
    await alice.setBlocked(bob, true)
    expect(await bob.setTyping(chat, true)).toEqual({ setTyping: { ok: true } })
    await atAlice.flush()
    expect(heard).toEqual([])
    await alice.setBlocked(bob, false)
    await bob.setTyping(chat, false)
    await atAlice.flush()
    expect(heard).toEqual([{ type: 'typing', typing: { conversationId: chat, userId: bob.userId, typing: false } }])
    await atAlice.close()
  })

  it('sees the other offline and never seen, whatever they do', async () => {
    const [alice, bob] = await acquaintances()
    const neverSeen = { state: 'OFFLINE', lastSeenAt: null }
    await alice.setBlocked(bob, true)
    const atBob = bob.followPresence([alice.userId, bob.userId])
    await atBob.receives(2)
    const phone = alice.follow()
    await world.online(alice)
    expect(await bob.presenceOf(alice)).toEqual(neverSeen)
    await phone.stop()
    await world.offline(alice)
    expect(await bob.presenceOf(alice)).toEqual(neverSeen)
    for (const { parts } of world.nodes) parts.domain.resyncScheduler.resyncAll()
    // Anything that was said of alice came before this.
    const bobs = bob.follow()
    await atBob.sees(({ id, presence }) => id === bob.userId && presence?.state === 'ONLINE')
    expect(atBob.events.filter(({ id }) => id === alice.userId)).toEqual([{ id: alice.userId, presence: neverSeen }])
    // In the other direction nothing is hidden.
    expect(await alice.presenceOf(bob)).toMatchObject({ state: 'ONLINE' })
    await Promise.all([atBob.stop(), bobs.stop()])
  })

  it('sees the other go, if that happens while they watch, and never come back', async () => {
    const [alice, bob] = await acquaintances()
    const phone = alice.follow()
    await world.online(alice)
    const atBob = bob.followPresence([alice.userId])
    await atBob.receives(1)
    await alice.setBlocked(bob, true)
    world.nodes[1]?.parts.domain.resyncScheduler.resyncAll()
    expect((await atBob.receives(2)).map(({ presence }) => presence)).toEqual([
      { state: 'ONLINE', lastSeenAt: null },
      { state: 'OFFLINE', lastSeenAt: null },
    ])
    await Promise.all([atBob.stop(), phone.stop()])
  })

  it('may write where they are more than two', async () => {
    const [alice, bob] = await acquaintances()
    await alice.setBlocked(bob, true)
    const { id } = await createGroup(alice, [bob])
    expect(await bob.send({ conversationId: id }, 'hello all')).toMatchObject({ seq: 2 })
  })
})

describe('whoever blocks', () => {
  it('may still write, and may be written to again when they no longer do', async () => {
    const [alice, bob] = await acquaintances()
    await alice.setBlocked(bob, true)
    expect((await alice.send(bob, 'five')).seq).toBe(5)
    expect(await alice.setBlocked(bob, false)).toEqual({ userId: bob.userId, blocked: false })
    expect((await bob.send(alice, 'six')).seq).toBe(6)
  })

  it('is blocked alone if the other does the same, and each lifts only their own', async () => {
    const [alice, bob] = await acquaintances()
    await alice.setBlocked(bob, true)
    await bob.setBlocked(alice, true)
    expect(await refusal(alice.send(bob, 'x'))).toEqual(words)
    await alice.setBlocked(bob, false)
    expect(await refusal(alice.send(bob, 'x'))).toEqual(words)
    expect((await bob.send(alice, 'five')).seq).toBe(5)
  })

  it('cannot block themselves, nor what is no user', async () => {
    const alice = await world.person('alice')
    for (const userId of [alice.userId, 'dm_no-user', '']) {
      await expect(alice.setBlocked({ userId }, true)).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'userId',
      })
    }
    expect((await alice.send(alice, 'a note')).seq).toBe(1)
  })

  it('is obeyed by every node as soon as it is answered, however often it changes', async () => {
    const [alice, bob] = await acquaintances()
    const codeOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'sent',
        ({ code }) => code,
      )
    for (let round = 0; round < 10; round += 1) {
      // Sends under way keep reading and settling the answer that is about to change.
      const underWay = [0, 1, 0, 1].map((node) => codeOf(bob.send(alice, 'meanwhile', { node: world.url(node) })))
      await alice.setBlocked(bob, round % 2 === 0, world.url(round % 2))
      const expected = round % 2 === 0 ? 'FORBIDDEN' : 'sent'
      for (const node of [0, 1])
        expect(await codeOf(bob.send(alice, 'after', { node: world.url(node) }))).toBe(expected)
      await Promise.all(underWay)
    }
  })

  it('is obeyed after Redis forgot, and when it remembers what another process knew', async () => {
    const [alice, bob, chat] = await acquaintances()
    await alice.setBlocked(bob, true)
    await world.redis.flush()
    expect(await refusal(bob.send(alice, 'x'))).toEqual(words)
    const key = keys.block(chatId(chat))
    expect(await world.redis.raw.get(key)).toMatch(new RegExp(`^known\n\\w+\n${alice.userId}$`))
    // A replica takes over that has not heard of the block.
    await world.redis.raw.set(key, `known\n${'0'.repeat(40)}\n`)
    expect(await refusal(bob.send(alice, 'x'))).toEqual(words)
  })
})
