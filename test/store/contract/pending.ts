import { expect, test } from 'vitest'
import type { PendingIndex } from '../../../src/ports/delivery.ts'
import type { ConversationId, Seq } from '../../../src/protocol/ids.ts'
import { aConversation, aUser, upTo } from '../../kit/ids.ts'

export function pendingContract(open: () => PendingIndex): void {
  const aRow = async (seq?: Seq) => {
    const [receiver, conversation] = [aUser(), aConversation()]
    if (seq !== undefined) await open().lower(receiver, conversation, seq)
    return {
      lower: (to: Seq) => open().lower(receiver, conversation, to),
      raise: (to: Seq) => open().raise(receiver, conversation, to),
      remove: (upTo: Seq) => open().remove(receiver, conversation, upTo),
      seq: async () => (await open().get(receiver, conversation))?.firstUndeliveredSeq,
      list: () => open().list(receiver),
    }
  }

  test('there is no row until something is lowered', async () => {
    const row = await aRow()
    expect(await row.seq()).toBeUndefined()
    expect(await row.list()).toEqual([])
  })

  test('lower keeps the minimum', async () => {
    const row = await aRow(7)
    expect(await row.seq()).toBe(7)
    await row.lower(9)
    expect(await row.seq()).toBe(7)
    await row.lower(7)
    expect(await row.seq()).toBe(7)
    await row.lower(3)
    expect(await row.seq()).toBe(3)
  })

  test('of many lowers at once the lowest stays', async () => {
    const row = await aRow()
    await Promise.all([14, 9, 27, 4, 30, 11, 5, 8, 4, 19, 100, 10].map(row.lower))
    expect(await row.seq()).toBe(4)
  })

  test('raise lifts a lower row and leaves a higher one', async () => {
    const row = await aRow(5)
    await row.raise(8)
    expect(await row.seq()).toBe(8)
    await row.raise(6)
    expect(await row.seq()).toBe(8)
    await row.raise(8)
    expect(await row.seq()).toBe(8)
  })

  test('raise does not make a row', async () => {
    const row = await aRow()
    await row.raise(8)
    expect(await row.seq()).toBeUndefined()
  })

  test('remove deletes a row up to that seq and leaves a later one', async () => {
    const row = await aRow(5)
    await row.remove(4)
    expect(await row.seq()).toBe(5)
    await row.remove(5)
    expect(await row.seq()).toBeUndefined()
    await row.lower(5)
    await row.remove(99)
    expect(await row.seq()).toBeUndefined()
  })

  test('remove of what is not there does nothing', async () => {
    const row = await aRow()
    await row.remove(5)
    expect(await row.seq()).toBeUndefined()
  })

  test('a row can come back after it was removed, also with a higher seq', async () => {
    const row = await aRow(5)
    await row.remove(5)
    await row.lower(12)
    expect(await row.seq()).toBe(12)
  })

  test('a remove never takes a row that is above it, whatever else goes on', async () => {
    const rows = await Promise.all(upTo(10).map(() => aRow(6)))
    await Promise.all(
      rows.flatMap((row) => [row.remove(5), row.raise(7), row.remove(4), row.lower(6), row.lower(8), row.remove(5)]),
    )
    for (const row of rows) expect([6, 7]).toContain(await row.seq())
  })

  test('a remove and a raise at once leave the raised row or none', async () => {
    const rows = await Promise.all(upTo(10).map(() => aRow(5)))
    await Promise.all(rows.flatMap((row) => [row.remove(5), row.raise(6)]))
    for (const row of rows) expect([undefined, 6]).toContain(await row.seq())
  })

  test('the list holds every conversation of the receiver and nobody else’s', async () => {
    const [receiver, other] = [aUser(), aUser()]
    // Together they are more than one answer of DynamoDB can hold.
    const waiting = upTo(1100).map((seq) => ({
      conversationId: `${aConversation()}${'x'.repeat(950)}` as ConversationId,
      firstUndeliveredSeq: seq,
    }))
    await Promise.all([
      ...waiting.map((row) => open().lower(receiver, row.conversationId, row.firstUndeliveredSeq)),
      open().lower(other, aConversation(), 1),
    ])
    const listed = await open().list(receiver)
    const bySeq = listed.sort((a, b) => a.firstUndeliveredSeq - b.firstUndeliveredSeq)
    expect(bySeq).toEqual(waiting)
  })
}
