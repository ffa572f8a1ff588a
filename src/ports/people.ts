// What is known of users. In DynamoDB.

import type { ConversationId, UserId } from '../protocol/ids.ts'

/** `name`: from their token. `ownName`, `avatarUrl`: what they chose themselves. */
export type Profile = { userId: UserId; name?: string; ownName?: string; avatarUrl?: string }

/** Null takes it away; what is not named stays. */
export type ProfileChange = { ownName?: string | null; avatarUrl?: string | null }

export interface ProfileStore {
  /** Sets the name of the token, and leaves the rest. Returns the profile as it is now. */
  put(profile: Pick<Profile, 'userId' | 'name'>): Promise<Profile>
  /** Changes what they chose. Returns the profile as it is now. */
  change(userId: UserId, change: ProfileChange): Promise<Profile>
  getMany(userIds: readonly UserId[]): Promise<Profile[]>
}

/** `userId` has blocked `blockedId`. */
export type Block = { userId: UserId; blockedId: UserId }

export interface BlockStore {
  set(block: Block, blocked: boolean): Promise<void>
  /** Which of these stand, in the order asked for. */
  getMany(blocks: readonly Block[]): Promise<boolean[]>
}

/** `userId` has left the group by themselves, at `leftAtMs`, and has not come back since. */
export type Departure = { userId: UserId; groupId: ConversationId; leftAtMs: number }

export interface DepartureStore {
  /** In the place of an earlier one. */
  put(departure: Departure): Promise<void>
  /** Those that stand, each once, in any order. */
  getMany(groupId: ConversationId, userIds: readonly UserId[]): Promise<Departure[]>
  /** Deletes this very one: one that was put since stays. */
  remove(departure: Departure): Promise<void>
}
