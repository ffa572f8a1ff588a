import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromTimeText, toTimeText } from '../../src/protocol/time-text.ts'

const range = { min: Date.UTC(1969, 0, 1), max: Date.UTC(9999, 11, 31) }
const times = fc.oneof(
  fc.integer(range),
  fc.double({ ...range, noNaN: true }),
  fc.integer({ min: 1_790_000_000_000, max: 1_790_000_100_000 }),
)

test('times are written as Date writes them, whatever was written before', () => {
  fc.assert(fc.property(times, (ms) => void expect(toTimeText(ms)).toBe(new Date(ms).toISOString())))
})

test('times are read as Date reads them, whatever was read before', () => {
  fc.assert(
    fc.property(times, (ms) => {
      const text = new Date(ms).toISOString()
      expect(fromTimeText(text)).toBe(Date.parse(text))
    }),
  )
})

test.each([
  '',
  'yesterday',
  '2026-03-01',
  '2026-03-01T09:05:07Z',
  '2026-02-30T09:05:07.040+02:00',
  '+012026-01-01T00:00:00.000Z',
])('%j is read as Date reads it', (text) => expect(fromTimeText(text)).toBe(Date.parse(text)))

test('what is no time cannot be written', () => {
  expect(() => toTimeText(Number.NaN)).toThrow(RangeError)
})
