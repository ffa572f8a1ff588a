// Who is refused by every node: users who are banned, and tokens that were issued too early. DynamoDB holds it; docs/protocol.md, "Bans and revoked
// tokens", says how nodes learn of it.

import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'

/** Without `untilMs` it is for good. */
export type Ban = { kind: 'ban'; userId: UserId; untilMs?: number }
/** Tokens of the user that were issued before do not count any more, nor do those that do not say when they were issued. */
export type Revocation = { kind: 'revocation'; userId: UserId; issuedBeforeMs: number }
export type Restriction = Ban | Revocation

export interface RestrictionStore {
  /** Replaces a ban that stands. */
  putBan(ban: Ban): Promise<void>
  removeBan(userId: UserId): Promise<void>
  /** Leaves one that goes as far or further. Returns the one that stands then. */
  putRevocation(revocation: Revocation): Promise<Revocation>
  /** Returns those of these users, in any order. A ban that is over may be among them, or be gone. */
  getMany(userIds: readonly UserId[]): Promise<Restriction[]>
  /** Returns all of them page by page, in an order of its own: the first `limit` that come after this one, if it is given. */
  page(after: Restriction | undefined, limit: number): Promise<Restriction[]>
  /** Counts the changes: it is raised after each of them was written. 0 before the first. */
  version(): Promise<number>
  /** Returns the new version, which nobody else gets. */
  raiseVersion(): Promise<number>
}

/** What the transports ask. It answers from memory. */
export interface RefusedViewers {
  refuses(viewer: Viewer): boolean
  /** The listener is called when somebody may be refused who was not before. */
  onChange(listener: () => void): void
}
