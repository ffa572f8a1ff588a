import { isTooLarge } from '../../engine/dynamodb/client.ts'
import type { Change, LogRow, Message, MessageLog, Reaction } from '../../ports/log.ts'
import { isShown, isStripped, keptOf, type ReactionMark } from '../../protocol/alterations.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { reactingPeopleMax, rowMaxBytes } from '../../protocol/limits.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import { emptiedRow } from '../rows/emptied-row.ts'
import { entriesOf, erasedColumns } from '../rows/erased-row.ts'
import { toItem, toKey, toMessage, toRow } from '../rows/message-columns.ts'
import { earlierName, entryName, printMarks, toReactions } from '../rows/reaction-columns.ts'
import type { Dynamo, Item, Key } from '../rows/tables.ts'
import { createSharedReads } from './shared-reads.ts'
import { createDynamoTable } from './table.ts'

/** Each further attempt means that the message changed in between. */
const attemptsMax = 20

export function createMessagesDynamo(dynamo: Dynamo): MessageLog {
  const table = createDynamoTable(dynamo, 'messages')
  const isThere = 'kind = :message AND attribute_not_exists(deleted_at)'
  const message = { ':message': 'message' satisfies LogRow['kind'] }

  /**
   * Reads the message, and writes what the change makes of it IF that part of it is still as it was read. Before another text replaces that of
   * an edit, the edit's row loses its own, as the message has it. An edit for which there is no room loses its text too, and is never applied
   * after that. So only two kinds of edits have a text: the one that shows, and those that were not applied yet.
   */
  async function alter(change: Change): Promise<Message | undefined> {
    const key = toKey({ conversationId: change.conversationId, seq: change.targetSeq })
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const item = await table.get(key)
      if (item?.kind !== 'message') return undefined
      const now = toMessage(item)
      if (isShown(change, now)) {
        if (change.alteration.type === 'edit' && (now.deletedAtMs !== undefined || now.edited?.seq !== change.seq)) {
          await takeText(change.conversationId, change.seq)
        }
        return now
      }
      if (isStripped(change.alteration)) return now
      if (change.alteration.type !== 'reaction') await takeText(change.conversationId, now.edited?.seq)
      const altered = await show(key, item, change)
      if (altered === 'no room') {
        if (change.alteration.type === 'edit') await takeText(change.conversationId, change.seq)
        return now
      }
      if (altered) return toMessage(altered)
    }
    throw unavailable(new Error('Others kept changing the message.'))
  }

  /** Removes the text of the edit at this seq. */
  async function takeText(conversationId: ConversationId, seq: Seq | undefined): Promise<void> {
    if (seq === undefined) return
    const condition = {
      where: 'kind = :change AND attribute_exists(body)',
      values: { ':change': 'change' satisfies LogRow['kind'] },
    }
    await table.set(toKey({ conversationId, seq }), { body: undefined }, condition)
  }

  /** Returns undefined if the message is not as it was read. */
  function show(
    key: Key<'messages'>,
    item: Item<'messages'>,
    change: Change,
  ): Promise<Item<'messages'> | 'no room' | undefined> {
    const { alteration, seq, sentAtMs } = change
    if (alteration.type === 'reaction') return react(key, item, change)
    const { edited_seq } = item
    const condition = {
      where: `${isThere} AND ${edited_seq === undefined ? 'attribute_not_exists(edited_seq)' : 'edited_seq = :edited'}`,
      values: { ...message, ...(edited_seq !== undefined && { ':edited': edited_seq }) },
    }
    if (alteration.type === 'delete') {
      const columns = {
        deleted_at: toTimeText(sentAtMs),
        body: undefined,
        reacted: undefined,
        reactions: undefined,
        s3_ref: undefined,
        metadata: undefined,
      }
      return table.set(key, columns, condition)
    }
    const columns = {
      body: alteration.body,
      edited_at: toTimeText(sentAtMs),
      edited_seq: seq,
      edits: (item.edits ?? 0) + 1,
    }
    return withinRow({ ...item, ...columns }, () => table.set(key, columns, condition))
  }

  async function react(
    key: Key<'messages'>,
    item: Item<'messages'>,
    { alteration, senderId, seq }: Change,
  ): Promise<Item<'messages'> | 'no room' | undefined> {
    if (alteration.type !== 'reaction') return undefined
    const own: Reaction[] = toReactions(item).filter(({ userId }) => userId === senderId)
    const { emoji, on } = alteration
    const mark = { emoji, seq, on }
    const marks = keptOf<ReactionMark>([...own, mark])
    const entry = { name: entryName(senderId), value: printMarks((own[0]?.changes ?? 0) + 1, marks) }
    const before = item.reacted?.[entry.name]
    if (before === undefined && Object.keys(item.reacted ?? {}).length >= reactingPeopleMax) return 'no room'
    const reacted = { ...item.reacted, [entry.name]: entry.value }
    const written = await withinRow({ ...item, reacted }, () => {
      if (!item.reacted) {
        return table.set(key, { reacted }, { where: `${isThere} AND attribute_not_exists(reacted)`, values: message })
      }
      const isAsRead = before === undefined ? 'attribute_not_exists(reacted.#entry)' : 'reacted.#entry = :before'
      return table.setEntry(key, 'reacted', entry, {
        where: `${isThere} AND ${isAsRead}`,
        values: { ...message, ...(before !== undefined && { ':before': before }) },
      })
    })
    return written === 'no room' && !on ? takeBackInPlace(key, item, { ...mark, senderId }) : written
  }

  /** Takes a reaction back in a row that an earlier release has filled: where the reaction is stored there, this needs no more room. */
  async function takeBackInPlace(
    key: Key<'messages'>,
    { reactions }: Item<'messages'>,
    { emoji, senderId, seq }: ReactionMark & { senderId: UserId },
  ): Promise<Item<'messages'> | 'no room' | undefined> {
    const name = earlierName(emoji, senderId)
    const before = reactions?.[name]
    if (before === undefined) return 'no room'
    return table.setEntry(
      key,
      'reactions',
      { name, value: -seq },
      { where: `${isThere} AND reactions.#entry = :before`, values: { ...message, ':before': before } },
    )
  }

  const sharedReads = createSharedReads<readonly LogRow[]>()

  /** Returns the same array to all callers that share the read. */
  const page = (name: string, query: Parameters<typeof table.query>[0]): Promise<readonly LogRow[]> =>
    sharedReads(name, async () => (await table.query(query)).map(toRow))

  return {
    async put(row) {
      const written = await table.put(toItem(row), { where: 'attribute_not_exists(conversation_id)' })
      return written ? 'written' : 'taken'
    },

    alter,

    async erase(address, erased) {
      const key = toKey(address)
      const item = await table.get(key)
      if (!item) return false
      const columns = erasedColumns(item, erased)
      // Whatever else could change these columns is the user's own, and they can write no more.
      const condition = { where: 'sender_id = :sender', values: { ':sender': item.sender_id } }
      if (columns) await table.set(key, columns, condition)
      // Others may react meanwhile, so only these entries of the maps are touched. A message of the user's own has lost the maps by now.
      const entries = item.sender_id === erased.userId ? [] : entriesOf(item, erased.userId)
      for (const { column, name } of entries) {
        await table.setEntry(key, column, { name, value: undefined }, { where: `attribute_exists(${column})` })
      }
      return columns !== undefined || entries.length > 0
    },

    async empty(address, as) {
      const key = toKey(address)
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const item = await table.get(key)
        const row = item && emptiedRow(item, as)
        if (!row) return
        // An erasure may put a pseudonym there meanwhile.
        const isAsRead = { where: 'sender_id = :sender', values: { ':sender': item.sender_id } }
        if (await table.put(row, isAsRead)) return
      }
      throw unavailable(new Error('Others kept changing the cell.'))
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

    async ofOthers(conversationId, { after, before }, senderId, limit) {
      const { items, lookedAt, lastKey } = await table.look({
        where: 'conversation_id = :conversation AND seq BETWEEN :from AND :to',
        filter: 'kind = :message AND sender_id <> :sender AND attribute_not_exists(deleted_at)',
        values: {
          ...message,
          ':conversation': conversationId,
          ':from': after + 1,
          ':to': before - 1,
          ':sender': senderId,
        },
        columns: 'seq',
        limit,
      })
      const upTo = lastKey?.seq ?? before - 1
      return { seqs: items.map(({ seq }) => seq), upTo, whole: lookedAt === upTo - after }
    },
  }
}

/** Checks the size of the item here, as not every DynamoDB does so for updates. JSON adds little to the size. */
async function withinRow<T>(item: Item<'messages'>, write: () => Promise<T>): Promise<T | 'no room'> {
  if (Buffer.byteLength(JSON.stringify(item)) > rowMaxBytes) return 'no room'
  return write().catch((error) => {
    if (isTooLarge(error)) return 'no room'
    throw error
  })
}
