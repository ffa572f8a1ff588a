// What Redis holds beside events: fast, allowed to forget at any moment.

import type { ClientMessageId, ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Boundaries } from '../protocol/ticks.ts'
import type { MemberAddress } from './delivery.ts'

/**
 * Hands out seqs. They are only proposals: a number it gives may turn out taken, and the log's cells decide.
 *
 * A counter that stands is never below an entry that was published: a reader that has got as far as the counter has missed nothing.
 * So Redis forgets it rather than lets it fall back: a counter that another Redis process kept counts as gone, and one is seeded
 * only by somebody who has read the log since a token was left, with nothing published meanwhile.
 */
export interface Sequencer {
  /**
   * The next seq, or the one this very send (sender and client id) got before: then `known` is true and no number is
   * used up. Undefined where the counter is gone: then call `prepareSeed`, read the log's last seq, and call `seed`.
   */
  reserve(conversationId: ConversationId, send: SendKey): Promise<Reservation | undefined>
  /** Leaves a token where the counter is gone, or finds the one that is there. */
  prepareSeed(conversationId: ConversationId): Promise<string>
  /** Makes the counter, where that token still is; lifts it to at least `lastSeq` where it stands. */
  seed(conversationId: ConversationId, lastSeq: Seq, token: string): Promise<void>
  /** The next seq after a collision, above `taken` in any case. */
  reserveAbove(conversationId: ConversationId, taken: Seq): Promise<Seq>
  /** Takes a reserved, unused seq back IF it is still the last one given. Returns whether it did. */
  giveBack(conversationId: ConversationId, seq: Seq): Promise<boolean>
  /** The counters, in the order asked for; undefined where one is gone. */
  heads(conversationIds: readonly ConversationId[]): Promise<(Seq | undefined)[]>
}

export type Reservation = { seq: Seq; known: boolean }
export type SendKey = { senderId: UserId; clientMessageId: ClientMessageId }

/** One subscription of one device, attached for all the user's conversations or for a single one. */
export type Session = { userId: UserId; connectionId: string; conversationId?: ConversationId }
export type SessionState = 'syncing' | 'online'
export type Presence = 'online' | 'syncing' | 'offline'

/** `lastSeenAtMs`: when the last session ended, or gave its last sign of life; absent while one stands, or if none is known. */
export type Seen = { presence: Presence; lastSeenAtMs?: number }

/**
 * Who is attached where, each with a TTL; and per user the flag `pendingIndexComplete`. The flag is set only from a clean end of the
 * user's last session until the next attach, and only on the Redis process that took it. Whoever watches a
 * user gets an event when a session's coming, going or change of state changes how the user appears; not when one expires.
 */
export interface Sessions {
  /** Registers as syncing and clears the flag. Returns whether it was set. */
  attach(session: Session): Promise<{ pendingIndexComplete: boolean }>
  /** Sets the states and renews the TTLs; registers again what Redis forgot. */
  renew(sessions: readonly { session: Session; state: SessionState }[]): Promise<void>
  /** From here on senders no longer count on this session. Others of the same user are left alone. */
  leave(session: Session): Promise<void>
  /** Sets the flag, unless the user has another session or one of them has ended uncleanly. */
  setPendingIndexComplete(userId: UserId): Promise<void>
  presence(userIds: readonly UserId[]): Promise<Presence[]>
  /** The same, and when each was last here. In the order asked for. */
  seen(userIds: readonly UserId[]): Promise<Seen[]>
}

/**
 * What Redis remembers of who has blocked whom in a direct chat, so that a send need not read it. Where it knows nothing, the
 * first to ask leaves a lease there and may `settle` what DynamoDB says; a change meanwhile voids the lease.
 */
export interface BlockCache {
  /** The members that have blocked the other, or undefined: ask DynamoDB. In the order asked for. */
  look(conversationIds: readonly ConversationId[], lease: string): Promise<(readonly UserId[] | undefined)[]>
  /** As `Sequencer.reserve`, in one round trip with the look: nothing is reserved for a sender the other has blocked. */
  reserve(
    conversationId: ConversationId,
    send: SendKey,
    lease: string,
  ): Promise<Reservation | 'blocked' | 'unknown' | undefined>
  /** Puts the answer where the lease still is. */
  settle(conversationId: ConversationId, lease: string, blockers: readonly UserId[]): Promise<void>
  /** From here until `end`, or for a minute, nothing is known: DynamoDB is about to change. */
  begin(conversationId: ConversationId, change: string): Promise<void>
  /** Whatever was settled meanwhile is forgotten. Another change that has begun goes on. */
  end(conversationId: ConversationId, change: string): Promise<void>
}

/** The last message of a conversation: what it is placed by in lists. */
export type LastActivity = { seq: Seq; atMs: number }

/**
 * The order of lists. `Events.publishEntry` keeps it, so that no message costs a write for it; what is gone is read from the log. It may
 * stand behind the log, never ahead of it.
 */
export interface Activity {
  /** In one round trip, in the order asked for; undefined where it is gone. */
  of(conversationIds: readonly ConversationId[]): Promise<(LastActivity | undefined)[]>
  /** Keeps the one with the higher seq, of each. */
  seed(found: readonly (LastActivity & { conversationId: ConversationId })[]): Promise<void>
}

/** What Redis remembers of a member's boundaries: never more than the truth, so that a send need not read it. */
export type CachedBoundaries = Boundaries & {
  /** Changes with every pending row that is written; 0 means there is none. */
  pendingVersion: number
}

export interface BoundaryCache {
  get(member: MemberAddress): Promise<CachedBoundaries | undefined>
  /**
   * For somebody about to look for the pending row, with the version to clear once it is gone: 0 where the cache says there is none.
   * Otherwise it also clears the flag of `Sessions`, for a crash halfway would leave the index incomplete.
   */
  open(member: MemberAddress): Promise<Pick<CachedBoundaries, 'lastReadSeq' | 'pendingVersion'>>
  /**
   * Lifts each boundary to at least the given one. `clearedVersion`: the pending row was looked for at that version, and is gone.
   * A version that is another by now stays: a row was written meanwhile, or Redis has forgotten the version.
   */
  lift(member: MemberAddress, boundaries: Boundaries, clearedVersion?: number): Promise<void>
  /**
   * Called by whoever has written a pending row: from here on every ack looks for it. Returns what is delivered as far as the cache knows, 0
   * where it does not. An ack that came before this has lifted the cached boundaries, and has not looked.
   */
  notePending(member: MemberAddress): Promise<Seq>
}

/**
 * The versions of groups, by which every node learns at once that its copy is an old one. Redis may forget them, and does not let
 * itself be told an old one after that: whoever finds none leaves a token, reads the group, and is believed only if the token is
 * still there. What another Redis process noted counts as forgotten.
 */
export interface GroupVersions {
  /** In the order asked for. Undefined where none is known: then read the group and call `settle` with the same token. */
  look(ids: readonly ConversationId[], token: string): Promise<(Seq | undefined)[]>
  /** Of somebody who has read the group and is about to show it: nobody is told of an older version after that. */
  settle(id: ConversationId, token: string, version: Seq): Promise<void>
  /** Of somebody who has just replaced the group. Never lowers it; where none is known, nobody who is reading the group is believed. */
  raise(id: ConversationId, version: Seq): Promise<void>
}
