import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { seqMax } from '../../src/protocol/limits.ts'
import { createCursors } from '../../src/resolvers/cursors.ts'

const cursors = createCursors([Buffer.from('a key')])
const chat = 'dm_1' as ConversationId
const otherChat = 'dm_2' as ConversationId
const alice = 'alice' as UserId
const invalid = expect.objectContaining({ code: 'INVALID_CURSOR' })

const seqs = fc.integer({ min: 1, max: seqMax })

test('a cursor of a message leads to its seq, in its conversation alone', async () => {
  await fc.assert(
    fc.property(seqs, (seq) => {
      const cursor = cursors.ofMessage(chat, seq)
      expect(cursors.toSeq(chat, cursor, 'after')).toBe(seq)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(() => cursors.toSeq(otherChat, cursor, 'after')).toThrow(invalid)
    }),
  )
})

test('neighbouring messages have tags of their own, the same whichever is asked for first', () => {
  const range = Array.from({ length: 200 }, (_, i) => i + 1)
  const up = range.map((seq) => cursors.ofMessage(chat, seq))
  const others = range.map((seq) => cursors.ofMessage(otherChat, seq))
  const down = [...range].reverse().map((seq) => createCursors([Buffer.from('a key')]).ofMessage(chat, seq))
  expect(down.reverse()).toEqual(up)
  expect(new Set([...up, ...others].map((cursor) => cursor.slice(0, 16))).size).toBe(400)
})

// They are kept by clients for ever: if this fails, cursors that were issued are refused.
test('cursors stay as they were issued, those of earlier releases too', () => {
  expect(cursors.ofMessage(chat, 12)).toBe('N24Tc_PRSLM-Q72G12')
  expect(cursors.toSeq(chat, '29rQZY3x0C05imvjMTI', 'after')).toBe(12)
})

test('a cursor of an earlier release is one of its conversation alone', async () => {
  const sealed = (position: string) => {
    const tag = createHmac('sha256', 'a key').update(`m dm_1\n${position}`).digest().subarray(0, 12)
    return Buffer.concat([tag, Buffer.from(position)]).toString('base64url')
  }
  await fc.assert(
    fc.property(seqs, (seq) => {
      const cursor = sealed(`${seq}`)
      expect(cursors.toSeq(chat, cursor, 'after')).toBe(seq)
      expect(() => cursors.toSeq(otherChat, cursor, 'after')).toThrow(invalid)
    }),
  )
})

test('nobody gets on with the cursor of another key', () => {
  const other = createCursors([Buffer.from('another key')])
  expect(() => cursors.toSeq(chat, other.ofMessage(chat, 12), 'after')).toThrow(invalid)
})

test('the cursors of every key in the list are taken, and those of the first are made', () => {
  const [old, rotated] = [cursors, createCursors([Buffer.from('a new key'), Buffer.from('a key')])]
  const key = { atMs: 5, id: chat }
  for (const maker of [old, rotated]) {
    expect(rotated.toSeq(chat, maker.ofMessage(chat, 12), 'after')).toBe(12)
    expect(rotated.toChat(alice, maker.ofChat(alice, key), 'after')).toEqual(key)
    expect(() => rotated.toSeq(otherChat, maker.ofMessage(chat, 12), 'after')).toThrow(invalid)
    expect(() => rotated.toChat('bob' as UserId, maker.ofChat(alice, key), 'after')).toThrow(invalid)
  }
  expect(rotated.toSeq(chat, '29rQZY3x0C05imvjMTI', 'after')).toBe(12)
  expect(() => old.toSeq(chat, rotated.ofMessage(chat, 12), 'after')).toThrow(invalid)
})

test.each(['N24Tc_PRSLM-Q72G12', '29rQZY3x0C05imvjMTI'])('%s is refused with any change', (cursor) => {
  const characters = [...'ABCXYZabcxyz0123456789-_. =é']
  const changed = [...cursor].flatMap((_, i) =>
    characters.flatMap((each) => [
      cursor.slice(0, i) + each + cursor.slice(i + 1),
      cursor.slice(0, i) + each + cursor.slice(i),
    ]),
  )
  const cut = [...cursor].flatMap((_, i) => [cursor.slice(0, i), cursor.slice(i + 1)])
  const longer = characters.map((each) => cursor + each)
  for (const each of [...changed, ...cut, ...longer].filter((one) => one !== cursor))
    expect(() => cursors.toSeq(chat, each, 'after'), each).toThrow(invalid)
})

test.each(['012', '0', '', '13', '11', '10', '12.0', '1e1', '120000000000', '99999999999999999999999'])(
  'the tag of 12 goes with no %j',
  (digits) => {
    const tag = cursors.ofMessage(chat, 12).slice(0, 16)
    expect(() => cursors.toSeq(chat, `${tag}${digits}`, 'after')).toThrow(invalid)
  },
)

test.each(['', 'seq:4', 'MTA=', cursors.ofMessage(otherChat, 4)])(
  'whoever pages messages with %j hears where cursors come from',
  (cursor) => {
    expect(() => cursors.toSeq(chat, cursor, 'after')).toThrow(
      expect.objectContaining({
        code: 'INVALID_CURSOR',
        details: { field: 'after' },
        message: expect.stringMatching(
          /edges\.cursor.*pageInfo\.startCursor.*endCursor.*messageAdded\.cursor.*same conversation/,
        ),
      }),
    )
  },
)

test.each(['', cursors.ofMessage(chat, 4), cursors.ofChat('bob' as UserId, { atMs: 1, id: chat })])(
  'whoever pages conversations with %j hears where cursors come from',
  (cursor) => {
    expect(() => cursors.toChat(alice, cursor, 'before')).toThrow(
      expect.objectContaining({
        code: 'INVALID_CURSOR',
        details: { field: 'before' },
        message: expect.stringMatching(
          /edges\.cursor.*pageInfo\.startCursor.*endCursor.*conversations of the same user/,
        ),
      }),
    )
  },
)
