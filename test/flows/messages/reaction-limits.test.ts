import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reactionChangesMax } from '../../../src/protocol/limits.ts'
import { aChange, aMessage, aUser } from '../../kit/ids.ts'
import type { Person } from '../../kit/person.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

async function aChat(): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  await alice.send(bob, 'one')
  return [alice, bob, world.chatOf(alice, bob)]
}

const badEmoji = { code: 'BAD_USER_INPUT', field: 'emoji' }
/** These are 25 emoji of different people kissing, of 35 bytes each. */
const tones = ['🏻', '🏼', '🏽', '🏾', '🏿']
const kisses = tones.flatMap((one) => tones.map((other) => `👩${one}‍❤️‍💋‍👩${other}`))

describe('a reaction', () => {
  it.each([
    ' \u20e3',
    'a\u20e3',
    '1\u20e3\u20e3',
    '🇽🇽',
    '🇩',
    '🀀',
    '👍\u0301',
    '👍‍',
    '‍👍',
    '👍 ',
    '\u200d',
    '🏿🏿',
    '#',
    '👍‍👍‍👍‍👍‍👍',
  ])('%j is none', async (emoji) => {
    const [, bob, chat] = await aChat()
    await expect(bob.react(chat, 1, emoji)).rejects.toMatchObject(badEmoji)
  })

  it.each(['#️⃣', '0⃣', '👁️‍🗨️', '🏳️‍🌈', '👨‍👩‍👧‍👦', '©️', kisses[1] ?? ''])('%s is one', async (emoji) => {
    const [, bob, chat] = await aChat()
    expect((await bob.react(chat, 1, emoji)).reactions).toEqual([{ emoji, count: 1, viewerReacted: true }])
  })

  it('is one of a few: one person cannot fill a message, nor close it for others, and can take theirs back', async () => {
    const [alice, bob, chat] = await aChat()
    const accepted: string[] = []
    for (const emoji of kisses) {
      const refused = await bob.react(chat, 1, emoji).catch((error) => error)
      if (refused instanceof Error) expect(refused).toMatchObject(badEmoji)
      else accepted.push(emoji)
    }
    expect(accepted).toEqual(kisses.slice(0, 4))
    const { reactions } = await alice.react(chat, 1, '👍')
    expect(reactions.map(({ emoji }: { emoji: string }) => emoji)).toEqual([...accepted, '👍'])
    for (const emoji of accepted) await bob.react(chat, 1, emoji, false)
    expect((await bob.react(chat, 1, '🎉')).reactions).toEqual([
      { emoji: '👍', count: 1, viewerReacted: false },
      { emoji: '🎉', count: 1, viewerReacted: true },
    ])
  })

  it('may be exchanged for another again and again: what was taken back does not use up the room', async () => {
    const [, bob, chat] = await aChat()
    for (const emoji of kisses) {
      await bob.react(chat, 1, emoji)
      await bob.react(chat, 1, emoji, false)
    }
    expect((await bob.react(chat, 1, '👍')).reactions).toEqual([{ emoji: '👍', count: 1, viewerReacted: true }])
  })

  it('can be changed only so often, and be taken back even then', async () => {
    const [alice, bob, chat] = await aChat()
    for (let i = 0; i < reactionChangesMax; i += 1) await bob.react(chat, 1, '👍', i % 2 === 1)
    const lastSeq = (await bob.conversation(chat))?.lastSeq
    await expect(bob.react(chat, 1, '👍', true)).rejects.toMatchObject(badEmoji)
    await expect(bob.react(chat, 1, '🎉', true)).rejects.toMatchObject(badEmoji)
    expect(await bob.conversation(chat)).toMatchObject({ lastSeq })
    expect((await bob.react(chat, 1, '👍', false)).reactions).toEqual([])
    await expect(bob.react(chat, 1, '👍', false)).rejects.toMatchObject(badEmoji)
    expect((await alice.react(chat, 1, '👍')).reactions).toHaveLength(1)
  })
})

describe('an edit', () => {
  it('can be made only so often; the message can be deleted even then', async () => {
    const [alice, , chat] = await aChat()
    for (let i = 1; i <= 100; i += 1) await alice.edit(chat, 1, `edit ${i}`)
    await expect(alice.edit(chat, 1, 'one more')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'seq' })
    expect(await alice.remove(chat, 1)).toMatchObject({ body: '' })
  })
})

describe('a change for which there is no room', () => {
  /** An earlier release has left such a row: nearly 400 KB of reactions. */
  async function aFullMessage(): Promise<[Person, Person, string]> {
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    const chat = world.chatOf(alice, bob)
    await alice.send(bob, 'one')
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    const people = Array.from({ length: 1024 }, (_, i) => `${i}-${'x'.repeat(110)}` as never)
    const reactions = people.map((userId, i) => ({ emoji: kisses[0] ?? '', userId, seq: i + 1, on: true, changes: 1 }))
    const full = aMessage(chat as never, 2, { senderId: alice.userId as never, reactions })
    await messages.put(full)
    // The change is in the log and was not applied: a node that died in between leaves this.
    await messages.put(aChange(full, 3, { type: 'reaction', emoji: '👍', on: true }, { senderId: aUser() }))
    return [alice, bob, chat]
  }

  it('is refused with words, and passed over by every stream of changes', async () => {
    const [alice, bob, chat] = await aFullMessage()
    await expect(bob.react(chat, 2, '👍')).rejects.toMatchObject(badEmoji)
    const atBob = bob.followChanges({ after: [{ conversationId: chat, seq: 2 }] })
    await alice.edit(chat, 1, 'eins', randomUUID())
    const events = await atBob.receives(2)
    expect(events.map(({ message }) => `${message.seq} ${message.body}`)).toEqual(['2 message 2', '1 eins'])
    await atBob.stop()
  })
})
