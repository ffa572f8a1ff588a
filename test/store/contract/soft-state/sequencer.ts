import { expect, test } from 'vitest'
import type { SendKey } from '../../../../src/ports/soft-state.ts'
import { aChange, aClientMessageId, aConversation, aMessage, aUser, upTo } from '../../../kit/ids.ts'
import { seedCounter } from '../../../kit/seed-counter.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function sequencerContract(world: () => SoftWorld): void {
  const here = () => world().here.sequencer
  const there = () => world().there.sequencer
  const aSend = (): SendKey => ({ senderId: aUser(), clientMessageId: aClientMessageId() })

  const seeded = async (lastSeq: number) => {
    const conversation = aConversation()
    await seedCounter(here(), conversation, lastSeq)
    return conversation
  }

  test('where the counter is gone there is no seq, and asking does not make one', async () => {
    const conversation = aConversation()
    expect(await here().reserve(conversation, aSend())).toBeUndefined()
    expect(await here().reserve(conversation, aSend())).toBeUndefined()
    expect(await here().giveBack(conversation, 1)).toBe(false)
    expect(await here().counters([conversation])).toEqual([undefined])
  })

  test('a seeded counter goes on from there, on every node', async () => {
    const conversation = await seeded(41)
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 42, known: false })
    expect(await there().reserve(conversation, aSend())).toEqual({ seq: 43, known: false })
  })

  test('a new conversation begins at 1', async () => {
    expect(await here().reserve(await seeded(0), aSend())).toEqual({ seq: 1, known: false })
  })

  test('seeding lifts and never lowers', async () => {
    const conversation = await seeded(5)
    await seedCounter(there(), conversation, 3)
    expect(await here().counters([conversation])).toEqual([5])
    await seedCounter(there(), conversation, 9)
    expect(await here().counters([conversation])).toEqual([9])
  })

  test('a counter is not made by whoever read the log before something was published', async () => {
    const conversation = aConversation()
    const token = await here().prepareSeed(conversation)
    await world().there.events.publishGroupEntry(aMessage(conversation, 6))
    await here().seed(conversation, 5, token)
    expect(await here().counters([conversation])).toEqual([undefined])
    await seedCounter(here(), conversation, 6)
    expect(await there().counters([conversation])).toEqual([6])
  })

  test('a counter is not made by whoever read the log before everything was forgotten', async () => {
    const conversation = aConversation()
    const token = await here().prepareSeed(conversation)
    await world().forget()
    await here().seed(conversation, 5, token)
    expect(await here().counters([conversation])).toEqual([undefined])
  })

  test('two who read the log at once both make the counter', async () => {
    const conversation = aConversation()
    const [first, second] = [await here().prepareSeed(conversation), await there().prepareSeed(conversation)]
    await there().seed(conversation, 5, second)
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 6, known: false })
    await here().seed(conversation, 5, first)
    expect(await here().counters([conversation])).toEqual([6])
  })

  test('a number that somebody else has published since is not taken back', async () => {
    const conversation = await seeded(5)
    await here().reserve(conversation, aSend())
    await world().there.events.publishGroupEntry(aMessage(conversation, 6))
    expect(await here().giveBack(conversation, 6)).toBe(false)
    expect(await here().counters([conversation])).toEqual([6])
    // Nor is it lowered by one that comes late, after a higher seq was given and taken back.
    await here().reserve(conversation, aSend())
    expect(await here().giveBack(conversation, 7)).toBe(true)
    expect(await here().giveBack(conversation, 6)).toBe(false)
    expect(await here().counters([conversation])).toEqual([6])
  })

  test('nor is one that was published before a later one was given back, or as a change', async () => {
    const conversation = await seeded(5)
    await here().reserve(conversation, aSend())
    await here().reserve(conversation, aSend())
    // It is not the last number given, so it does not become the activity.
    await world().there.events.publishGroupEntry(aMessage(conversation, 6))
    expect(await here().giveBack(conversation, 7)).toBe(true)
    expect(await here().giveBack(conversation, 6)).toBe(false)
    await here().reserve(conversation, aSend())
    await world().there.events.publishGroupEntry(
      aChange(aMessage(conversation, 6), 7, { type: 'edit', body: 'better' }),
    )
    expect(await here().giveBack(conversation, 7)).toBe(false)
    expect(await here().counters([conversation])).toEqual([7])
  })

  test('a resend keeps its first seq and uses up no number', async () => {
    const conversation = await seeded(0)
    const send = aSend()
    await here().reserve(conversation, send)
    expect(await there().reserve(conversation, send)).toEqual({ seq: 1, known: true })
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 2, known: false })
  })

  test('so it does after others have sent, a number was given back, the log was read again and much was published', async () => {
    const conversation = await seeded(0)
    const [first, last] = [aSend(), aSend()]
    await here().reserve(conversation, first)
    for (const _ of upTo(5)) await here().reserve(conversation, aSend())
    await here().reserve(conversation, last)
    expect(await here().giveBack(conversation, 7)).toBe(true)
    await seedCounter(there(), conversation, 9)
    await world().there.events.publishGroupEntry(aMessage(conversation, 20))
    expect(await here().reserveAbove(conversation, 30)).toBe(31)
    expect(await there().reserve(conversation, first)).toEqual({ seq: 1, known: true })
    expect(await there().reserve(conversation, last)).toEqual({ seq: 7, known: true })
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 32, known: false })
  })

  test('what is remembered of sends does not grow with their number', async () => {
    const conversation = await seeded(0)
    const first = aSend()
    await here().reserve(conversation, first)
    for (const _ of upTo(20)) await here().reserve(conversation, aSend())
    expect(await here().reserve(conversation, first)).toEqual({ seq: 22, known: false })
  })

  test('the same client id of another sender, or elsewhere, is another send', async () => {
    const conversation = await seeded(0)
    const elsewhere = await seeded(10)
    const send = aSend()
    await here().reserve(conversation, send)
    expect(await here().reserve(conversation, { ...send, senderId: aUser() })).toEqual({ seq: 2, known: false })
    expect(await here().reserve(elsewhere, send)).toEqual({ seq: 11, known: false })
  })

  test('a hundred sends at once on two nodes get a hundred numbers', async () => {
    const conversation = await seeded(0)
    const reserved = await Promise.all(
      upTo(100).map((i) => (i % 2 ? here() : there()).reserve(conversation, aSend()).then((each) => each?.seq)),
    )
    expect(reserved.toSorted((a, b) => Number(a) - Number(b))).toEqual(upTo(100))
  })

  test('ten attempts of one send at once get one number', async () => {
    const conversation = await seeded(0)
    const send = aSend()
    const reserved = await Promise.all(upTo(10).map((i) => (i % 2 ? here() : there()).reserve(conversation, send)))
    expect(reserved.map((each) => each?.seq)).toEqual(upTo(10).map(() => 1))
    expect(reserved.filter((each) => !each?.known)).toHaveLength(1)
    expect(await here().counters([conversation])).toEqual([1])
  })

  test('when everything is forgotten, the counter and the sends are', async () => {
    const conversation = await seeded(0)
    const send = aSend()
    await here().reserve(conversation, send)
    await world().forget()
    expect(await here().reserve(conversation, send)).toBeUndefined()
    await seedCounter(here(), conversation, 7)
    expect(await here().reserve(conversation, send)).toEqual({ seq: 8, known: false })
  })

  test('after a collision the next seq is above the taken one and the counter', async () => {
    const conversation = await seeded(5)
    expect(await here().reserveAbove(conversation, 3)).toBe(6)
    expect(await there().reserveAbove(conversation, 20)).toBe(21)
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 22, known: false })
  })

  test('a collision does not bring back a counter that is gone: only the log knows where it stood', async () => {
    const conversation = aConversation()
    expect(await here().reserveAbove(conversation, 5)).toBe(6)
    expect(await here().counters([conversation])).toEqual([undefined])
  })

  test('an unused seq is taken back while it is the last one given', async () => {
    const conversation = await seeded(4)
    await here().reserve(conversation, aSend())
    expect(await there().giveBack(conversation, 5)).toBe(true)
    expect(await there().giveBack(conversation, 5)).toBe(false)
    expect(await here().reserve(conversation, aSend())).toEqual({ seq: 5, known: false })
  })

  test('not once a later one was given', async () => {
    const conversation = await seeded(4)
    await here().reserve(conversation, aSend())
    await here().reserve(conversation, aSend())
    expect(await here().giveBack(conversation, 5)).toBe(false)
    expect(await here().counters([conversation])).toEqual([6])
  })

  test('a send keeps the seq that was taken back and given to another: the log decides', async () => {
    const conversation = await seeded(0)
    const [first, second] = [aSend(), aSend()]
    await here().reserve(conversation, first)
    await here().giveBack(conversation, 1)
    expect(await here().reserve(conversation, second)).toEqual({ seq: 1, known: false })
    expect(await here().reserve(conversation, first)).toEqual({ seq: 1, known: true })
  })

  test('counters come in the order asked for', async () => {
    const [five, seven] = [await seeded(5), await seeded(7)]
    const gone = aConversation()
    expect(await there().counters([seven, gone, five, seven])).toEqual([7, undefined, 5, 7])
    expect(await there().counters([])).toEqual([])
  })
  test('so do those of more conversations than are asked for at a time', async () => {
    const [five, seven] = [await seeded(5), await seeded(7)]
    const many = [
      ...Array.from({ length: 600 }, aConversation),
      five,
      ...Array.from({ length: 599 }, aConversation),
      seven,
    ]
    const counters = await there().counters(many)
    expect(counters).toHaveLength(1201)
    expect(counters.flatMap((seq, i) => (seq === undefined ? [] : [[i, seq]]))).toEqual([
      [600, 5],
      [1200, 7],
    ])
  })
}
