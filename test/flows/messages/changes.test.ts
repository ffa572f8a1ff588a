import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChangedEvent, Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Alice, on the first node, has written so much to bob, on the second. */
async function chatOf(...bodies: string[]): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  for (const body of bodies) await alice.send(bob, body)
  return [alice, bob, world.chatOf(alice, bob)]
}

/** Returns `previousSeq>seq of the change: #target body`, with a star for what was missed. */
const changes = (events: readonly ChangedEvent[]): string[] =>
  events.map(
    ({ previousSeq, seq, catchUp, message }) =>
      `${previousSeq}>${seq}${catchUp ? '*' : ''}: #${message.seq} ${message.deletedAt ? 'deleted' : message.body}`,
  )

describe('an edit', () => {
  it('is what everybody reads from then on, at the old place', async () => {
    const [alice, bob, chat] = await chatOf('hello wrold', 'second')
    const edited = await alice.edit(chat, 1, 'hello world')
    expect(edited).toMatchObject({ seq: 1, body: 'hello world' })
    expect(edited.editedAt).not.toBeNull()
    const { edges } = await bob.history(chat)
    expect(edges.map(({ node }) => `${node.seq} ${node.body}`)).toEqual(['2 second', '1 hello world'])
  })

  it('repeated with the same id is one edit; with other words it is a conflict', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const id = randomUUID()
    await alice.edit(chat, 1, 'two', id)
    await alice.edit(chat, 1, 'three')
    expect(await alice.edit(chat, 1, 'two', id)).toMatchObject({ body: 'three' })
    await expect(alice.edit(chat, 1, 'four', id)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    expect(await bob.conversation(chat)).toMatchObject({ lastSeq: 3, lastMessage: { seq: 1, body: 'three' } })
  })

  it('shares its ids with messages: one that was used for a message is a conflict', async () => {
    const [alice, bob, chat] = await chatOf()
    await alice.send(bob, 'one', { clientMessageId: 'same' })
    await expect(alice.edit(chat, 1, 'one', 'same')).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
  })

  it('is the author’s alone, and by the rules for messages', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const stranger = await world.person('carol')
    await expect(bob.edit(chat, 1, 'mine now')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(stranger.edit(chat, 1, '')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(alice.edit(chat, 1, ' ')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'body' })
    await expect(alice.edit(chat, 2, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(alice.edit(chat, 1, 'x', 'bad id')).rejects.toMatchObject({ field: 'clientMessageId' })
    expect((await alice.history(chat)).edges.map(({ node }) => node.body)).toEqual(['one'])
  })

  it('counts neither as a message nor as unread, and may be acked', async () => {
    const [alice, bob, chat] = await chatOf('one', 'two')
    await alice.edit(chat, 2, 'zwei')
    expect(await bob.conversation(chat)).toMatchObject({ lastSeq: 3, unreadCount: 2, lastMessage: { seq: 2 } })
    expect(await bob.ack(chat, 3)).toMatchObject({ lastDeliveredSeq: 3 })
    await expect(bob.ack(chat, 4)).rejects.toMatchObject({ code: 'SEQ_OUT_OF_RANGE' })
  })

  it('is passed over by a stream of messages, which misses nothing', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const atBob = bob.follow()
    await atBob.receives(1)
    await world.online(bob)
    await alice.edit(chat, 1, 'eins')
    await alice.send(bob, 'two')
    expect((await atBob.receives(2)).map(({ previousSeq, message }) => `${previousSeq}>${message.seq}`)).toEqual([
      '0>1',
      '1>3',
    ])
    await bob.ack(chat, 3)
    await atBob.stop()
    await alice.edit(chat, 3, 'zwei')
    await alice.send(bob, 'three')
    const again = bob.follow()
    expect((await again.receives(1)).map(({ previousSeq, message }) => `${previousSeq}>${message.seq}`)).toEqual([
      '3>5',
    ])
    await again.stop()
  })
})

describe('a deletion', () => {
  it('leaves the place and takes the words', async () => {
    const [alice, bob, chat] = await chatOf('a secret', 'second')
    expect(await alice.remove(chat, 1)).toMatchObject({ body: '' })
    const { edges } = await bob.history(chat)
    expect(edges.map(({ node }) => [node.seq, node.body, node.deletedAt !== null])).toEqual([
      [2, 'second', false],
      [1, '', true],
    ])
    const row = await world.nodes[0]?.parts.ports.messages.get({ conversationId: chat, seq: 1 } as never)
    expect(JSON.stringify(row)).not.toContain('a secret')
  })

  it('is for good: no edit and no reaction comes after it, but what came before may be repeated', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const id = randomUUID()
    await alice.edit(chat, 1, 'two', id)
    await alice.remove(chat, 1)
    await expect(alice.edit(chat, 1, 'three')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'seq' })
    await expect(bob.react(chat, 1, '👍')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'seq' })
    expect(await alice.edit(chat, 1, 'two', id)).toMatchObject({ body: '' })
    await expect(bob.remove(chat, 1)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('a reaction', () => {
  it('is counted by emoji, and shows who reacted to themselves alone', async () => {
    const [alice, bob, chat] = await chatOf('one')
    await bob.react(chat, 1, '👍')
    await alice.react(chat, 1, '👍')
    const { reactions } = await bob.react(chat, 1, '👩‍👩‍👧')
    expect(reactions).toEqual([
      { emoji: '👍', count: 2, viewerReacted: true },
      { emoji: '👩‍👩‍👧', count: 1, viewerReacted: true },
    ])
    await alice.react(chat, 1, '👍', false)
    const [edge] = (await alice.history(chat)).edges
    expect(edge?.node.reactions).toEqual([
      { emoji: '👍', count: 1, viewerReacted: false },
      { emoji: '👩‍👩‍👧', count: 1, viewerReacted: false },
    ])
  })

  it.each(['', 'a', '1', '👍👍', ' 👍', '<b>', '👍'.repeat(50)])('%j is none', async (emoji) => {
    const [, bob, chat] = await chatOf('one')
    await expect(bob.react(chat, 1, emoji)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'emoji' })
  })

  it.each(['❤️', '❤', '🇩🇪', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👍🏿'])('%s is one', async (emoji) => {
    const [, bob, chat] = await chatOf('one')
    expect((await bob.react(chat, 1, emoji)).reactions).toEqual([{ emoji, count: 1, viewerReacted: true }])
  })
})

describe('a reply', () => {
  it('shows what it answers, as that is now', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const input = { clientMessageId: 'r1', to: { conversationId: chat }, body: 'indeed', replyToSeq: 1 }
    const query = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) {
      duplicate message { seq replyTo { seq body } } } }`
    expect(await bob.ask(query, { input })).toEqual({
      sendMessage: { duplicate: false, message: { seq: 2, replyTo: { seq: 1, body: 'one' } } },
    })
    await alice.edit(chat, 1, 'eins')
    expect(await bob.ask(query, { input })).toEqual({
      sendMessage: { duplicate: true, message: { seq: 2, replyTo: { seq: 1, body: 'eins' } } },
    })
    await expect(bob.ask(query, { input: { ...input, replyToSeq: null } })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  it('must answer a message of the same conversation', async () => {
    const [, bob, chat] = await chatOf('one')
    const ask = (replyToSeq: number) =>
      bob.ask('mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { seq } } }', {
        input: { clientMessageId: randomUUID(), to: { conversationId: chat }, body: 'x', replyToSeq },
      })
    for (const seq of [0, -1, 2]) await expect(ask(seq)).rejects.toMatchObject({ field: 'replyToSeq' })
  })
})

describe('messageChanged', () => {
  it('brings what was missed, then what happens, in the order of the log', async () => {
    const [alice, bob, chat] = await chatOf('one', 'two')
    await alice.edit(chat, 1, 'eins')
    const atBob = bob.followChanges({ after: [{ conversationId: chat, seq: 2 }] })
    await atBob.receives(1)
    await alice.edit(chat, 2, 'zwei')
    await alice.send(bob, 'three')
    await alice.remove(chat, 1)
    await bob.react(chat, 5, '👍')
    expect(changes(await atBob.receives(4))).toEqual([
      '2>3*: #1 eins',
      '3>4: #2 zwei',
      '4>6: #1 deleted',
      '6>7: #5 three',
    ])
    await atBob.stop()
  })

  it('brings each change once over any number of resumes', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const seen: string[] = []
    let seq = 1
    for (let round = 1; round <= 3; round += 1) {
      await alice.edit(chat, 1, `edit ${round}`)
      const atBob = bob.followChanges({ after: [{ conversationId: chat, seq }] })
      const [event] = await atBob.receives(1)
      seq = event?.seq ?? 0
      seen.push(...changes(atBob.events))
      await (round === 2 ? atBob.drop() : atBob.stop())
    }
    expect(seen).toEqual(['1>2*: #1 edit 1', '2>3*: #1 edit 2', '3>4*: #1 edit 3'])
  })

  it('does not count as a device: what is sent meanwhile waits for one', async () => {
    const [alice, bob, chat] = await chatOf('one')
    await alice.edit(chat, 1, 'eins')
    const changed = bob.followChanges()
    await changed.receives(1)
    await alice.send(bob, 'two')
    const atBob = bob.follow()
    expect((await atBob.receives(2)).map(({ message }) => message.body)).toEqual(['eins', 'two'])
    await Promise.all([atBob.stop(), changed.stop()])
  })

  it('outlives that Redis forgets everything', async () => {
    const [alice, bob, chat] = await chatOf('one')
    await alice.edit(chat, 1, 'eins')
    await world.redis.flush()
    const atBob = bob.followChanges({ after: [{ conversationId: chat, seq: 1 }] })
    expect(changes(await atBob.receives(1))).toEqual(['1>2*: #1 eins'])
    await world.redis.flush()
    await alice.edit(chat, 1, 'uno')
    expect(changes(await atBob.receives(2)).at(-1)).toBe('2>3: #1 uno')
    await atBob.stop()
  })

  it('lets a change that was stored and not applied show', async () => {
    const [alice, bob, chat] = await chatOf('one')
    const { parts } = world.nodes[0] ?? expect.fail()
    const message = await parts.ports.messages.get({ conversationId: chat, seq: 1 } as never)
    if (message?.kind !== 'message') expect.fail()
    await parts.ports.messages.put({
      ...message,
      kind: 'change',
      seq: 2,
      clientMessageId: 'crashed' as never,
      targetSeq: 1,
      alteration: { type: 'edit', body: 'eins' },
    })
    const atBob = bob.followChanges({ after: [{ conversationId: chat, seq: 1 }] })
    expect(changes(await atBob.receives(1))).toEqual(['1>2*: #1 eins'])
    expect((await alice.history(chat)).edges.map(({ node }) => node.body)).toEqual(['eins'])
    await atBob.stop()
  })

  it('is not for strangers', async () => {
    const [alice, , chat] = await chatOf('one')
    const stranger = await world.person('carol')
    const wrong = stranger.followChanges({ conversationId: chat })
    expect(await wrong.fails()).toMatchObject({ code: 'NOT_FOUND' })
    // A position in a chat of others is ignored: the stream shows what is the stranger's own.
    const named = stranger.followChanges({ after: [{ conversationId: chat, seq: 0 }] })
    await named.connected()
    await alice.edit(chat, 1, 'eins')
    const { seq, conversationId } = await stranger.send(stranger, 'note')
    await stranger.edit(conversationId, seq, 'notiz')
    expect((await named.receives(1)).map(({ message }) => message.body)).toEqual(['notiz'])
    await named.stop()
  })
})
