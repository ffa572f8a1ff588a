import { LRUCache } from 'lru-cache'
import type { LogEntry, LogRow } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { entriesMax } from '../../shared/entries-max.ts'

// Keeps who has sent the latest messages of the groups whose ticks are watched here: a rise of a boundary concerns the authors of the messages
// it passes. Events tell it; what was before them is read from the log, once per node.

const groupsMax = 1000
/** So many entries back from the latest one are known, or read. */
export const authorsMax = 1000

/** The authors of the entries from `from` on, one after the other; undefined where an entry is no message. */
type Known = { from: Seq; authors: (UserId | undefined)[] }

export type MessageAuthors = ReturnType<typeof createMessageAuthors>

export function createMessageAuthors({ messages }: Pick<Ports, 'messages'>) {
  const known = new LRUCache<ConversationId, Known>(entriesMax(groupsMax))
  const loading = new Map<string, Promise<void>>()

  /** Each stream of a group hears each entry, so this is called often with the same one. */
  function heard(entry: LogEntry): void {
    const { conversationId, seq } = entry
    const group = known.get(conversationId)
    if (group && seq < endOf(group)) return
    if (group && seq === endOf(group)) {
      group.authors.push(authorOf(entry))
      if (group.authors.length >= 2 * authorsMax) forgetOldest(group)
    } else known.set(conversationId, { from: seq, authors: [authorOf(entry)] })
  }

  /** Returns the authors of the messages above `after` up to `upTo`, or undefined if they have to be loaded. */
  function between(id: ConversationId, after: Seq, upTo: Seq): readonly UserId[] | undefined {
    const group = known.get(id)
    if (!group || after + 1 < group.from || upTo >= endOf(group)) return undefined
    const authors = group.authors.slice(after + 1 - group.from, upTo + 1 - group.from)
    return [...new Set(authors.filter((author) => author !== undefined))]
  }

  /** Returns those of them that are known. */
  function knownUpTo(id: ConversationId, upTo: Seq): readonly UserId[] {
    const from = known.get(id)?.from
    return from === undefined ? [] : (between(id, from - 1, Math.min(upTo, lastSeqOf(id))) ?? [])
  }

  /** Returns the seq of the latest entry that is known, or 0. */
  function lastSeqOf(id: ConversationId): Seq {
    const group = known.get(id)
    return group ? endOf(group) - 1 : 0
  }

  /** Reads what `between` has to know. Whoever asks for the same meanwhile shares the read. */
  function load(id: ConversationId, after: Seq, passed: Seq): Promise<void> {
    // What is known stays known, so the read goes on to where that begins.
    const upTo = Math.max(passed, (known.get(id)?.from ?? 0) - 1)
    const key = `${id} ${after} ${upTo}`
    const underWay = loading.get(key)
    if (underWay !== undefined) return underWay
    const loaded = read(id, after, upTo).finally(() => loading.delete(key))
    loading.set(key, loaded)
    return loaded
  }

  async function read(id: ConversationId, after: Seq, upTo: Seq): Promise<void> {
    const rows = await messages.above(id, after, upTo - after)
    const authors = Array.from({ length: upTo - after }, (): UserId | undefined => undefined)
    for (const row of rows) if (row.seq <= upTo) authors[row.seq - after - 1] = authorOf(row)
    const group = known.get(id)
    const isNext = group !== undefined && group.from <= upTo + 1 && endOf(group) > upTo
    const later = isNext ? group.authors.slice(upTo + 1 - group.from) : []
    known.set(id, { from: after + 1, authors: [...authors, ...later] })
  }

  /** Returns the seq of the latest message of this author that is known, or undefined. */
  function latestOf(id: ConversationId, userId: UserId): Seq | undefined {
    const group = known.get(id)
    const index = group?.authors.lastIndexOf(userId) ?? -1
    return group && index >= 0 ? group.from + index : undefined
  }

  return { heard, between, knownUpTo, load, latestOf, lastSeqOf }
}

const endOf = ({ from, authors }: Known): Seq => from + authors.length
const authorOf = (row: LogRow): UserId | undefined => (row.kind === 'message' ? row.senderId : undefined)

function forgetOldest(group: Known): void {
  const forgotten = group.authors.length - authorsMax
  group.authors.splice(0, forgotten)
  group.from += forgotten
}
