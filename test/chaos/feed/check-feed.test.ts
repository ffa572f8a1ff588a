import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../../src/ports/log.ts'
import { emptyHistory, type FeedSeen } from '../checks/history.ts'
import { checkFeed } from './check-feed.ts'

const chat = 'dm_a-b'
const message = (seq: number): LogRow =>
  ({ kind: 'message', conversationId: chat, seq, messageId: `${seq}`, senderId: 'a', body: `${seq}` }) as LogRow
const seen = (seq: number, more: Partial<FeedSeen> = {}): FeedSeen => ({
  ...{ id: `evt_${seq}`, type: 'message.sent', conversationId: chat, seq, messageId: `${seq}` },
  ...more,
})
const judge = (meanwhile: FeedSeen[], atEnd: FeedSeen[]) =>
  checkFeed({
    ...emptyHistory(),
    tables: [{ conversationId: chat, rows: [message(1), message(2), message(3)], indexed: [] }],
    feed: { meanwhile, atEnd },
  }).map(({ text }) => text)

const all = [seen(1), seen(2), seen(3)]

describe('the feed of a run', () => {
  it('may be read again in parts', () => {
    const created = seen(1, { id: 'evt_1_created', type: 'conversation.created' })
    const fact = { id: 'evt_f', type: 'user.updated', conversationId: null, seq: null }
    expect(judge([created, seen(1), seen(2), created, seen(1), seen(2), fact, seen(3)], all)).toEqual([])
  })

  it.each([
    ['lacks an entry', [seen(1), seen(3)], all],
    ['lacks an entry in the end', all, [seen(1), seen(2)]],
    ['has one twice in the end', all, [seen(1), seen(2), seen(2), seen(3)]],
    ['has a later one first', [seen(2), seen(1), seen(2), seen(3)], all],
    ['has a later one first in the end', all, [seen(2), seen(1), seen(3)]],
    ['tells of what is not there', [...all, seen(4)], all],
    ['tells of another message than the one that is there', [seen(1), seen(2, { messageId: '9' }), seen(3)], all],
  ])('%s', (_what, meanwhile, atEnd) => {
    expect(judge(meanwhile, atEnd)).toHaveLength(1)
  })
})
