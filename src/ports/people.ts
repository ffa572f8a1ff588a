// What is known of users. In DynamoDB.

import type { UserId } from '../protocol/ids.ts'

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
