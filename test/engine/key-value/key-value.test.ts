import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openKeyValueLmdb } from '../../../src/engine/key-value/key-value.lmdb.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Decision, KeyValue, Range } from '../../../src/engine/key-value/key-value.ts'

let directory: string
let disk: KeyValue
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-kv-'))
  disk = await openKeyValueLmdb({ directory })
})
afterAll(async () => {
  await disk.close()
  await rm(directory, { recursive: true })
})

type Row = { value: string; count: number; list?: number[] | undefined }

const partition = fc.constantFrom('a', 'b', 'a#b', 'aa', 'ü', '')
const numbers = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(999_999_999_999, 2 ** 40))
const texts = fc.constantFrom('', 'a', 'a1', 'b', 'grp_1', 'grp_2', 'z~', 'A', '0')
const row = fc.record({ value: fc.string({ unit: 'grapheme' }), count: fc.nat(), list: fc.option(fc.array(fc.nat())) })

type Sort = string | number
type Step =
  | { do: 'put' | 'remove' | 'raise' | 'if absent'; partition: string; sort: Sort; row: Row }
  | { do: 'look'; partition: string; range: Range }

const stepOn = (sort: fc.Arbitrary<Sort>): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({
      do: fc.constantFrom('put', 'remove', 'raise', 'if absent'),
      partition,
      sort,
      row: row.map(({ list, ...rest }) => ({ ...rest, list: list ?? undefined })),
    }) as fc.Arbitrary<Step>,
    fc.record({
      do: fc.constant('look' as const),
      partition,
      range: fc.record(
        { above: sort, below: sort, descending: fc.boolean(), limit: fc.integer({ min: 0, max: 5 }) },
        { requiredKeys: [] },
      ),
    }),
  )

const decide =
  (step: Exclude<Step, { do: 'look' }>) =>
  (standing: Row | undefined): Decision<Row> => {
    if (step.do === 'remove') return 'remove'
    if (step.do === 'if absent') return standing ? 'keep' : step.row
    if (step.do === 'raise') return standing ? { ...standing, count: standing.count + 1 } : 'keep'
    return step.row
  }

/** Does what can be done at the same time at the same time, and returns all that was seen. */
async function seen(engine: KeyValue, name: string, steps: readonly Step[]): Promise<unknown> {
  const table = engine.table<Row>(name)
  const outcomes: Promise<unknown>[] = []
  for (const step of steps) {
    if (step.do === 'look') {
      outcomes.push(...(await Promise.all(outcomes.splice(0))).map((each) => Promise.resolve(each)))
      outcomes.push(Promise.resolve(table.range(step.partition, step.range)))
    } else outcomes.push(table.update([step.partition, step.sort], decide(step)))
  }
  const all = await Promise.all(outcomes)
  const keys = steps.flatMap((step) => (step.do === 'look' ? [] : [[step.partition, step.sort] as [string, Sort]]))
  const entries = [...table.entries()]
  const middle = entries[Math.floor(entries.length / 2)]?.[0]
  return JSON.parse(
    JSON.stringify({ all, got: keys.map((key) => table.get(key) ?? null), entries, rest: [...table.entries(middle)] }),
  )
}

describe('both engines', () => {
  let table = 0
  it.each([
    ['numbers', numbers],
    ['texts', texts],
  ] as const)('give the same answers whatever is asked of them, sorted by %s', async (kind, sort) => {
    const steps = fc.array(stepOn(sort as fc.Arbitrary<Sort>), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const name = `${kind} ${++table % 8}`
        for (const [key] of disk.table(name).entries()) await disk.table(name).update(key, () => 'remove')
        expect(await seen(disk, name, all)).toEqual(await seen(createKeyValueMemory(), name, all))
      }),
      { numRuns: 60 },
    )
  })
})

describe.each(['memory', 'LMDB'])('a table in %s', (kind) => {
  const open = () => (kind === 'memory' ? createKeyValueMemory() : disk).table<Row>('single')

  it('decides by a row that is still being written, and one after the other', async () => {
    const table = open()
    await table.update(['counter', ''], () => ({ value: '', count: 0 }))
    const raise = () => table.update(['counter', ''], (row) => ({ value: '', count: (row?.count ?? 0) + 1 }))
    const outcomes = await Promise.all(Array.from({ length: 100 }, raise))
    expect(outcomes.map(({ row }) => row?.count)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    expect(table.get(['counter', ''])?.count).toBe(100)
  })

  it('gives a key to one of those who want it', async () => {
    const table = open()
    const claim = (value: string) =>
      table.update(['claimed', ''], (standing) => (standing ? 'keep' : { value, count: 1 }))
    const outcomes = await Promise.all(['first', 'second', 'third'].map(claim))
    expect(outcomes.map(({ changed }) => changed)).toEqual([true, false, false])
    expect(outcomes.map(({ row }) => row?.value)).toEqual(['first', 'first', 'first'])
  })

  it('does not take one key for another, whatever is in it', async () => {
    const table = open()
    const keys: [string, string][] = [
      ['p q', 'r'],
      ['p', 'q r'],
      ['3 p', 'q r'],
      ['', 'p q r'],
    ]
    const put = (key: [string, string]) =>
      table.update(key, (standing) => (standing ? 'keep' : { value: key.join('|'), count: 1 }))
    expect((await Promise.all(keys.map(put))).map(({ changed }) => changed)).toEqual([true, true, true, true])
    expect(keys.map((key) => table.get(key)?.value)).toEqual(keys.map((key) => key.join('|')))
  })

  it('stores nothing when the decision throws', async () => {
    const table = open()
    const failing = table.update(['thrown', ''], () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(table.get(['thrown', ''])).toBeUndefined()
  })
})

describe('LMDB', () => {
  it('shows nothing that is not on the disk yet', async () => {
    const table = disk.table<Row>('unsynced')
    const written = table.update(['row', ''], () => ({ value: 'x', count: 1 }))
    expect(table.get(['row', ''])).toBeUndefined()
    expect(table.range('row')).toEqual([])
    await written
    expect(table.get(['row', ''])?.value).toBe('x')
  })

  it('answers a write ahead at once, and has it on the disk when a later one is', async () => {
    const [first, second] = [disk.table<Row>('ahead'), disk.table<Row>('after')]
    const ahead = await first.updateAhead(['row', ''], () => ({ value: 'ahead', count: 1 }))
    expect(ahead).toEqual({ row: { value: 'ahead', count: 1 }, changed: true })
    expect(first.get(['row', ''])).toBeUndefined()
    expect((await first.updateAhead(['row', ''], () => 'keep')).row?.value).toBe('ahead')
    await second.update(['row', ''], () => ({ value: 'after', count: 1 }))
    expect(first.get(['row', ''])?.value).toBe('ahead')
  })

  it('answers the same from the journal, while a checkpoint runs, and when all is stored', async () => {
    const own = await mkdtemp(join(tmpdir(), 'parley-kv-'))
    const engine = await openKeyValueLmdb({ directory: own })
    const rows = engine.table<Row>('rows')
    const put = (sort: number) => rows.update(['a', sort], () => ({ value: '', count: sort }))
    const counts = (range: Range) => rows.range('a', range).map(({ count }) => count)
    const look = () => [counts({}), counts({ descending: true, limit: 3 }), counts({ above: 1, below: 600, limit: 2 })]
    await Promise.all(Array.from({ length: 600 }, (_, i) => put(i)))
    await rows.update(['a', 1], () => 'remove')
    const expected = look()
    expect(expected[1]).toEqual([599, 598, 597])
    expect(expected[2]).toEqual([2, 3])
    // Rows are put into the file in the background, a few hundred at a time.
    for (let turn = 0; turn < 300; turn += 1) {
      await put(turn % 2 === 0 ? 700 : 800)
      await rows.update(['a', turn % 2 === 0 ? 700 : 800], () => 'remove')
      expect(look()).toEqual(expected)
    }
    await engine.close()
    const again = await openKeyValueLmdb({ directory: own })
    expect(again.table<Row>('rows').range('a').length).toBe(599)
    await again.close()
    await rm(own, { recursive: true })
  })

  it('refuses a key that is too long, and goes on', async () => {
    const table = disk.table<Row>('long')
    const row = { value: 'x', count: 1 }
    await expect(table.update(['ü'.repeat(1000), ''], () => row)).rejects.toThrow('A key may have 1950 bytes')
    await table.update(['ü'.repeat(600), '\u0001'.repeat(750)], () => row)
    expect(table.get(['ü'.repeat(600), '\u0001'.repeat(750)])).toEqual(row)
  })

  it('keeps the rows for the next who opens the directory', async () => {
    const own = await mkdtemp(join(tmpdir(), 'parley-kv-'))
    const first = await openKeyValueLmdb({ directory: own })
    await first.table<Row>('rows').update(['a', 1], () => ({ value: 'kept', count: 1 }))
    await first.close()
    const second = await openKeyValueLmdb({ directory: own })
    expect(second.table<Row>('rows').get(['a', 1])).toEqual({ value: 'kept', count: 1 })
    await second.close()
    await rm(own, { recursive: true })
  })
})
