import type { FeedPartition, FeedPosition, FeedRow } from '../../ports/feed.ts'
import { fromTimeText, toTimeText } from '../../protocol/time-text.ts'
import type { Item, Key } from './tables.ts'

/** A consumer may go on from any position of the last thirty days. */
export const feedDays = 30
const daySeconds = 86_400

/** It has two digits, so that partitions are listed in their order. */
export const toPartition = (partition: FeedPartition): string => `p${String(partition).padStart(2, '0')}`

export const toKey = (partition: FeedPartition, position: FeedPosition): Key<'feed'> => ({
  partition_id: toPartition(partition),
  feed_position: position,
})

/** Position 0 is never given out: its row says where the partition begins, and has no date on which it expires. */
export const startKey = (partition: FeedPartition): Key<'feed'> => toKey(partition, 0)

export function toItem(row: FeedRow): Key<'feed'> & Partial<Item<'feed'>> {
  const item = {
    ...toKey(row.partition, row.position),
    kind: row.kind,
    announced_at: toTimeText(row.atMs),
    expires_at_s: Math.ceil(row.atMs / 1000) + feedDays * daySeconds,
  }
  if (row.kind === 'entry') return { ...item, conversation_id: row.conversationId, seq: row.seq }
  if (row.kind === 'void') return item
  const { id, type, conversationId, userId, data } = row
  return {
    ...item,
    event_id: id,
    event_type: type,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(userId !== undefined && { user_id: userId }),
    ...(data !== undefined && { data }),
  }
}

/** Returns undefined for position 0. */
export function toRow(item: Item<'feed'>): FeedRow | undefined {
  const { partition_id, feed_position, kind, announced_at, conversation_id, seq, event_id, event_type, user_id, data } =
    item
  const place = {
    partition: Number(partition_id.slice(1)),
    position: feed_position,
    atMs: fromTimeText(announced_at ?? ''),
  }
  if (kind === 'void') return { ...place, kind }
  if (kind === 'entry' && conversation_id !== undefined && seq !== undefined)
    return { ...place, kind, conversationId: conversation_id, seq }
  if (kind !== 'fact' || event_id === undefined || event_type === undefined) return undefined
  return {
    ...place,
    kind,
    id: event_id,
    type: event_type,
    ...(conversation_id !== undefined && { conversationId: conversation_id }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(data !== undefined && { data }),
  }
}

export const isRow = (row: FeedRow | undefined): row is FeedRow => row !== undefined
