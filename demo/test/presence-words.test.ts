import { expect, test } from 'vitest'
import { clock } from '../src/parts/times.ts'
import { presenceWords } from '../src/presence/presence-words.ts'

const now = new Date(2026, 2, 10, 15, 0).getTime()
const seen = (...date: [number, number, number, number, number]) => {
  const at = new Date(...date)
  return { words: presenceWords({ state: 'OFFLINE', lastSeenAt: at.toISOString() }, now), at: clock(at.getTime()) }
}

test('who is there is online, and who is coming is connecting', () => {
  expect(presenceWords({ state: 'ONLINE', lastSeenAt: null }, now)).toBe('online')
  expect(presenceWords({ state: 'SYNCING', lastSeenAt: null }, now)).toBe('connecting…')
})

test('who is not there was seen on some day', () => {
  const today = seen(2026, 2, 10, 14, 5)
  expect(today.words).toBe(`last seen today at ${today.at}`)
  const yesterday = seen(2026, 2, 9, 9, 0)
  expect(yesterday.words).toBe(`last seen yesterday at ${yesterday.at}`)
  expect(seen(2026, 2, 7, 9, 0).words).toMatch(/^last seen on Saturday at /)
  expect(seen(2025, 4, 3, 9, 0).words).toMatch(/^last seen on May 3, 2025 at /)
})

test('nothing is said of whom one knows nothing, and little of whom one was never shown', () => {
  expect(presenceWords(undefined, now)).toBeUndefined()
  expect(presenceWords({ state: 'OFFLINE', lastSeenAt: null }, now)).toBe('offline')
})
