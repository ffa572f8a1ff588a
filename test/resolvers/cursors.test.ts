import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { createCursors } from '../../src/resolvers/cursors.ts'

const cursors = createCursors((text) => createHmac('sha256', 'a key').update(text).digest())
const chat = 'dm_1' as ConversationId
const alice = 'alice' as UserId

test.each(['', 'seq:4', 'MTA=', cursors.ofMessage('dm_2' as ConversationId, 4)])(
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
