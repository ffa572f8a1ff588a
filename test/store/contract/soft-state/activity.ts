import { expect, test } from 'vitest'
import type { ConversationId } from '../../../../src/protocol/ids.ts'
import { aChange, aConversation, aMessage, aUser, upTo } from '../../../kit/ids.ts'
import { seedCounter } from '../../../kit/seed-counter.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function activityContract(world: () => SoftWorld): void {
  const here = () => world().here.activity
  const there = () => world().there.activity
  const publish = (conversationId: ConversationId, seq: number, sentAtMs = 1000 + seq) =>
    world().here.events.publishEntry({ entry: aMessage(conversationId, seq, { sentAtMs }), members: [aUser()] })
  const counted = async (lastSeq: number) => {
    const conversationId = aConversation()
    await seedCounter(world().here.sequencer, conversationId, lastSeq)
    return conversationId
  }

  test('what nobody knows is undefined, and asking does not make it', async () => {
    const conversationId = aConversation()
    expect(await here().of([conversationId])).toEqual([undefined])
    expect(await here().of([conversationId])).toEqual([undefined])
    expect(await here().of([])).toEqual([])
  })

  test('what is seeded is known on every node, in the order asked for', async () => {
    const [one, other] = [aConversation(), aConversation()]
    await here().seed([
      { conversationId: one, seq: 3, atMs: 1_800_000_000_123 },
      { conversationId: other, seq: 1, atMs: 7 },
    ])
    const [ofOne, ofOther] = [
      { seq: 3, atMs: 1_800_000_000_123 },
      { seq: 1, atMs: 7 },
    ]
    expect(await there().of([other, aConversation(), one, other])).toEqual([ofOther, undefined, ofOne, ofOther])
    await here().seed([])
  })

  test('the higher seq stays, whatever the clocks say', async () => {
    const conversationId = aConversation()
    await here().seed([{ conversationId, seq: 10, atMs: 500 }])
    await there().seed([{ conversationId, seq: 9, atMs: 900 }])
    await there().seed([{ conversationId, seq: 10, atMs: 900 }])
    expect(await here().of([conversationId])).toEqual([{ seq: 10, atMs: 500 }])
    await there().seed([{ conversationId, seq: 11, atMs: 400 }])
    expect(await here().of([conversationId])).toEqual([{ seq: 11, atMs: 400 }])
  })

  test('publishing the last message makes it and raises it', async () => {
    const conversationId = await counted(1)
    await publish(conversationId, 1)
    expect(await there().of([conversationId])).toEqual([{ seq: 1, atMs: 1001 }])
    await publish(conversationId, 2)
    expect(await there().of([conversationId])).toEqual([{ seq: 2, atMs: 1002 }])
  })

  test('a late publish does not lower it', async () => {
    const conversationId = await counted(2)
    await publish(conversationId, 2)
    await publish(conversationId, 1)
    expect(await here().of([conversationId])).toEqual([{ seq: 2, atMs: 1002 }])
  })

  test('publishing what need not be the last message does not make it: the log knows better', async () => {
    const [further, unknown] = [await counted(100), aConversation()]
    await publish(further, 3)
    await publish(unknown, 3)
    expect(await here().of([further, unknown])).toEqual([undefined, undefined])
  })

  test('publishing raises what is there, whether the counter is or not', async () => {
    const conversationId = aConversation()
    await here().seed([{ conversationId, seq: 2, atMs: 5 }])
    await publish(conversationId, 4)
    expect(await here().of([conversationId])).toEqual([{ seq: 4, atMs: 1004 }])
  })

  test('a change is no activity', async () => {
    const conversationId = await counted(2)
    const edit = aChange(aMessage(conversationId, 1), 2, { type: 'edit', body: 'better' })
    await world().here.events.publishEntry({ entry: edit, members: [aUser()] })
    expect(await here().of([conversationId])).toEqual([undefined])
    await here().seed([{ conversationId, seq: 1, atMs: 5 }])
    await world().here.events.publishEntry({ entry: edit, members: [aUser()] })
    expect(await here().of([conversationId])).toEqual([{ seq: 1, atMs: 5 }])
  })

  test('of many at once the highest stays', async () => {
    const conversationId = await counted(50)
    await Promise.all(
      upTo(50).map((seq) =>
        seq % 2 ? publish(conversationId, seq) : there().seed([{ conversationId, seq, atMs: 1000 + seq }]),
      ),
    )
    expect(await here().of([conversationId])).toEqual([{ seq: 50, atMs: 1050 }])
  })

  test('when everything is forgotten, it is', async () => {
    const conversationId = aConversation()
    await here().seed([{ conversationId, seq: 1, atMs: 1 }])
    await world().forget()
    expect(await there().of([conversationId])).toEqual([undefined])
  })
}
