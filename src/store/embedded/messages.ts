import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { Change, Message, MessageLog, Reaction } from '../../ports/log.ts'
import { isShown, isStripped, keptOf } from '../../protocol/alterations.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'
import { reactingPeopleMax, rowMaxBytes } from '../../protocol/limits.ts'
import { emptiedRow } from '../rows/emptied-row.ts'
import { entriesOf, erasedColumns } from '../rows/erased-row.ts'
import { toItem, toKey, toMessage, toRow } from '../rows/message-columns.ts'
import { createKeptPages } from './kept-pages.ts'
import { createEmbeddedTable } from './table.ts'

/** Each further attempt means that another edit or deletion came in between. */
const attemptsMax = 20

export function createMessagesEmbedded(engine: KeyValue): MessageLog {
  const { get, getMany, query, update } = createEmbeddedTable(engine, 'messages')
  const pages = createKeptPages()

  /** Every write goes through here, and ends the pages that were read before it. */
  const write: typeof update = (key, decide) => update(key, decide).finally(() => pages.forget(key.conversation_id))

  /** The steps, and why they come in this order, are those of store/dynamo/messages.ts. */
  async function alter(change: Change): Promise<Message | undefined> {
    const key = toKey({ conversationId: change.conversationId, seq: change.targetSeq })
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const item = get(key)
      if (item?.kind !== 'message') return undefined
      const now = toMessage(item)
      if (isShown(change, now)) {
        if (change.alteration.type === 'edit' && (now.deletedAtMs !== undefined || now.edited?.seq !== change.seq))
          await takeText(change.conversationId, change.seq)
        return now
      }
      if (isStripped(change.alteration)) return now
      if (change.alteration.type !== 'reaction') await takeText(change.conversationId, now.edited?.seq)
      let isAsRead = false
      const { row, changed } = await write(key, (standing) => {
        if (!standing || standing.edited_seq !== item.edited_seq || standing.deleted_at !== item.deleted_at)
          return 'keep'
        isAsRead = true
        const altered = applied(toMessage(standing), change)
        const next = altered && toItem(altered)
        return next && fits(next) ? next : 'keep'
      })
      if (row && changed) return toMessage(row)
      if (isAsRead) {
        // There was no room for it.
        if (change.alteration.type === 'edit') await takeText(change.conversationId, change.seq)
        return now
      }
    }
    throw unavailable(new Error('Others kept changing the message.'))
  }

  /** Removes the text of the edit at this seq. */
  async function takeText(conversationId: ConversationId, seq: Seq | undefined): Promise<void> {
    if (seq === undefined) return
    await write(toKey({ conversationId, seq }), (standing) =>
      standing?.kind === 'change' && standing.body !== undefined ? { ...standing, body: undefined } : 'keep',
    )
  }

  return {
    async put(row) {
      const item = toItem(row)
      if (!fits(item)) throw new Error('The row is larger than rows may be.')
      const { changed } = await write(item, (standing) => (standing ? 'keep' : item))
      return changed ? 'written' : 'taken'
    },

    alter,

    async erase(address, erased) {
      const { changed } = await write(toKey(address), (standing) => {
        if (!standing) return 'keep'
        const columns = erasedColumns(standing, erased)
        const entries = standing.sender_id === erased.userId ? [] : entriesOf(standing, erased.userId)
        const after = { ...standing, ...columns }
        for (const { column, name } of entries) Object.assign(after, { [column]: without(after[column] ?? {}, name) })
        return columns || entries.length > 0 ? after : 'keep'
      })
      return changed
    },

    async empty(address, as) {
      await write(toKey(address), (standing) => (standing && emptiedRow(standing, as)) ?? 'keep')
    },

    async get(address) {
      const item = get(toKey(address))
      return item && toRow(item)
    },

    getMany: async (addresses) => getMany(addresses.map(toKey)).map(toRow),

    above: async (conversationId, after, limit) => query(conversationId, { above: after, limit }).map(toRow),

    below: async (conversationId, before, limit) =>
      pages.page(conversationId, `${before} ${limit}`, () =>
        query(conversationId, { below: before, descending: true, limit }).map(toRow),
      ),

    async ofOthers(conversationId, { after, before }, senderId, limit) {
      const rows = query(conversationId, { above: after, below: before, limit: limit + 1 })
      const looked = rows.slice(0, limit)
      const upTo = looked.length < rows.length ? (looked.at(-1)?.seq ?? after) : before - 1
      const found = looked.filter(
        ({ kind, sender_id, deleted_at }) => kind === 'message' && sender_id !== senderId && deleted_at === undefined,
      )
      return { seqs: found.map(({ seq }) => seq), upTo, whole: looked.length === upTo - after }
    },
  }
}

/** A row that fits here fits into DynamoDB, where it may be copied to. */
const fits = (item: ReturnType<typeof toItem>): boolean => Buffer.byteLength(JSON.stringify(item)) <= rowMaxBytes

/** Returns the message with the change applied, or undefined where too many people have reacted already. */
function applied(message: Message, { seq, senderId, sentAtMs, alteration }: Change): Message | undefined {
  if (alteration.type === 'delete') {
    const { reactions: _reactions, attachments: _attachments, metadata: _metadata, ...rest } = message
    return { ...rest, body: '', deletedAtMs: sentAtMs }
  }
  if (alteration.type === 'edit')
    return { ...message, body: alteration.body, edited: { seq, atMs: sentAtMs }, edits: (message.edits ?? 0) + 1 }
  const { emoji, on } = alteration
  const reactions = message.reactions ?? []
  const isOwn = ({ userId }: Reaction) => userId === senderId
  const own = reactions.filter(isOwn)
  if (own.length === 0 && new Set(reactions.map(({ userId }) => userId)).size >= reactingPeopleMax) return undefined
  const changes = (own[0]?.changes ?? 0) + 1
  const kept = keptOf<Reaction>([...own, { emoji, userId: senderId, seq, on }]).map((each) => ({ ...each, changes }))
  return { ...message, reactions: [...reactions.filter((each) => !isOwn(each)), ...kept] }
}

const without = (map: object, name: string): object =>
  Object.fromEntries(Object.entries(map).filter(([each]) => each !== name))
