import type { Alteration, Attachment, Entry, GroupChange, LogRow, Message } from '../../ports/log.ts'
import type { AttachmentId, MessageAddress } from '../../protocol/ids.ts'
import { fromTimeText, toTimeText } from '../../protocol/time-text.ts'
import { toReacted, toReactions } from './reaction-columns.ts'
import type { Item, Key } from './tables.ts'

export const toKey = ({ conversationId, seq }: MessageAddress): Key<'messages'> => ({
  conversation_id: conversationId,
  seq,
})

export function toItem(row: LogRow): Key<'messages'> & Partial<Item<'messages'>> {
  if (row.kind === 'void') return { ...toKey(row), kind: row.kind }
  const entry: Key<'messages'> & Partial<Item<'messages'>> = {
    conversation_id: row.conversationId,
    seq: row.seq,
    kind: row.kind,
    message_id: row.messageId,
    client_message_id: row.clientMessageId,
    sender_id: row.senderId,
    sent_at: toTimeText(row.sentAtMs),
  }
  if (row.feedPosition !== undefined) entry.feed_position = row.feedPosition
  if (row.kind !== 'group' && row.replaced) entry.replaced = 1
  if (row.kind === 'change') return { ...entry, target_seq: row.targetSeq, ...toColumns(row.alteration) }
  if (row.kind === 'group') {
    const { baseVersion, added, removed, roles, title, metadata } = row
    return { ...entry, group_change: JSON.stringify({ baseVersion, added, removed, roles, title, metadata }) }
  }
  // A deleted message has no text.
  if (row.deletedAtMs === undefined) entry.body = row.body
  if (row.system) entry.system = 1
  if (row.replyToSeq !== undefined) entry.reply_to_seq = row.replyToSeq
  if (row.metadata !== undefined) entry.metadata = row.metadata
  if (row.attachments) entry.s3_ref = toRef(row.attachments)
  if (row.reactions) entry.reacted = toReacted(row.reactions)
  if (row.edited) {
    entry.edited_at = toTimeText(row.edited.atMs)
    entry.edited_seq = row.edited.seq
  }
  if (row.edits !== undefined) entry.edits = row.edits
  if (row.deletedAtMs !== undefined) entry.deleted_at = toTimeText(row.deletedAtMs)
  return entry
}

function toColumns(alteration: Alteration): Partial<Item<'messages'>> {
  const { type } = alteration
  if (type === 'edit') return { alteration: type, body: alteration.body }
  if (type === 'delete') return { alteration: type }
  return { alteration: type, emoji: alteration.emoji, reaction_on: alteration.on ? 1 : 0 }
}

function toAlteration({ alteration, body = '', emoji = '', reaction_on }: Item<'messages'>): Alteration {
  if (alteration === 'edit') return { type: alteration, body }
  if (alteration === 'reaction') return { type: alteration, emoji, on: reaction_on === 1 }
  return { type: 'delete' }
}

export function toRow(item: Item<'messages'>): LogRow {
  switch (item.kind) {
    case 'message':
      return toMessage(item)
    case 'void':
      return { conversationId: item.conversation_id, seq: item.seq, kind: item.kind }
    case 'change':
      return {
        ...toEntry(item),
        kind: item.kind,
        targetSeq: item.target_seq ?? 0,
        alteration: toAlteration(item),
        ...(item.replaced === 1 && { replaced: true }),
      }
    case 'group': {
      const change = JSON.parse(item.group_change ?? '{}') as Omit<GroupChange, keyof Entry | 'kind'>
      return { ...toEntry(item), kind: item.kind, ...change }
    }
  }
}

const toEntry = (item: Item<'messages'>): Entry => ({
  conversationId: item.conversation_id,
  seq: item.seq,
  messageId: item.message_id,
  clientMessageId: item.client_message_id,
  senderId: item.sender_id,
  sentAtMs: fromTimeText(item.sent_at),
  ...(item.feed_position !== undefined && { feedPosition: item.feed_position }),
})

/** Pages are made of these objects, so they are built without intermediate copies. */
export function toMessage(item: Item<'messages'>): Message {
  const message: Message = {
    conversationId: item.conversation_id,
    seq: item.seq,
    messageId: item.message_id,
    clientMessageId: item.client_message_id,
    senderId: item.sender_id,
    sentAtMs: fromTimeText(item.sent_at),
    kind: 'message',
    body: item.body ?? '',
  }
  const { system, reply_to_seq, metadata, replaced, s3_ref, edited_at, edited_seq, edits, deleted_at } = item
  if (system === 1) message.system = true
  if (reply_to_seq !== undefined) message.replyToSeq = reply_to_seq
  if (metadata !== undefined) message.metadata = metadata
  if (replaced === 1) message.replaced = true
  if (s3_ref !== undefined) message.attachments = toAttachments(s3_ref)
  if (edited_at !== undefined) message.edited = { seq: edited_seq ?? 0, atMs: fromTimeText(edited_at) }
  if (edits !== undefined) message.edits = edits
  if (deleted_at !== undefined) message.deletedAtMs = fromTimeText(deleted_at)
  if (item.feed_position !== undefined) message.feedPosition = item.feed_position
  if (item.reacted || item.reactions) message.reactions = toReactions(item)
  return message
}

const toRef = (attachments: readonly Attachment[]): string => JSON.stringify(attachments.map(({ id, ...file }) => file))

/** The id of an attachment is the end of its key. */
const toAttachments = (ref: string): Attachment[] =>
  (JSON.parse(ref) as Omit<Attachment, 'id'>[]).map((file) => ({
    id: file.key.slice(file.key.lastIndexOf('/') + 1) as AttachmentId,
    ...file,
  }))
