import { expect, test } from 'vitest'
import { dayName, sameDay, shortTime } from '../src/parts/times.ts'

const at = (day: number, hour = 12) => new Date(2026, 2, day, hour).getTime()

test.each([
  [at(15), 'Today'],
  [at(14, 0), 'Yesterday'],
  [at(13), 'Friday'],
  [at(9), 'Monday'],
  [at(8), 'March 8, 2026'],
  [at(16), 'March 16, 2026'],
])('%s is %s', (ms, name) => {
  expect(dayName(ms, at(15, 23))).toBe(name)
})

test('a day goes from midnight to midnight', () => {
  expect(sameDay(at(15, 0), at(15, 23))).toBe(true)
  expect(sameDay(at(14, 23), at(15, 0))).toBe(false)
})

test('a list says the time of today, and the day of others', () => {
  expect(shortTime(at(15, 9), at(15))).toMatch(/9/)
  expect(shortTime(at(14), at(15))).toBe('Yesterday')
})
