import { expect, test } from 'vitest'
import { type DividerEvent, type DividerState, nextDivider } from '../src/conversation/timeline/unread-divider.ts'

const after = (...events: DividerEvent[]): DividerState => events.reduce<DividerState>(nextDivider, undefined)
const arrived = (seq: number, attended = false): DividerEvent => ({ type: 'arrived', seq, attended })

test('it stands where one stopped reading', () => {
  const opened = (unread: number): DividerEvent => ({
    type: 'opened',
    lastReadSeq: 7,
    lastSeq: 10,
    unread,
    attended: true,
  })
  expect(after(opened(3))).toMatchObject({ afterSeq: 7, count: 3 })
  expect(after(opened(3), arrived(12))).toMatchObject({ afterSeq: 11, count: 1 })
  expect(after(opened(0))).toBeUndefined()
})

test('it grows while nobody looks, and stays as it is once somebody does', () => {
  expect(after(arrived(4), arrived(5))).toMatchObject({ afterSeq: 3, count: 2 })
  expect(after(arrived(4), arrived(5), { type: 'attended' }, arrived(6, true))).toMatchObject({ afterSeq: 3, count: 2 })
})

test('what the list has counted is not counted again when it comes', () => {
  const opened: DividerEvent = { type: 'opened', lastReadSeq: 0, lastSeq: 2, unread: 2, attended: false }
  expect(after(opened, arrived(2))).toMatchObject({ afterSeq: 0, count: 2 })
  expect(after(opened, arrived(2), arrived(3))).toMatchObject({ afterSeq: 0, count: 3 })
})

test('what comes after the next absence begins a new one', () => {
  expect(after(arrived(4), { type: 'attended' }, arrived(6))).toMatchObject({ afterSeq: 5, count: 1 })
})

test('whoever writes needs it no more', () => {
  expect(after(arrived(4), { type: 'wrote' })).toBeUndefined()
})
