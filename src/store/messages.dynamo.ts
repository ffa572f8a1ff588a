import type {
  Alteration,
  Attachment,
  Change,
  Entry,
  GroupChange,
  LogRow,
  Message,
  MessageLog,
  Reaction,
} from '../ports/log.ts'
import type { AttachmentId, MessageAddress, UserId } from '../protocol/ids.ts'
import { fromTimeText, toTimeText } from '../protocol/time-text.ts'
import { createDynamoTable } from './dynamo-table.ts'
import { createSharedReads } from './shared-reads.ts'
import type { Dynamo, Item, Key } from './tables.ts'

export function createMessagesDynamo(dynamo: Dynamo): MessageLog {
  const table = createDynamoTable(dynamo, 'messages')
  const isThere = 'kind = :message AND attribute_not_exists(deleted_at)'
  const message = { ':message': 'message' satisfies LogRow['kind'] }

  /** Undefined where it shows already, or never will. */
  async function show(key: Key<'messages'>, change: Change): Promise<Item<'messages'> | undefined> {
    const { alteration, seq } = change
    if (alteration.type === 'edit') {
      return table.set(
        key,
        { body: alteration.body, edited_at: toTimeText(change.sentAtMs), edited_seq: seq },
        {
          where: `${isThere} AND (attribute_not_exists(edited_seq) OR edited_seq < :seq)`,
          values: { ...message, ':seq': seq },
        },
      )
    }
    if (alteration.type === 'delete') {
      const columns = {
        deleted_at: toTimeText(change.sentAtMs),
        body: undefined,
        reactions: undefined,
        s3_ref: undefined,
      }
      return table.set(key, columns, { where: isThere, values: message })
    }
    // An entry can only be set in a map that is there.
    await table.set(
      key,
      { reactions: {} },
      { where: `${isThere} AND attribute_not_exists(reactions)`, values: message },
    )
    return table.setEntry(
      key,
      'reactions',
      { name: reactionName(alteration.emoji, change.senderId), value: alteration.on ? seq : -seq },
      {
        where: `${isThere} AND (attribute_not_exists(reactions.#entry) OR reactions.#entry BETWEEN :from AND :to)`,
        values: { ...message, ':from': 1 - seq, ':to': seq - 1 },
      },
    )
  }

  const sharedReads = createSharedReads<readonly LogRow[]>()

  /** The same array for all who asked at once. */
  const page = (name: string, query: Parameters<typeof table.query>[0]): Promise<readonly LogRow[]> =>
    sharedReads(name, async () => (await table.query(query)).map(toRow))

  return {
    async put(row) {
      const written = await table.put(toItem(row), { where: 'attribute_not_exists(conversation_id)' })
      return written ? 'written' : 'taken'
    },

    async alter(change) {
      const key = toKey({ conversationId: change.conversationId, seq: change.targetSeq })
      const altered = await show(key, change)
      const item = altered ?? (await table.get(key))
      return item?.kind === 'message' ? (toRow(item) as Message) : undefined
    },

    async get(address) {
      const item = await table.get(toKey(address))
      return item && toRow(item)
    },

    async getMany(addresses) {
      return (await table.getMany(addresses.map(toKey))).map(toRow)
    },

    above: (conversationId, after, limit) =>
      page(`> ${conversationId} ${after} ${limit}`, {
        where: 'conversation_id = :conversation AND seq > :after',
        values: { ':conversation': conversationId, ':after': after },
        limit,
      }),

    below: (conversationId, before, limit) =>
      page(`< ${conversationId} ${before} ${limit}`, {
        where: 'conversation_id = :conversation AND seq < :before',
        values: { ':conversation': conversationId, ':before': before },
        descending: true,
        limit,
      }),

    countOfOthers: (conversationId, after, senderId, most) =>
      table.count(
        {
          where: 'conversation_id = :conversation AND seq > :after',
          filter: 'kind = :message AND sender_id <> :sender AND attribute_not_exists(deleted_at)',
          values: {
            ':conversation': conversationId,
            ':after': after,
            ':message': 'message' satisfies LogRow['kind'],
            ':sender': senderId,
          },
        },
        most,
      ),
  }
}

const toKey = ({ conversationId, seq }: MessageAddress): Key<'messages'> => ({ conversation_id: conversationId, seq })

function toItem(row: LogRow): Key<'messages'> & Partial<Item<'messages'>> {
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
  if (row.kind === 'change') return { ...entry, target_seq: row.targetSeq, ...toColumns(row.alteration) }
  if (row.kind === 'group') {
    const { baseVersion, added, removed, roles, title } = row
    return { ...entry, group_change: JSON.stringify({ baseVersion, added, removed, roles, title }) }
  }
  entry.body = row.body
  if (row.replyToSeq !== undefined) entry.reply_to_seq = row.replyToSeq
  if (row.attachments) entry.s3_ref = toRef(row.attachments)
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

function toRow(item: Item<'messages'>): LogRow {
  switch (item.kind) {
    case 'message':
      return toMessage(item)
    case 'void':
      return { conversationId: item.conversation_id, seq: item.seq, kind: item.kind }
    case 'change':
      return { ...toEntry(item), kind: item.kind, targetSeq: item.target_seq ?? 0, alteration: toAlteration(item) }
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
})

/** A page is made of these: they are put together without copies on the way. */
function toMessage(item: Item<'messages'>): Message {
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
  const { reply_to_seq, s3_ref, edited_at, edited_seq, deleted_at, reactions } = item
  if (reply_to_seq !== undefined) message.replyToSeq = reply_to_seq
  if (s3_ref !== undefined) message.attachments = toAttachments(s3_ref)
  if (edited_at !== undefined) message.edited = { seq: edited_seq ?? 0, atMs: fromTimeText(edited_at) }
  if (deleted_at !== undefined) message.deletedAtMs = fromTimeText(deleted_at)
  if (reactions) message.reactions = toReactions(reactions)
  return message
}

const toRef = (attachments: readonly Attachment[]): string => JSON.stringify(attachments.map(({ id, ...file }) => file))

/** A key ends with the id. */
const toAttachments = (ref: string): Attachment[] =>
  (JSON.parse(ref) as Omit<Attachment, 'id'>[]).map((file) => ({
    id: file.key.slice(file.key.lastIndexOf('/') + 1) as AttachmentId,
    ...file,
  }))

/** A user id holds no space. */
const reactionName = (emoji: string, userId: UserId): string => `${emoji} ${userId}`

const toReactions = (reactions: Record<string, number>): Reaction[] =>
  Object.entries(reactions)
    .map(([name, seq]) => {
      const [emoji = '', userId = ''] = name.split(' ')
      return { emoji, userId: userId as UserId, seq: Math.abs(seq), on: seq > 0 }
    })
    .sort((a, b) => a.seq - b.seq)
