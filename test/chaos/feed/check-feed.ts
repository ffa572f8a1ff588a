import type { Anomaly } from '../checks/anomaly.ts'
import type { FeedSeen, FinalTable, History } from '../checks/history.ts'
import { chainOf } from '../checks/tenures.ts'

// The feed has each entry of each log: once for whoever reads it at the end, at least once for the one who read it meanwhile; in order, and not before
// the entry was there for good.

/** Returns the entries that count, as `conversation seq`, with the id of the message if it is one. */
export function wantedOf(tables: readonly FinalTable[]): Map<string, string | undefined> {
  const wanted = tables.flatMap(({ conversationId, rows, group }) => {
    const versions = new Set(group ? chainOf(rows, group.version).map(({ seq }) => seq) : [])
    return rows.flatMap((row): [string, string | undefined][] => {
      if (row.kind === 'void' || (row.kind === 'group' && !versions.has(row.seq))) return []
      return [[`${conversationId} ${row.seq}`, row.kind === 'message' ? row.messageId : undefined]]
    })
  })
  return new Map(wanted)
}

const keyOf = ({ conversationId, seq }: FeedSeen): string => `${conversationId} ${seq}`

/** Returns what of it nobody was given. */
export function missingIn(wanted: ReadonlyMap<string, unknown>, seen: readonly FeedSeen[]): string[] {
  const there = new Set(seen.map(keyOf))
  return [...wanted.keys()].filter((key) => !there.has(key))
}

export function checkFeed({ feed, tables }: History): Anomaly[] {
  if (!feed) return []
  const wanted = wantedOf(tables)
  const anomaly = (text: string): Anomaly => ({ promise: 'feed', text })
  const times = new Map<string, number>()
  for (const { id } of feed.atEnd) times.set(id, (times.get(id) ?? 0) + 1)
  return [
    ...missingIn(wanted, feed.meanwhile).map((key) => anomaly(`${key} was not in the feed while it was followed`)),
    ...missingIn(wanted, feed.atEnd).map((key) => anomaly(`${key} is not in the feed at the end`)),
    ...[...times].filter(([, count]) => count > 1).map(([id, count]) => anomaly(`${id} is in the feed ${count} times`)),
    ...disordered(feed.atEnd).map((key) => anomaly(`${key} comes after a later entry at the end`)),
    ...disordered(firstTimes(feed.meanwhile)).map((key) => anomaly(`${key} came after a later entry`)),
    ...[...feed.meanwhile, ...feed.atEnd].filter(isWrong).map(({ id }) => anomaly(`${id} is of nothing that is there`)),
  ]

  /** What was told of must be there in the end: a cell never changes what it is. */
  function isWrong(seen: FeedSeen): boolean {
    if (seen.seq === null || seen.conversationId === null) return false
    const messageId = wanted.get(keyOf(seen))
    return !wanted.has(keyOf(seen)) || (seen.messageId !== undefined && seen.messageId !== messageId)
  }
}

function disordered(seen: readonly FeedSeen[]): string[] {
  const last = new Map<string, number>()
  return seen.flatMap((each) => {
    if (each.seq === null || each.conversationId === null) return []
    const isLate = each.seq < (last.get(each.conversationId) ?? 0)
    last.set(each.conversationId, each.seq)
    return isLate ? [keyOf(each)] : []
  })
}

function firstTimes(seen: readonly FeedSeen[]): FeedSeen[] {
  const ids = new Set<string>()
  return seen.filter(({ id }) => !ids.has(id) && ids.add(id))
}
