import type { TimelineEntry } from '@parley/client'
import { expect, test } from 'vitest'
import { type Row, rowsOf } from '../src/conversation/timeline/rows.ts'
import { aMessage } from './a-message.ts'

const noon = Date.parse('2026-03-10T12:00:00.000Z')
const minute = 60_000

const said = (sender: string, seq: number, atMs: number): TimelineEntry =>
  aMessage(seq, { sender: { id: sender, name: null }, sentAt: new Date(atMs).toISOString() })

const waiting = (atMs: number): TimelineEntry => ({
  type: 'outgoing',
  key: 'o1',
  outgoing: { clientMessageId: 'o1', to: { userId: 'bob' }, body: 'hi', createdAtMs: atMs, state: 'waiting' },
})

const shape = ({ first, last }: Row) => `${first ? '(' : ''}${last ? ')' : '-'}`
const rows = (entries: TimelineEntry[], options = {}) =>
  rowsOf(entries, { viewer: 'alice', hasOlder: false, ...options })

test('what one person says within minutes holds together', () => {
  const entries = [said('bob', 1, noon), said('bob', 2, noon + minute), said('alice', 3, noon + 2 * minute)]
  expect(rows([...entries, waiting(noon + 3 * minute)]).map(shape)).toEqual(['(-', ')', '(-', ')'])
  expect(rows([said('bob', 1, noon), said('bob', 2, noon + 10 * minute)]).map(shape)).toEqual(['()', '()'])
})

test('a day begins with its first message', () => {
  const day = 24 * 60 * minute
  const entries = [said('bob', 1, noon), said('bob', 2, noon + minute), said('bob', 3, noon + day)]
  expect(rows(entries).map(({ startsDay }) => startsDay)).toEqual([true, false, true])
})

test('what is new begins with the first message of somebody else', () => {
  const entries = [said('bob', 1, noon), said('alice', 2, noon), said('bob', 4, noon), said('bob', 5, noon)]
  const shown = rows(entries, { divider: { afterSeq: 1, count: 2 } })
  expect(shown.map(({ unread }) => unread)).toEqual([undefined, undefined, 2, undefined])
})

test('the chat begins where there is nothing older', () => {
  expect(rows([said('bob', 7, noon)])[0]?.beginning).toBe(true)
  expect(rows([said('bob', 7, noon)], { hasOlder: true })[0]?.beginning).toBe(false)
})

test('one row for each entry, by its key', () => {
  const entries = [said('bob', 1, noon), said('alice', 2, noon), waiting(noon)]
  expect(rows(entries).map(({ key, mine }) => [key, mine])).toEqual([
    ['m1', false],
    ['m2', true],
    ['o1', true],
  ])
})
