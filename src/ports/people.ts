// What is known of users. DynamoDB holds it.

import type { ConversationId, UserId } from '../protocol/ids.ts'

/**
 * `name` comes from the user's token. `ownName` and `avatarUrl` are what the user chose, or a backend for them. `metadata` is what backends have
 * put beside the user: the text of a JSON object.
 */
export type Profile = {
  userId: UserId
  name?: string
  ownName?: string
  avatarUrl?: string
  metadata?: string
  /** When the user was erased. Then there is nothing else. */
  erasedAtMs?: number
}

/** Null removes a value; values that are not named stay. */
export type ProfileChange = { ownName?: string | null; avatarUrl?: string | null; metadata?: string | null }

export interface ProfileStore {
  /** Sets the name from the token and leaves the rest. Returns the profile as it is now. An erased user has none. */
  put(profile: Pick<Profile, 'userId' | 'name'>): Promise<Profile>
  /** Changes what was chosen, and makes the user's row if there is none. Returns the profile as it is now. */
  change(userId: UserId, change: ProfileChange): Promise<Profile>
  getMany(userIds: readonly UserId[]): Promise<Profile[]>
  /** Removes all of it, and marks the user as erased for good: nothing is put or changed after that. Keeps an earlier time. */
  erase(userId: UserId, atMs: number): Promise<void>
}

/** `userId` has blocked `blockedId`. */
export type Block = { userId: UserId; blockedId: UserId }

export interface BlockStore {
  set(block: Block, blocked: boolean): Promise<void>
  /** Returns whether each of these blocks exists, in the order asked for. */
  getMany(blocks: readonly Block[]): Promise<boolean[]>
  /** Whom the user has blocked, in the order of their ids: the first `limit` that come after this one, if it is given. */
  above(userId: UserId, after: UserId | undefined, limit: number): Promise<UserId[]>
  /** The last `limit` that come before this one, the last one first. */
  below(userId: UserId, before: UserId | undefined, limit: number): Promise<UserId[]>
}

/** `userId` has left the group by themselves, at `leftAtMs`, and has not come back since. */
export type Departure = { userId: UserId; groupId: ConversationId; leftAtMs: number }

export interface DepartureStore {
  /** Puts the departure and replaces an earlier one. */
  put(departure: Departure): Promise<void>
  /** Returns those that exist, each once, in any order. */
  getMany(groupId: ConversationId, userIds: readonly UserId[]): Promise<Departure[]>
  /** Deletes exactly this departure: one that was put since stays. */
  remove(departure: Departure): Promise<void>
  /** Returns all of a user. */
  ofUser(userId: UserId): Promise<Departure[]>
}
