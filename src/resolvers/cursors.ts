import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChatSortKey } from '../domain/conversations/chat-list.ts'
import { ChatError } from '../protocol/errors.ts'
import { type ConversationId, isConversationId, type Seq, type UserId } from '../protocol/ids.ts'
import { entriesMax } from '../shared/entries-max.ts'

// A cursor is a position and a signature over it and over the list it belongs to: a conversation (the same for all its readers), the chat
// list of one user, or the people one user has blocked. It names no row, so it never expires and outlives the message it was made for.

const tagBytes = 12
/** The last page of a chat is asked for again and again, and twenty signatures cost more than the rest of it: some 2 MB of them are kept. */
const rememberedMax = 10_000

export type Cursors = ReturnType<typeof createCursors>

/** `sign` uses a key that outlives the process. */
export function createCursors(sign: (text: string) => Buffer) {
  const tagOf = (list: string, position: string) => sign(`${list}\n${position}`).subarray(0, tagBytes)

  const seal = (list: string, position: string) =>
    Buffer.concat([tagOf(list, position), Buffer.from(position)]).toString('base64url')

  function open(list: string, cursor: string, field: string, sources: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const position = bytes.subarray(tagBytes).toString()
    const tag = bytes.subarray(0, tagBytes)
    // base64url decoding skips wrong characters silently. Encoding the result again finds them.
    const intact = tag.length === tagBytes && bytes.toString('base64url') === cursor
    if (!intact || !timingSafeEqual(tag, tagOf(list, position))) {
      throw invalidCursor(field, sources)
    }
    return position
  }

  const sealed = new LRUCache<string, string>(entriesMax(rememberedMax))

  return {
    ofMessage(conversationId: ConversationId, seq: Seq): string {
      const key = `${conversationId} ${seq}`
      const known = sealed.get(key)
      if (known !== undefined) return known
      const cursor = seal(`m ${conversationId}`, String(seq))
      sealed.set(key, cursor)
      return cursor
    },
    toSeq: (conversationId: ConversationId, cursor: string, field: string): Seq =>
      Number(open(`m ${conversationId}`, cursor, field, ofMessages)),
    ofChat: (userId: UserId, { atMs, id }: ChatSortKey) => seal(`c ${userId}`, `${atMs} ${id}`),
    ofBlocked: (userId: UserId, blockedId: UserId) => seal(`b ${userId}`, blockedId),
    toBlocked: (userId: UserId, cursor: string, field: string) =>
      open(`b ${userId}`, cursor, field, ofBlockedUsers) as UserId,
    toChat(userId: UserId, cursor: string, field: string): ChatSortKey {
      const [atMs, id] = open(`c ${userId}`, cursor, field, ofChats).split(' ')
      if (!isConversationId(id)) throw invalidCursor(field, ofChats)
      return { atMs: Number(atMs), id }
    },
  }
}

const ofMessages =
  'edges.cursor, pageInfo.startCursor, pageInfo.endCursor, messageAdded.cursor or Message.cursor of the same conversation'
const ofChats = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of the conversations of the same user'
const ofBlockedUsers = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of the blockedUsers of the same user'

const invalidCursor = (field: string, sources: string): ChatError =>
  new ChatError('INVALID_CURSOR', `This cursor is not one of this list. Take one as it is from ${sources}.`, { field })
