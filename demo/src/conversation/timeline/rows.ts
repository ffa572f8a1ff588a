import type { TimelineEntry } from '@parley/client'
import { dayOf } from '../../parts/times.ts'
import { nameOf, type Person } from '../../people.ts'
import { isNotice } from '../notices/notice-words.ts'

/** An entry with everything that depends on its neighbours. Each entry has exactly one row: a separator belongs to the row below it. */
export type Row = {
  key: string
  entry: TimelineEntry
  atMs: number
  mine: boolean
  sender: string
  /** Says whether it is the first of a run by one person; `last` likewise. */
  first: boolean
  last: boolean
  startsDay: boolean
  /** The number of new messages that begin here. */
  unread?: number
  /** Says whether it is the first message of the chat. */
  beginning: boolean
}

export type Divider = { afterSeq: number; count: number }

type Options = { viewer: string; hasOlder: boolean; divider?: Divider | undefined }

const togetherMs = 5 * 60_000

export function rowsOf(entries: readonly TimelineEntry[], { viewer, hasOlder, divider }: Options): Row[] {
  const rows: Row[] = []
  // Where the read messages are not loaded, the first unread one may not be loaded either.
  const mayDivide = divider && (!hasOlder || firstSeqOf(entries) <= divider.afterSeq)
  let dividerPlaced = false
  let day = { startMs: 0, endMs: 0 }
  for (const entry of entries) {
    const { atMs, sender, seq } = detailsOf(entry, viewer)
    const mine = sender.id === viewer
    const previous = rows.at(-1)
    const startsDay = atMs < day.startMs || atMs >= day.endMs
    if (startsDay) day = dayOf(atMs)
    const unread =
      mayDivide && !dividerPlaced && !mine && divider && seq !== undefined && seq > divider.afterSeq && !isNotice(entry)
    if (unread) dividerPlaced = true
    const joins = previous && !startsDay && !unread && !isNotice(entry) && follows(previous, sender, viewer, atMs)
    if (joins) previous.last = false
    rows.push({
      key: entry.key,
      entry,
      atMs,
      mine,
      sender: nameOf(sender),
      first: !joins,
      last: true,
      startsDay,
      ...(unread && { unread: divider.count }),
      beginning: !previous && !hasOlder,
    })
  }
  return rows
}

const firstSeqOf = ([first]: readonly TimelineEntry[]): number =>
  first?.type === 'message' ? first.message.seq : Number.POSITIVE_INFINITY

function detailsOf(entry: TimelineEntry, viewer: string): { atMs: number; sender: Person; seq?: number } {
  if (entry.type === 'outgoing') return { atMs: entry.outgoing.createdAtMs, sender: { id: viewer } }
  const { sentAt, sender, seq } = entry.message
  return { atMs: Date.parse(sentAt), sender, seq }
}

function follows(previous: Row, sender: Person, viewer: string, atMs: number): boolean {
  const { entry } = previous
  if (isNotice(entry)) return false
  const before = entry.type === 'outgoing' ? viewer : entry.message.sender.id
  return before === sender.id && atMs - previous.atMs < togetherMs
}
