// The feed: what happened in the whole app, for backends. It is kept in partitions, and each of them is a log: a position is given out by Redis,
// taken by a conditional put, and skipped for good by a void. docs/protocol.md, "The feed", says why nothing is lost, doubled or reordered.

import type { ConversationId, Seq, UserId } from '../protocol/ids.ts'

/** Partitions are counted from 0. */
export type FeedPartition = number
/** Positions of a partition rise. The first one may be any number. */
export type FeedPosition = number

/** A row of the feed. `atMs` is when it was announced. */
export type FeedRow = { partition: FeedPartition; position: FeedPosition; atMs: number } & (
  | FeedEntry
  | FeedFact
  | FeedVoid
)

/** An entry of a conversation's log, announced before it was written. It happened if the cell names this position. */
export type FeedEntry = { kind: 'entry'; conversationId: ConversationId; seq: Seq }

/** Something that no log of a conversation has. It names people and things, and quotes nobody. */
export type FeedFact = {
  kind: 'fact'
  id: string
  type: FactType
  conversationId?: ConversationId
  userId?: UserId
  /** The text of a JSON object. */
  data?: string
}

/** A position that was skipped for good. */
type FeedVoid = { kind: 'void' }

export type FactType =
  | 'conversation.updated'
  | 'user.updated'
  | 'user.banned'
  | 'user.erased'
  | 'report.created'
  | 'webhook.disabled'

export interface FeedStore {
  /** Writes the row if its position is empty. */
  put(row: FeedRow): Promise<'written' | 'taken'>
  /** Returns the first `limit` rows with position > after, ascending; fewer only where the partition ends. */
  above(partition: FeedPartition, after: FeedPosition, limit: number): Promise<readonly FeedRow[]>
  /** Returns the last position that is taken; undefined where the partition has no rows, perhaps because all have expired. */
  last(partition: FeedPartition): Promise<FeedPosition | undefined>
  /** Returns the position above which the rows of the partition begin; undefined where it never had one. It does not expire. */
  start(partition: FeedPartition): Promise<FeedPosition | undefined>
  /** Sets it IF it is still `from`. */
  setStart(partition: FeedPartition, start: FeedPosition, from: FeedPosition | undefined): Promise<void>
}

/** Proposes positions. Redis may forget them: then a caller that has read the end of the partition says how far it is taken. */
export interface FeedCounters {
  /**
   * Returns the next position, above `taken` where that is given. Returns undefined where nothing is known and nothing is given: then read the
   * partition's end, and call again.
   */
  next(partition: FeedPartition, taken?: FeedPosition): Promise<FeedPosition | undefined>
  /** Returns the last positions given, in the order asked for; undefined where Redis knows none. */
  ends(partitions: readonly FeedPartition[]): Promise<(FeedPosition | undefined)[]>
}
