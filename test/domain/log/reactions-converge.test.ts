import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLatest } from '../../../src/domain/log/latest-messages.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Change, Message, Reaction } from '../../../src/ports/log.ts'
import { createMessagesEmbedded } from '../../../src/store/embedded/messages.ts'
import { toReacted, toReactions } from '../../../src/store/rows/reaction-columns.ts'
import { aChange, aConversation, aMessage } from '../../kit/ids.ts'

// These are one person's reactions to one message. Short emoji take 13 bytes of the person's room and the longest 44, so that a short one may fit
// where a long one does not.

const tones = ['🏻', '🏼', '🏽', '🏾', '🏿']
const long = tones.map((tone) => `👩${tone}‍❤️‍💋‍👩${tone}`)
const short = ['👍', '🎉', '😀', '😂', '😭', '🔥']
const reaction = fc.record({ emoji: fc.constantFrom(...long, ...short), on: fc.boolean() })
const seqsOf = (made: readonly unknown[]) => made.map((_, i) => i + 2)
/** Makes random orders of all these seqs, each of them perhaps more than once. */
const someOrder = (seqs: number[]) =>
  fc
    .array(fc.constantFrom(...seqs), { maxLength: 20 })
    .chain((again) => fc.shuffledSubarray([...seqs, ...again], { minLength: seqs.length + again.length }))
const madeInTwoOrders = fc
  .array(reaction, { minLength: 1, maxLength: 20 })
  .chain((made) => fc.tuple(fc.constant(made), someOrder(seqsOf(made)), someOrder(seqsOf(made))))

async function shown(message: Message, changes: readonly Change[]): Promise<Message> {
  const messages = createMessagesEmbedded(createKeyValueMemory())
  await messages.put(message)
  for (const change of changes) await messages.alter(change)
  const row = await messages.get(message)
  return row?.kind === 'message' ? row : expect.fail()
}

/** Leaves out how many changes had an effect, as that depends on the order. */
const kept = ({ reactions = [] }: Message) => reactions.map(({ changes: _changes, ...mark }) => mark)

test('reactions show the same in whatever order they are applied, and however often', async () => {
  const property = fc.asyncProperty(madeInTwoOrders, async ([made, one, other]) => {
    const message = aMessage(aConversation(), 1)
    const changes = (seqs: number[]) =>
      seqs.map((seq) => aChange(message, seq, { type: 'reaction', ...(made[seq - 2] ?? expect.fail()) }))
    const inOrder = kept(await shown(message, changes(seqsOf(made))))
    expect(kept(await shown(message, changes(one)))).toEqual(inOrder)
    expect(kept(await shown(message, changes(other)))).toEqual(inOrder)
  })
  await fc.assert(property, { numRuns: 500 })
})

test('two states of a message join to the one that shows the changes of both', async () => {
  const property = fc.asyncProperty(madeInTwoOrders, fc.nat(20), async ([made, order], cut) => {
    const message = aMessage(aConversation(), 1)
    const changes = order.map((seq) => aChange(message, seq, { type: 'reaction', ...(made[seq - 2] ?? expect.fail()) }))
    const { latest } = createLatest()
    latest(await shown(message, changes.slice(0, cut)))
    const joined = latest(await shown(message, changes.slice(cut)))
    expect(kept(joined)).toEqual(kept(await shown(message, changes)))
  })
  await fc.assert(property, { numRuns: 500 })
})

test('a row gives back the reactions that were put into it, also those of before there was a floor', () => {
  const userId = aMessage(aConversation(), 1).senderId
  const mark = { emoji: '👍', userId, seq: 40, on: true, changes: 3 }
  const back = (reactions: Reaction[]) => toReactions({ reacted: toReacted(reactions) } as never)
  expect(toReacted([mark])).toEqual({ [userId]: '3\n+14 👍' })
  expect(back([mark])).toEqual([mark])
  expect(toReacted([{ ...mark, floor: 37 }])).toEqual({ [userId]: '3 11\n+14 👍' })
  expect(back([{ ...mark, floor: 37 }])).toEqual([{ ...mark, floor: 37 }])
})
