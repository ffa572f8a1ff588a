import { expect, test } from 'vitest'
import { isSameTable, majorityOf, readSlotTable, slotOf } from '../../../src/engine/redis/slot-table.ts'

const at = { host: '10.0.0.1', port: 7000 }
const table = (...ranges: [number, number, string][]) =>
  readSlotTable(
    ranges.map(([from, to, id]) => [from, to, ['10.0.0.2', 7001, id], ['10.0.0.3', 7002, `replica of ${id}`]]),
    at,
  )

test('slots are those of Redis, by the hash tag', () => {
  expect([slotOf('123456789'), slotOf('a:{foo}:b'), slotOf('foo')]).toEqual([12739, 12182, 12182])
})

test('a node that does not know its own address means the one it was asked at', () => {
  const { shards } = readSlotTable([[0, 16383, ['', 7000, 'one']]], at)
  expect([...shards.values()]).toEqual([{ id: 'one', nodes: [at] }])
})

test('each slot belongs to whom most nodes say', () => {
  const stale = table([0, 16383, 'one'])
  const fresh = table([0, 99, 'one'], [100, 16383, 'two'])
  const { owners, shards } = majorityOf([stale, fresh, fresh])
  expect([owners[99], owners[100], owners[16383]]).toEqual(['one', 'two', 'two'])
  expect([...shards.keys()].sort()).toEqual(['one', 'two'])
  expect(isSameTable(majorityOf([stale, fresh, fresh]), fresh)).toBe(true)
})

test('a slot that most nodes know no owner of has none', () => {
  const left = table([0, 99, 'one'])
  expect(majorityOf([table([0, 16383, 'one']), left, left]).owners[100]).toBeUndefined()
})
