import { hash, timingSafeEqual } from 'node:crypto'
import type { ChatSortKey } from '../domain/conversations/chat-list.ts'
import type { ReportPlace } from '../ports/reports.ts'
import { ChatError } from '../protocol/errors.ts'
import { type ConversationId, isConversationId, type Seq, type UserId } from '../protocol/ids.ts'
import { hmacBy } from '../shared/hmac.ts'

// A cursor is a position and a tag, which signs it and the list it belongs to: a conversation (the same for all its readers), the chat list
// of one user, the people one user has blocked, the reports, what was given up for a webhook, or a user's conversations as backends list them. It
// names no row, so it never expires and outlives the message it was made for.
//
// of a chat, of a blocked user   base64url of the tag and the position. The tag is the beginning of an HMAC-SHA256.
// of a message                   the tag as base64url, and the seq in digits. One hash has the tags of neighbouring messages, as most
//                                messages are shown by the page. It is SHA3-512 of the key and what is signed: other than the hashes of
//                                SHA-2, it needs no HMAC around it.
//
// In earlier releases, cursors of messages were made as those of chats are, and they stay valid. After the tag they have a letter, not a digit.

const tagBytes = 12
const tagChars = 16
/** So many tags fit into the 64 bytes of one hash. */
const blockLength = 5

const messageCursorRule = /^[\w-]{16}([1-9]\d{0,9})$/

export type Cursors = ReturnType<typeof createCursors>

/** Makes cursors by the first key, and takes those of all. The keys outlive the process. */
export function createCursors(keys: readonly [Uint8Array, ...Uint8Array[]]) {
  const [first, ...others] = keys
  const maker = createTags(first)
  const takers = [maker, ...others.map(createTags)]
  const { ofMessage, seal } = maker

  function open(list: string, cursor: string, field: string, sources: string): string {
    for (const taker of takers) {
      const position = taker.open(list, cursor)
      if (position !== undefined) return position
    }
    throw invalidCursor(field, sources)
  }

  function toSeq(conversationId: ConversationId, cursor: string, field: string): Seq {
    const [, digits] = messageCursorRule.exec(cursor) ?? []
    if (digits === undefined) return Number(open(`m ${conversationId}`, cursor, field, ofMessages))
    const seq = Number(digits)
    if (!takers.some((taker) => areEqual(cursor, taker.ofMessage(conversationId, seq))))
      throw invalidCursor(field, ofMessages)
    return seq
  }

  return {
    ofMessage,
    toSeq,
    ofChat: (userId: UserId, { atMs, id }: ChatSortKey) => seal(`c ${userId}`, `${atMs} ${id}`),
    ofBlocked: (userId: UserId, blockedId: UserId) => seal(`b ${userId}`, blockedId),
    toBlocked: (userId: UserId, cursor: string, field: string) =>
      open(`b ${userId}`, cursor, field, ofBlockedUsers) as UserId,
    ofConversationOf: (userId: UserId, id: ConversationId) => seal(`a ${userId}`, id),
    toConversationOf: (userId: UserId, cursor: string, field: string) =>
      open(`a ${userId}`, cursor, field, ofConversationsOf),
    ofReport: ({ createdAtMs, id }: ReportPlace) => seal('r', `${createdAtMs} ${id}`),
    toReport(cursor: string, field: string): ReportPlace {
      const [createdAtMs, id = ''] = open('r', cursor, field, ofReports).split(' ')
      return { createdAtMs: Number(createdAtMs), id }
    },
    ofFailureOf: (webhookId: string, id: string) => seal(`w ${webhookId}`, id),
    toFailureOf: (webhookId: string, cursor: string, field: string) =>
      open(`w ${webhookId}`, cursor, field, ofFailures),
    toChat(userId: UserId, cursor: string, field: string): ChatSortKey {
      const [atMs, id] = open(`c ${userId}`, cursor, field, ofChats).split(' ')
      if (!isConversationId(id)) throw invalidCursor(field, ofChats)
      return { atMs: Number(atMs), id }
    },
  }
}

const areEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** What one key signs. */
function createTags(key: Uint8Array) {
  const { bytes: sign } = hmacBy(key)
  const keyText = Buffer.from(key).toString('base64url')
  const tagOf = (list: string, position: string) => sign(`${list}\n${position}`).subarray(0, tagBytes)

  const seal = (list: string, position: string) =>
    Buffer.concat([tagOf(list, position), Buffer.from(position)]).toString('base64url')

  /** Returns the position of a cursor that this key has signed. */
  function open(list: string, cursor: string): string | undefined {
    const bytes = Buffer.from(cursor, 'base64url')
    const position = bytes.subarray(tagBytes).toString()
    const tag = bytes.subarray(0, tagBytes)
    // base64url decoding skips wrong characters silently. Encoding the result again finds them.
    const intact = tag.length === tagBytes && bytes.toString('base64url') === cursor
    return intact && timingSafeEqual(tag, tagOf(list, position)) ? position : undefined
  }

  /** The next message is mostly of the same block. */
  let last = { conversationId: '', block: 0, tags: '' }

  function tagsOf(conversationId: ConversationId, block: number): string {
    if (block !== last.block || conversationId !== last.conversationId) {
      const tags = hash('sha3-512', `${keyText} ${conversationId} ${block}`, 'base64url')
      last = { conversationId, block, tags }
    }
    return last.tags
  }

  function ofMessage(conversationId: ConversationId, seq: Seq): string {
    const at = (seq % blockLength) * tagChars
    return `${tagsOf(conversationId, Math.floor(seq / blockLength)).slice(at, at + tagChars)}${seq}`
  }

  return { ofMessage, seal, open }
}

const ofMessages =
  'edges.cursor, pageInfo.startCursor, pageInfo.endCursor, messageAdded.cursor or Message.cursor of the same conversation'
const ofChats = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of the conversations of the same user'
const ofConversationsOf = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of conversationsOf the same user'
const ofReports = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of reports'
const ofFailures = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of failedDeliveries of the same webhook'
const ofBlockedUsers = 'edges.cursor, pageInfo.startCursor or pageInfo.endCursor of the blockedUsers of the same user'

const invalidCursor = (field: string, sources: string): ChatError =>
  new ChatError('INVALID_CURSOR', `This cursor is not one of this list. Take one as it is from ${sources}.`, { field })
