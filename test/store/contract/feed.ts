import { expect, test } from 'vitest'
import type { FeedPartition, FeedRow, FeedStore } from '../../../src/ports/feed.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { aConversation, upTo } from '../../kit/ids.ts'
import type { SoftWorld } from '../../kit/soft-worlds.ts'

/** Each test has a partition of its own. */
let partitions = 0
const aPartition = (): FeedPartition => partitions++

export function feedContract(open: () => FeedStore): void {
  const anEntry = (partition: FeedPartition, position: number): FeedRow => ({
    kind: 'entry',
    partition,
    position,
    atMs: Date.UTC(2026, 5, 1),
    conversationId: aConversation(),
    seq: 7,
  })

  /** An announcement is answered before it is safe, and is read once a later write is: the entry that it announces. */
  const writeAnything = (partition: FeedPartition) =>
    open().put({ kind: 'void', partition, position: 1000, atMs: Date.UTC(2026, 5, 1) })

  test('a position is taken once', async () => {
    const partition = aPartition()
    const row = anEntry(partition, 5)
    expect(await open().put(row)).toBe('written')
    expect(await open().put({ ...anEntry(partition, 5), seq: 8 } as FeedRow)).toBe('taken')
    expect(await open().put({ kind: 'void', partition, position: 5, atMs: row.atMs })).toBe('taken')
    expect(await open().above(partition, 0, 10)).toEqual([row])
  })

  test('of twenty rows for one position one is written', async () => {
    const partition = aPartition()
    const rows = upTo(20).map((seq) => ({ ...anEntry(partition, 1), seq }) as FeedRow)
    const outcomes = await Promise.all(rows.map((row) => open().put(row)))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
    await writeAnything(partition)
    expect(await open().above(partition, 0, 1)).toEqual([rows[outcomes.indexOf('written')]])
  })

  test('rows are read as they were written, in the order of their positions, from above one on', async () => {
    const partition = aPartition()
    const atMs = Date.UTC(2026, 5, 1)
    const fact = { kind: 'fact', id: '12', type: 'user.updated', userId: 'alice' as UserId, data: '{"a":1}' } as const
    const rows: FeedRow[] = [
      anEntry(partition, 9),
      { partition, position: 10, atMs, ...fact },
      { partition, position: 100, atMs, kind: 'void' },
    ]
    for (const row of [...rows].reverse()) await open().put(row)
    await writeAnything(aPartition())
    expect(await open().above(partition, 0, 10)).toEqual(rows)
    expect(await open().above(partition, 9, 1)).toEqual([rows[1]])
    expect(await open().above(partition, 100, 10)).toEqual([])
    expect(await open().last(partition)).toBe(100)
  })

  test('a partition begins where the first said, until somebody who knows that says otherwise', async () => {
    const partition = aPartition()
    expect(await open().start(partition)).toBeUndefined()
    expect(await open().last(partition)).toBeUndefined()
    await open().setStart(partition, 1000, undefined)
    await open().setStart(partition, 2000, undefined)
    expect(await open().start(partition)).toBe(1000)
    await open().setStart(partition, 3000, 999)
    expect(await open().start(partition)).toBe(1000)
    await open().setStart(partition, 3000, 1000)
    expect(await open().start(partition)).toBe(3000)
    expect(await open().above(partition, 0, 10)).toEqual([])
    expect(await open().last(partition)).toBeUndefined()
  })
}

export function feedCountersContract(world: () => SoftWorld): void {
  const here = () => world().here.feedCounters
  const there = () => world().there.feedCounters

  test('where nothing is known there is no position, and asking does not make one', async () => {
    const partition = aPartition()
    expect(await here().next(partition)).toBeUndefined()
    expect(await here().next(partition)).toBeUndefined()
    expect(await here().ends([partition])).toEqual([undefined])
  })

  test('who has read the end of the partition says how far it is taken, and all nodes go on from there', async () => {
    const [partition, other] = [aPartition(), aPartition()]
    expect(await here().next(partition, 41)).toBe(42)
    expect(await there().next(partition)).toBe(43)
    expect(await there().next(partition, 7)).toBe(44)
    expect(await here().next(partition, 100)).toBe(101)
    expect(await there().ends([other, partition])).toEqual([undefined, 101])
  })

  test('a position is given once, however many ask', async () => {
    const partition = aPartition()
    await here().next(partition, 0)
    const given = await Promise.all(upTo(20).map((i) => (i % 2 ? here() : there()).next(partition)))
    expect(new Set(given).size).toBe(20)
  })
}
