import type { MessageFieldsFragment, TimelineEntry } from '@parley/client'
import { expect, test } from 'vitest'
import { deletedWords } from '../src/conversation/message/deleted.ts'
import { indexOfSeq, lastOwn, quoteFrom, quoteOf } from '../src/conversation/message/quotes.ts'
import { aMessage } from './a-message.ts'

const said = (sender: string, seq: number, change: Partial<MessageFieldsFragment> = {}): TimelineEntry =>
  aMessage(seq, { sender: { id: sender, name: null }, body: `words ${seq}`, ...change })

const answering = (replyToSeq?: number): TimelineEntry => ({
  type: 'outgoing',
  key: 'o1',
  outgoing: {
    clientMessageId: 'o1',
    to: { userId: 'bob' },
    body: 'hi',
    createdAtMs: 1,
    state: 'waiting',
    ...(replyToSeq !== undefined && { replyToSeq }),
  },
})

const gone = { body: '', deletedAt: '2026-03-10T12:01:00.000Z' }
const replyTo = { seq: 1, sender: { id: 'bob', name: null }, body: 'one\n\n two ', deletedAt: null }

test('a quote is one line, with who said it', () => {
  expect(quoteFrom(replyTo, 'alice')).toEqual({ seq: 1, author: 'Bob', line: 'one two', deleted: false })
  expect(quoteFrom(replyTo, 'bob').author).toBe('You')
})

test('what was deleted is quoted as that', () => {
  expect(quoteFrom({ ...replyTo, ...gone }, 'alice')).toMatchObject({ line: deletedWords, deleted: true })
})

test('a message has its quote from the server, one on its way from the list', () => {
  const entries = [said('bob', 1), said('alice', 2, { replyTo }), answering(1), answering(7), answering()]
  expect(entries.map((entry) => quoteOf(entry, entries, 'alice')?.line)).toEqual([
    undefined,
    'one two',
    'words 1',
    undefined,
    undefined,
  ])
})

test('of an answered picture the list knows what it is, or nobody', () => {
  const file = { id: 'f', url: '/f', byteSize: 3, contentType: 'image/png', name: 'cat.png' }
  const answer = said('alice', 2, { replyTo: { ...replyTo, body: '' } })
  expect(quoteOf(answer, [said('bob', 1, { body: '', attachments: [file] }), answer], 'alice')?.line).toBe('Picture')
  expect(quoteOf(answer, [answer], 'alice')?.line).toBe('Attachment')
})

test('a deleted message quotes nothing', () => {
  expect(quoteOf(said('alice', 2, { replyTo, ...gone }), [], 'alice')).toBeUndefined()
})

test('the last own message is the last that is still there', () => {
  const entries = [said('alice', 1), said('alice', 2, gone), said('bob', 3), answering()]
  expect(lastOwn(entries, 'alice')?.seq).toBe(1)
  expect(lastOwn(entries, 'carol')).toBeUndefined()
  expect([indexOfSeq(entries, 3), indexOfSeq(entries, 9)]).toEqual([2, -1])
})
