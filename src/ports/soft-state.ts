// What Redis holds beside events. It is fast, and may be forgotten at any moment.

import type { ClientMessageId, ConversationId, Seq, UserId } from '../protocol/ids.ts'
import type { Boundaries } from '../protocol/ticks.ts'
import type { MemberAddress } from './delivery.ts'

/**
 * Hands out seqs. They are only proposals: a seq may turn out to be taken, and the log's cells decide.
 *
 * A counter that exists is never below an entry that was published, so a reader that has got as far as the counter has missed nothing.
 * To keep this true, Redis forgets a counter rather than let it fall back: a counter of another Redis process counts as absent, and a
 * counter is seeded only by a caller that has read the log since it left a token, with nothing published in between.
 */
export interface Sequencer {
  /**
   * Returns the next seq, or the one that this send (sender and client id) got before: then `known` is true and no seq is used up. Returns
   * undefined where there is no counter: then call `prepareSeed`, read the log's last seq, and call `seed`.
   */
  reserve(conversationId: ConversationId, send: SendKey): Promise<Reservation | undefined>
  /** Leaves a token where there is no counter, and returns it. If another token is there already, it returns that one. */
  prepareSeed(conversationId: ConversationId): Promise<string>
  /** Makes the counter if that token is still there. If the counter exists, it is lifted to at least `lastSeq`. */
  seed(conversationId: ConversationId, lastSeq: Seq, token: string): Promise<void>
  /** Returns the next seq after a collision. It is always above `taken`. */
  reserveAbove(conversationId: ConversationId, taken: Seq): Promise<Seq>
  /** Takes a reserved, unused seq back IF it is still the last one given. Returns whether it did. */
  giveBack(conversationId: ConversationId, seq: Seq): Promise<boolean>
  /** Returns the counters in the order asked for; undefined where there is none. */
  counters(conversationIds: readonly ConversationId[]): Promise<(Seq | undefined)[]>
}

export type Reservation = { seq: Seq; known: boolean }
export type SendKey = { senderId: UserId; clientMessageId: ClientMessageId }

/**
 * One subscription of one device, attached for all the user's conversations or for a single one. It ends with its lease, and when it was not
 * renewed for a while.
 */
export type Session = { userId: UserId; connectionId: string; conversationId?: ConversationId; leaseId?: string }
export type SessionState = 'syncing' | 'online'
/** `lasting`: the lease was held after the session was made. Then it need not be renewed as often. */
export type SessionRenewal = { session: Session; state: SessionState; lasting?: boolean }
export type Presence = 'online' | 'syncing' | 'offline'

/** `lastSeenAtMs` is when the last session ended, or when its lease was last held. It is absent while there is a session, or if none is known. */
export type Seen = { presence: Presence; lastSeenAtMs?: number }

/**
 * The leases of nodes. A node that no longer holds its lease has died, or has been away for so long that others took it for dead; a lease that
 * has ended never comes back.
 */
export interface SessionLeases {
  /** Begins a lease, and ends the one that the node has lost, whatever Redis knows of that. */
  begin(leaseId: string, lostId?: string): Promise<void>
  /**
   * Holds the lease for some time more. It is not held where it has ended, or Redis has forgotten it or is another process: then begin another
   * one, and renew all sessions under it. `died` are the leases that have ended and were not given up, for some hours.
   */
  hold(leaseId: string): Promise<{ isHeld: boolean; died: readonly string[] }>
  /** Ends the lease of a node that has finished all its work. */
  giveUp(leaseId: string): Promise<void>
}

/**
 * Who is attached where, each with a TTL; and per user the mark `pendingIndexComplete`. The mark is set only from a clean end of the
 * user's last session until the next attach, and only on the Redis process that took it. Those who watch a user get an event when a session
 * that begins, ends or changes its state changes the user's presence; they get none when a session expires.
 */
export interface Sessions {
  /** Registers the session as syncing and clears the mark. Returns whether the mark was set. */
  attach(session: Session): Promise<{ pendingIndexComplete: boolean }>
  /** Sets the states and renews the TTLs. Sessions that Redis forgot are registered again. */
  renew(sessions: readonly SessionRenewal[]): Promise<void>
  /** Ends the session: senders no longer count on it. Other sessions of the user stay. */
  leave(session: Session): Promise<void>
  /** Sets the mark, unless the user has another session or one of them has ended uncleanly. */
  setPendingIndexComplete(userId: UserId): Promise<void>
  presence(userIds: readonly UserId[]): Promise<Presence[]>
  /** Forgets all of a user who is erased, and whether they were ever here. */
  forget(userId: UserId): Promise<void>
  /** Returns the presence of each user and when they were last seen, in the order asked for. */
  seen(userIds: readonly UserId[]): Promise<Seen[]>
}

/**
 * A random text for each user, by which a node knows that the user's index of memberships has no row more than when the node read it. It is
 * replaced before such a row is written, and after it: of a group by `Events.publishMembership`. Redis may forget stamps, and one that another Redis
 * process made counts as forgotten. A stamp that was replaced never comes back. It is also replaced before and after rows of the index go or get other
 * settings.
 *
 * A writer may die between the stamp and the row. So an index that was read says how it is as long as the stamp stands only if the stamp was
 * there for longer, before that, than such a write can be under way.
 */
export interface IndexStamps {
  /** Returns the stamps in the order asked for. Where Redis knows none, it makes one. */
  look(userIds: readonly UserId[]): Promise<string[]>
  /** Called before a row is added to the index of these users, goes from there, or gets other settings. */
  replace(userIds: readonly UserId[]): Promise<void>
}

/**
 * A random text for each user and each group, by which a node knows that no boundaries were published to them since it looked.
 * `Events.publishBoundaries` replaces it, which comes after the boundaries are written. Redis may forget stamps, and one that another Redis process
 * made counts as forgotten. A stamp that was replaced never comes back.
 */
export interface TickStamps {
  /** Returns the stamps in the order asked for. Where Redis knows none, it makes one. */
  look(ids: readonly (UserId | ConversationId)[]): Promise<string[]>
  /** Called for boundaries that were written, if it is not known whether they were published. */
  replace(ids: readonly (UserId | ConversationId)[]): Promise<void>
}

/**
 * Remembers in Redis who has blocked whom in a direct chat, so that a send need not read it from DynamoDB. Where nothing is known, the first
 * caller leaves a lease and may `seed` what DynamoDB says; a change that comes in between ends the lease.
 */
export interface BlockCache {
  /** Returns the members that have blocked the other, in the order asked for. Undefined means that DynamoDB has to be asked. */
  look(conversationIds: readonly ConversationId[], lease: string): Promise<(readonly UserId[] | undefined)[]>
  /** Looks, and reserves as `Sequencer.reserve` does, in one round trip. A sender whom the other has blocked gets no seq. */
  reserve(
    conversationId: ConversationId,
    send: SendKey,
    lease: string,
  ): Promise<Reservation | 'blocked' | 'unknown' | undefined>
  /** Stores the blockers if the lease is still there. */
  seed(conversationId: ConversationId, lease: string, blockers: readonly UserId[]): Promise<void>
  /** Announces that DynamoDB is about to change. Until `end`, or for a minute, nothing is known. */
  begin(conversationId: ConversationId, change: string): Promise<void>
  /** Forgets what was seeded since `begin`. Another change that has begun goes on. */
  end(conversationId: ConversationId, change: string): Promise<void>
}

/** The last message of a conversation, by which lists are sorted. */
export type LastActivity = { seq: Seq; atMs: number }

/**
 * The order of lists. `Events.publishEntry` keeps it up to date, so that no message costs a write for it. What Redis forgot is read from the
 * log. It may be behind the log, never ahead of it.
 */
export interface Activity {
  /** Returns the activities in the order asked for, in one round trip; undefined where Redis has none. */
  of(conversationIds: readonly ConversationId[]): Promise<(LastActivity | undefined)[]>
  /** Stores each activity unless Redis has one with a higher seq. */
  seed(found: readonly (LastActivity & { conversationId: ConversationId })[]): Promise<void>
}

/** What Redis remembers of a member's boundaries, so that a send need not read them. It is never ahead of the truth. */
export type CachedBoundaries = Boundaries & {
  /** It changes with every pending row that is written; 0 means that there is none. */
  pendingVersion: number
}

export interface BoundaryCache {
  get(member: MemberAddress): Promise<CachedBoundaries | undefined>
  /**
   * Called before the pending row is looked for. Returns the version to clear once the row is gone, or 0 where the cache says that there is
   * no row. Otherwise it also clears the mark of `Sessions`, for a crash halfway would leave the index incomplete.
   */
  open(member: MemberAddress): Promise<Pick<CachedBoundaries, 'lastReadSeq' | 'pendingVersion'>>
  /**
   * Lifts each boundary to at least the given one. `clearedVersion`: the pending row was looked for at that version, and is gone.
   * A version that is another by now stays: a row was written meanwhile, or Redis has forgotten the version.
   */
  lift(member: MemberAddress, boundaries: Boundaries, clearedVersion?: number): Promise<void>
  /**
   * Called after a pending row was written: from here on every ack looks for it. Returns the delivered boundary as the cache knows it, 0 if it
   * does not. An ack that came before this call has lifted the cached boundaries, and has not looked.
   */
  notePending(member: MemberAddress): Promise<Seq>
  /** Forgets what is cached of a user who is erased. */
  forget(member: MemberAddress): Promise<void>
}

/**
 * The versions of groups, by which every node learns at once that its copy is old. Redis may forget them, and must not be given an old one
 * after that: a caller that finds none leaves a token, reads the group, and its version is accepted only if the token is still there. What
 * another Redis process noted counts as forgotten.
 */
export interface GroupVersions {
  /** Returns the versions in the order asked for. Where it is undefined, read the group and call `seed` with the same token. */
  look(ids: readonly ConversationId[], token: string): Promise<(Seq | undefined)[]>
  /** Called after the group was read and before it is shown: no caller gets an older version after that. */
  seed(id: ConversationId, token: string, version: Seq): Promise<void>
  /** Called after the group was replaced. Never lowers the version. Where none is known, callers that are reading the group cannot seed it. */
  raise(id: ConversationId, version: Seq): Promise<void>
}
