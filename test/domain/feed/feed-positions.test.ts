import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partitionCount } from '../../../src/domain/feed/partitions.ts'
import { feedBeginning, parsePositions, printPositions, rowOf, within } from '../../../src/domain/feed/positions.ts'

const position = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 41 }), fc.integer({ min: 0, max: 1023 }))
  .map(([row, taken]) => within(row, taken))

it('positions are printed and read without a loss, also those within a row', () => {
  fc.assert(
    fc.property(fc.array(position, { minLength: partitionCount, maxLength: partitionCount }), (positions) => {
      expect(parsePositions(printPositions(positions), 'after')).toEqual(positions)
    }),
  )
  expect(rowOf(within(12, 3))).toEqual({ row: 11, taken: 3 })
})

it('what is no position is refused', () => {
  const text = printPositions(feedBeginning)
  for (const wrong of ['', 'nonsense', `${text}AA`, text.slice(0, -4), '!', text.replace('A', 'B')]) {
    expect(() => parsePositions(wrong, 'after')).toThrow('after must be a position')
  }
})
