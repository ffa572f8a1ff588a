import { expect, it } from 'vitest'
import { billedBytes, itemBytes } from '../../bench/quick-dynamodb/item-size.ts'

it('counts names and texts in UTF-8, numbers by two digits a byte, and what is nested', () => {
  expect(itemBytes({ body: { S: 'größer' } })).toBe(4 + 8)
  expect(itemBytes({ seq: { N: '12345' } })).toBe(3 + 4)
  expect(itemBytes({ seq: { N: '1000' } })).toBe(3 + 2)
  expect(itemBytes({ n: { N: '-27' } })).toBe(1 + 3)
  expect(itemBytes({ members: { L: [{ S: 'a' }, { S: 'bc' }] } })).toBe(7 + 3 + 2 + 3)
  expect(itemBytes({ m: { M: { k: { S: 'v' } } } })).toBe(1 + 3 + 2 + 1)
  expect(itemBytes({ on: { BOOL: true } })).toBe(3)
})

it('bills a hundred bytes more for each item', () => {
  expect(billedBytes({ body: { S: 'hi' } })).toBe(106)
})
